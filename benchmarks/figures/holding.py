"""A run in which everybody is told to come back in an hour: it must wait without growing, and obey at once.

Each recipient has a domain of its own, and its answer slows that domain alone: so the parking fills to its bound.
"""

import asyncio
import tempfile
from time import perf_counter

import uvloop

from benchmarks.loads.engine_run import EMPTY, POLICIES, journal_in
from benchmarks.machine import current_mb
from benchmarks.recipe import NoopProvider, NoopSession, Numbers
from benchmarks.rounds import in_turn
from postroad.engine import CancelRun, Engine, PauseRun, RunHandle, RunSpec
from postroad.spi import Recipient, SendRequest, SendResult, Verdict
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.transitions import RunState

HOUR_S = 3600.0
RECIPIENTS, QUICK_RECIPIENTS = 1_000_000, 1_000


class _HoldingSession(NoopSession):
    async def send(self, request: SendRequest) -> SendResult:
        keys = request.rendered.keys
        return SendResult(
            Verdict.REFUSED, Category.RATE_LIMITED, "429", retry=True, retry_after_s=HOUR_S, slow_keys=keys
        )


def measure(quick: bool) -> dict[str, float | None]:
    recipients, watched_s = (QUICK_RECIPIENTS, 0.2) if quick else (RECIPIENTS, 5.0)
    (held,) = in_turn(1 if quick else 3, lambda: uvloop.run(_run(recipients, watched_s)))
    return {
        "holding_parked": round(held["parked"]),
        "holding_rss_growth_mb": round(held["growth_mb"], 2),
        "holding_pause_s": round(held["pause_s"], 4),
    }


async def _run(recipients: int, watched_s: float) -> dict[str, float]:
    provider = NoopProvider(session=_HoldingSession, keys_of=_own_domain)
    spec = RunSpec("bench", "noop", EMPTY, EMPTY, POLICIES, total=recipients)
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as folder:
        async with Engine([provider]) as engine:
            handle = await engine.start(spec, Numbers(recipients), journal=journal_in(folder))
            parked = await _settled_parking(handle)
            before = current_mb()
            await asyncio.sleep(watched_s)
            growth = current_mb() - before
            start = perf_counter()
            await handle.submit(PauseRun("pause"))
            paused = perf_counter() - start
            if handle.state is not RunState.PAUSED:
                raise RuntimeError(f"the run is {handle.state} after a pause")
            await handle.submit(CancelRun("done", "measured"))
            await handle.completion()
    return {"parked": parked, "growth_mb": growth, "pause_s": paused}


async def _settled_parking(handle: RunHandle) -> int:
    """How many are parked once nobody else comes."""
    before = -1
    while (parked := handle.progress().parked) != before or not parked:
        before = parked
        await asyncio.sleep(0.2)
    return parked


def _own_domain(recipient: Recipient) -> tuple[str, ...]:
    return (f"domain:d{recipient.sequence}.example",)
