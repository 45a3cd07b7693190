"""The end of a run: settle the rest, close in order, check the sums, say the final state. Source: spec wepush §8.3."""

import asyncio
import json
from dataclasses import asdict, replace
from typing import Literal, Protocol

from postroad.engine.clock import RunClock
from postroad.engine.items.ledger import Ledger
from postroad.engine.items.parking import Parking
from postroad.engine.items.settle import Fate, Settler
from postroad.engine.reporting.counters import Counters
from postroad.engine.reporting.delivery import EventDelivery, ResultDelivery
from postroad.engine.reporting.events import EventKind
from postroad.engine.run.closing import Errors
from postroad.engine.run.dispatch import Dispatcher
from postroad.engine.run.heart import Heart
from postroad.engine.run.startup import Prepared
from postroad.engine.run.workers import Workforce
from postroad.engine.spec import RunSpec
from postroad.engine.summary import RunSummary
from postroad.vocabulary.errors import AccountingBroken, JournalBroken
from postroad.vocabulary.outcomes import Outcome
from postroad.vocabulary.transitions import RUN_FINAL, RunEvent, RunState, next_run_state

Ending = Literal["", "deadline", "cancel", "fail", "abort"]
"""Why a run ends before everybody is settled; empty where it does not. In rising rank: a later one overrides."""

_FLUSH_S = 60.0
_HARD_FLUSH_S = 2.0


class Ended(Protocol):
    """What of a run its end needs."""

    spec: RunSpec
    parts: Prepared
    state: RunState
    ending: Ending
    reason: str
    started_ms: int
    clock: RunClock
    counters: Counters
    errors: Errors
    parking: Parking
    ledger: Ledger
    settler: Settler
    dispatcher: Dispatcher
    workforce: Workforce
    heart: Heart
    feeding: asyncio.Task[None] | None
    results: ResultDelivery | None
    events: EventDelivery | None

    @property
    def keeps_open(self) -> bool: ...

    def take_back(self) -> None: ...

    def publish(self, kind: EventKind, reason: str = "", **data: str | int | float) -> None: ...


async def finish(run: Ended) -> RunSummary:
    """Raises AccountingBroken after everything is closed, and then leaves no END in the journal.

    A kill anywhere in here leaves a journal that a resume reads: nobody is settled who is not written down.
    """
    run.heart.stop()
    await _stop_reading(run)
    run.dispatcher.stop()
    if run.ending:
        _settle_rest(run)
    await run.workforce.stop()
    _write_down(run)
    await _deliver_results(run)
    await _flush_events(run)
    await _close_sessions(run)
    await run.parts.scope.close("recipient source")
    summary = _summary(run)
    try:
        summary.check()
        if summary.state in RUN_FINAL:
            _write_end(run, summary)
    except AccountingBroken as error:
        run.publish(EventKind.ERROR, error.message)
        await _close_rest(run)
        raise
    await run.parts.scope.close("journal")
    summary = _summary(run, ended_at_ms=summary.ended_at_ms)
    run.state = summary.state
    run.publish(EventKind.RUN_COMPLETED, summary.reason)
    await _close_rest(run)
    return replace(summary, suppressed_errors=run.errors.all())


async def _close_rest(run: Ended) -> None:
    if run.results is not None:
        await run.results.stop()
    await _flush_events(run)
    if run.events is not None:
        await run.events.stop()
    await run.parts.scope.close()


async def _stop_reading(run: Ended) -> None:
    if run.feeding is not None and not run.feeding.done():
        run.feeding.cancel()
        await asyncio.wait([run.feeding])


def _settle_rest(run: Ended) -> None:
    """What was read and not dispatched, one by one; what was never read, by its number."""
    now_ms = run.clock.now_ms()
    counters = run.counters
    if run.ending == "abort":
        run.take_back()
        counters.unknown += sum(len(flight) for flight in run.workforce.flying())
    for item in run.parking.drain():
        if run.ending == "abort":
            counters.add(Outcome.UNSENT)
        else:
            run.settler.left_over(item, intended=False, keep=run.keeps_open, now_ms=now_ms)
    for recipient in run.dispatcher.fresh:
        counters.unsent += 1
        if run.ending != "abort":
            run.settler.tell(recipient.sequence, recipient.row, 0, Fate(Outcome.UNSENT), now_ms)
    run.dispatcher.fresh.clear()
    if run.spec.total is not None:
        counters.unsent += run.spec.total - counters.read
        counters.read = run.spec.total


def _write_down(run: Ended) -> None:
    try:
        run.ledger.settle()
    except JournalBroken as error:
        run.errors.add("journal", error)
        if run.ending != "abort":
            run.ending, run.reason = "fail", f"JOURNAL: {error.code}: {error}"[:300]


async def _deliver_results(run: Ended) -> None:
    if run.results is None:
        return
    try:
        await asyncio.wait_for(run.results.finish(), _HARD_FLUSH_S if run.ending == "abort" else _FLUSH_S)
    except Exception as error:  # whatever a sink raises  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
        run.errors.add("result sink", error)
        if run.ending != "abort":
            run.ending, run.reason = "fail", f"RESULT_SINK: {type(error).__name__}: {error}"[:300]


async def _flush_events(run: Ended) -> None:
    if run.events is None:
        return
    try:
        await asyncio.wait_for(run.events.drained(), _HARD_FLUSH_S if run.ending == "abort" else _FLUSH_S)
    except TimeoutError as error:
        run.errors.add("event sink", error)


async def _close_sessions(run: Ended) -> None:
    try:
        await asyncio.wait_for(run.workforce.close_sessions(), _FLUSH_S)
    except Exception as error:  # whatever a provider raises  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
        run.errors.add("closing a worker's session", error)
    await run.parts.scope.close("provider session")


def _write_end(run: Ended, summary: RunSummary) -> None:
    text = json.dumps({**asdict(summary), "suppressed_errors": len(summary.suppressed_errors)}, default=str)
    run.ledger.end(summary.state.value, summary.ended_at_ms, text)
    _write_down(run)


def _state(run: Ended) -> RunState:
    counters = run.counters
    match run.ending:
        case "abort":
            return RunState.LOST
        case "fail":
            event = RunEvent.RUN_ERROR
        case "cancel":
            event = RunEvent.DRAINED
        case _:
            well = counters.failed == counters.unknown == counters.unsent == 0
            event = RunEvent.ALL_SETTLED_WELL if well else RunEvent.SOME_SETTLED_BADLY
    return next_run_state(run.state, event) or (RunState.PARTIAL if run.ending == "deadline" else RunState.FAILED)


def _summary(run: Ended, *, ended_at_ms: int | None = None) -> RunSummary:
    counters = run.counters
    return RunSummary(
        run_id=run.spec.run_id,
        state=_state(run),
        reason=run.reason,
        total=run.spec.total if run.spec.total is not None else counters.read,
        succeeded=counters.succeeded,
        failed=counters.failed,
        unknown=counters.unknown,
        unsent=counters.unsent,
        skipped=counters.skipped,
        retried=counters.retried,
        maybe_doubled=counters.maybe_doubled,
        started_at_ms=run.started_ms,
        ended_at_ms=int(run.clock.now_ms()) if ended_at_ms is None else ended_at_ms,
        suppressed_errors=run.errors.all(),
    )
