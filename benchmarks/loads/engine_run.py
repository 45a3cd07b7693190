"""One run of the engine with a provider that sends nothing; recipients are made when asked."""

import gc
import tempfile
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import uvloop

from benchmarks.processes import answer
from benchmarks.recipe import IN_FLIGHT, NoopProvider, NoopSession, Numbers, SuspendingSession
from postroad.engine import ConcurrencyPolicy, Engine, ExecutionPolicies, RunSpec
from postroad.journal import Journal, open_journal
from postroad.spi import ConfigDocument

EMPTY = ConfigDocument.of("none", "1", {})
POLICIES = ExecutionPolicies(ConcurrencyPolicy(1, IN_FLIGHT, IN_FLIGHT))


def journal_in(folder: str) -> Journal:
    return open_journal(
        Path(folder), run_id="bench", shard=0, fencing_token="1", config_sha256="0" * 64, started_at_ms=0
    )


def work(order: Mapping[str, Any]) -> dict[str, float]:
    """`count` recipients, `journal` or none, `suspending` or answering at once; a tenth of it warms up."""
    session = SuspendingSession if order["suspending"] else NoopSession
    uvloop.run(_run(order["count"] // 10, order["journal"], session))
    gc.collect()
    wall, cpu = perf_counter(), process_time()
    uvloop.run(_run(order["count"], order["journal"], session))
    cpu, wall = process_time() - cpu, perf_counter() - wall
    return {"per_s": order["count"] / wall, "cpu_us": cpu / order["count"] * 1e6}


async def _run(count: int, keeps_journal: bool, session: type[NoopSession]) -> None:
    spec = RunSpec("bench", "noop", EMPTY, EMPTY, POLICIES, total=count)
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as folder:
        async with Engine([NoopProvider(session=session)]) as engine:
            journal = journal_in(folder) if keeps_journal else None
            handle = await engine.start(spec, Numbers(count), journal=journal)
            summary = await handle.completion()
    if summary.succeeded != count:
        raise RuntimeError(f"the engine lost items: {summary}")


if __name__ == "__main__":
    answer(work)
