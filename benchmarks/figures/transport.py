"""The HTTP transport against aiohttp, on the same receiver, in turn. What counts is the processor time of a request."""

import tempfile
from pathlib import Path

from benchmarks.machine import SENDER
from benchmarks.processes import ask
from benchmarks.receivers import open_receiver
from benchmarks.rounds import in_turn

COUNTS = {"ours": 40_000, "aiohttp": 8_000}
QUICK_COUNT = 500


def measure(quick: bool) -> dict[str, float | None]:
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as folder, open_receiver(Path(folder)) as receiver:

        def calls(client: str, url: str) -> dict[str, float]:
            count = QUICK_COUNT if quick else COUNTS[client]
            order = {"client": client, "url": url, "ca_file": receiver.ca_file, "count": count}
            return ask("benchmarks.loads.transport_calls", order, core=SENDER)

        ours, theirs, ours_tls, theirs_tls = in_turn(
            1 if quick else 3,
            lambda: calls("ours", receiver.url),
            lambda: calls("aiohttp", receiver.url),
            lambda: calls("ours", receiver.tls_url),
            lambda: calls("aiohttp", receiver.tls_url),
        )
    return {
        "transport_cpu_us": round(ours["cpu_us"], 1),
        "transport_vs_aiohttp_cpu": round(theirs["cpu_us"] / ours["cpu_us"], 1),
        "transport_tls_cpu_us": round(ours_tls["cpu_us"], 1),
        "transport_tls_vs_aiohttp_cpu": round(theirs_tls["cpu_us"] / ours_tls["cpu_us"], 1),
    }
