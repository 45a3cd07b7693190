"""Our side of the HTTP figure: snapshot → rendering → INTENT → request → answer → RESULT, as a run does it."""

import gc
import tempfile
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import uvloop

from benchmarks.loads.engine_run import journal_in
from benchmarks.machine import peak_mb
from benchmarks.processes import answer
from benchmarks.recipe import BODY, IN_FLIGHT
from postroad.egress import Egress, parse_url
from postroad.engine import ConcurrencyPolicy, Engine, ExecutionPolicies, RunSpec, RunSummary
from postroad.providers.http import HttpProvider
from postroad.recipients import Snapshot, SnapshotSource
from postroad.spi import ConfigDocument, Rate

POLICIES = ExecutionPolicies(ConcurrencyPolicy(1, IN_FLIGHT, IN_FLIGHT), rates={"run": Rate(0, 1.0)})


def work(order: Mapping[str, Any]) -> dict[str, float]:
    """The first `count` recipients of `snapshot` to `url`; a tenth of them warms up."""
    snapshot = Snapshot.open(Path(order["snapshot"]))
    uvloop.run(_run(order, snapshot, order["count"] // 10))
    gc.collect()
    wall, cpu = perf_counter(), process_time()
    uvloop.run(_run(order, snapshot, order["count"]))
    cpu, wall = process_time() - cpu, perf_counter() - wall
    return {"per_s": order["count"] / wall, "cpu_us": cpu / order["count"] * 1e6, "peak_mb": peak_mb()}


async def _run(order: Mapping[str, Any], snapshot: Snapshot, count: int) -> None:
    egress = Egress()
    url = parse_url(order["url"])
    egress.allow_literal(url.host.text, url.port)
    tls = {"tls": {"caFile": order["ca_file"]}} if url.scheme == "https" else {}
    account = ConfigDocument.of("http/account", "1", {"baseUrl": order["url"], **tls})
    message = ConfigDocument.of("http/message", "1", {"path": "/send", "bodyTemplate": BODY})
    spec = RunSpec("bench", "http", account, message, POLICIES, total=count)
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as folder:
        async with Engine([HttpProvider(egress)]) as engine:
            source = SnapshotSource(snapshot, 0, count)
            handle = await engine.start(spec, source, journal=journal_in(folder))
            _check(await handle.completion(), count)


def _check(summary: RunSummary, count: int) -> None:
    if summary.succeeded != count:
        raise RuntimeError(f"not everybody was sent to: {summary}")


if __name__ == "__main__":
    answer(work)
