"""HTTP end to end, and what else could push the same messages into the same receiver, in turn."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.loads import wrk
from benchmarks.machine import SENDER
from benchmarks.processes import ask
from benchmarks.receivers import Receiver, open_receiver
from benchmarks.recipe import write_table
from benchmarks.rounds import Round, in_turn, over
from postroad.recipients import FileInput, ImportRequest, import_audience

COUNTS = {"plain": 100_000, "tls": 50_000}
QUICK_COUNT = 1_000
AIOHTTP_SHARE = 0.2


def measure(quick: bool) -> dict[str, float | None]:
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as name:
        folder = Path(name)
        table = write_table(folder / "people.csv", QUICK_COUNT if quick else max(COUNTS.values()))
        snapshot = import_audience(ImportRequest(FileInput(table), folder / "audience")).snapshot
        with open_receiver(folder) as receiver:
            sources = {"snapshot": str(snapshot.path), "table": str(table), "ca_file": receiver.ca_file}
            plain = _race(sources, receiver, receiver.url, COUNTS["plain"], quick, folder)
            tls = _race(sources, receiver, receiver.tls_url, COUNTS["tls"], quick, None)
    ours, loop, limit = plain
    ours_tls, loop_tls, _ = tls
    return {
        "http_items_per_s": round(ours["per_s"]),
        "http_cpu_us_per_item": round(ours["cpu_us"], 1),
        "http_peak_mb": round(ours["peak_mb"], 1),
        "aiohttp_items_per_s": round(loop["per_s"]),
        "wrk_requests_per_s": None if limit is None else round(limit["per_s"]),
        "http_vs_aiohttp": over(ours["per_s"], loop["per_s"]),
        "http_vs_wrk": None if limit is None else round(ours["per_s"] / limit["per_s"], 3),
        "tls_items_per_s": round(ours_tls["per_s"]),
        "tls_cpu_us_per_item": round(ours_tls["cpu_us"], 1),
        "aiohttp_tls_items_per_s": round(loop_tls["per_s"]),
        "tls_vs_aiohttp": over(ours_tls["per_s"], loop_tls["per_s"]),
    }


def _race(
    sources: dict[str, str], receiver: Receiver, url: str, count: int, quick: bool, wrk_folder: Path | None
) -> tuple[Round, Round, Round | None]:
    """Ours, the loop, and wrk: only against nginx, since the bare server would be what limits it."""
    count = QUICK_COUNT if quick else count
    ours = {**sources, "url": url, "count": count}
    theirs = {**ours, "count": count if quick else int(count * AIOHTTP_SHARE)}
    contenders: list[Callable[[], Round]] = [
        lambda: ask("benchmarks.loads.http_send", ours, core=SENDER),
        lambda: ask("benchmarks.loads.aiohttp_loop", theirs, core=SENDER),
    ]
    if wrk_folder is not None and wrk.is_there() and receiver.name == "nginx":
        contenders.append(lambda: {"per_s": wrk.requests_per_s(url, wrk_folder, 1 if quick else 3)})
    found = in_turn(1 if quick else 3, *contenders)
    return found[0], found[1], found[2] if len(found) > 2 else None
