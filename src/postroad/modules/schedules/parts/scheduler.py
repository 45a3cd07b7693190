"""The scheduler: what is due fires, each fire time once.

One firing is one short transaction: the schedule is locked (another scheduler steps over it), the row of the fire time
is written, the run is made, the next fire time is set. A crash leaves all of it or none. The row is unique for schedule
and fire time, so that neither a second scheduler nor a clock that was set back starts a second run.

A refusal of the run is undone as a whole and noted as FAILED in a transaction of its own; the schedule goes on. Where
the refusal only says "not now" nothing is noted: the schedule stays due, and the next tick tries again.

With `refresh_audience` the firing begins as DUE with the order to read the audience again; a later tick finds the new
snapshot and starts the run, or notes why there is none. Nothing is sent to an audience that could not be read again.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.kernel.uow import Aggregate, UnitOfWork
from postroad.modules.schedules import store
from postroad.modules.schedules.model import FiringState, FiringView, ScheduleStatus, ScheduleView
from postroad.modules.schedules.parts.announcing import announce
from postroad.modules.schedules.parts.due import decide
from postroad.modules.schedules.parts.planning import timing_of
from postroad.modules.schedules.ports import AudienceRefreshes, Firer
from postroad.vocabulary.errors import Kind, PostroadError
from postroad.vocabulary.events import EventName

_LOG = logging.getLogger(__name__)
_SCHEDULER = Principal.system("scheduler")
_PAGE = 200
_AGAIN = frozenset({Kind.BUSY, Kind.UNAVAILABLE})


@dataclass(frozen=True, slots=True)
class Scheduler:
    """Runs in one instance at a time; two of them lose time, not correctness."""

    database: Database
    firer: Firer
    refreshes: AudienceRefreshes

    def tick(self, now_ms: int) -> bool:
        """Everything that is due at `now_ms`, once through the line. True where something was done."""
        return tick(self, now_ms)


@dataclass(slots=True)
class _Attempt:
    """One transaction: what it tries, and what an earlier one was refused with."""

    tried_ms: int | None = None
    refused_ms: int | None = None
    reason: str = ""


def tick(scheduler: Scheduler, now_ms: int) -> bool:
    fired = _fire_due(scheduler, now_ms)
    started = _start_refreshed(scheduler)
    return fired or started


def _fire_due(scheduler: Scheduler, now_ms: int) -> bool:
    done, after = False, None
    while True:
        due = _due(scheduler.database, now_ms, after)
        for one in due:
            done |= _noted(scheduler.database, partial(_fire_once, scheduler, one.schedule_id, now_ms))
        if len(due) < _PAGE:
            return done
        after = due[-1]


def _due(database: Database, now_ms: int, after: store.Due | None) -> tuple[store.Due, ...]:
    return database.read(_SCHEDULER, lambda reading: store.list_due(reading, now_ms, after, _PAGE))


def _noted(database: Database, work: Callable[[UnitOfWork, _Attempt], bool]) -> bool:
    """Runs `work`; where it is refused for good, runs it again with the refusal to note."""
    attempt = _Attempt()
    try:
        return database.write(_SCHEDULER, lambda uow: work(uow, attempt))
    except PostroadError as error:
        if error.kind in _AGAIN or attempt.tried_ms is None:
            _LOG.warning("a firing waits for the next tick: %s", error.message)
            return False
        reason = f"{error.code}: {error.message}"
    except Exception:
        if attempt.tried_ms is None:
            raise
        _LOG.exception("a firing failed by a fault of the program")
        reason = "INTERNAL_ERROR: this should not have happened; the log of the service has the details"
    refused = _Attempt(refused_ms=attempt.tried_ms, reason=reason)
    return database.write(_SCHEDULER, lambda uow: work(uow, refused))


def _fire_once(scheduler: Scheduler, schedule_id: str, now_ms: int, uow: UnitOfWork, attempt: _Attempt) -> bool:
    attempt.tried_ms = None
    schedule = store.claim_due(uow, schedule_id, now_ms)
    if schedule is None or schedule.next_fire_at_ms is None:
        return False
    decision = decide(timing_of(schedule), schedule.misfire, schedule.next_fire_at_ms, now_ms)
    for missed in decision.missed:
        _add(uow, schedule, _firing(uow, schedule, missed.at_ms, FiringState.SKIPPED, missed.reason))
    at = decision.fire_at_ms
    is_fired = False
    if at is not None and not store.has_firing(uow, schedule.id, at):
        firing = _tried(uow, scheduler, schedule, at, attempt)
        _add(uow, schedule, firing)
        is_fired = firing.state is FiringState.FIRED
    moved = replace(
        schedule, next_fire_at_ms=decision.next_at_ms, last_fire_at_ms=at if is_fired else schedule.last_fire_at_ms
    )
    if decision.next_at_ms is None:
        moved = replace(moved, status=ScheduleStatus.FINISHED, version=schedule.version + 1, updated_at_ms=uow.now_ms)
        announce(uow, moved, "schedule.finished")
    store.save(uow, moved)
    return True


def _tried(
    uow: UnitOfWork, scheduler: Scheduler, schedule: ScheduleView, fire_at_ms: int, attempt: _Attempt
) -> FiringView:
    if attempt.refused_ms == fire_at_ms:
        return _firing(uow, schedule, fire_at_ms, FiringState.FAILED, attempt.reason)
    attempt.tried_ms = fire_at_ms
    if schedule.refresh_audience:
        import_id = scheduler.refreshes.begin(uow, schedule)
        return replace(_firing(uow, schedule, fire_at_ms, FiringState.DUE), import_id=import_id)
    run_id = scheduler.firer.fire(uow, schedule, fire_at_ms)
    return replace(_firing(uow, schedule, fire_at_ms, FiringState.FIRED), run_id=run_id)


def _start_refreshed(scheduler: Scheduler) -> bool:
    done, after = False, ""
    while True:
        waiting = _waiting(scheduler.database, after)
        for schedule_id, firing_id in waiting:
            done |= _noted(scheduler.database, partial(_start_once, scheduler, schedule_id, firing_id))
        if len(waiting) < _PAGE:
            return done
        after = waiting[-1][1]


def _waiting(database: Database, after: str) -> tuple[tuple[str, str], ...]:
    return database.read(_SCHEDULER, lambda reading: store.list_waiting(reading, after, _PAGE))


def _start_once(scheduler: Scheduler, schedule_id: str, firing_id: str, uow: UnitOfWork, attempt: _Attempt) -> bool:
    attempt.tried_ms = None
    claimed = store.claim_firing(uow, schedule_id, firing_id)
    if claimed is None:
        return False
    schedule, firing = claimed
    settled = _settled(uow, scheduler, schedule, firing, attempt)
    if settled is None:
        return False
    store.save_firing(uow, settled)
    _announce(uow, schedule, settled, version=2)
    if settled.state is FiringState.FIRED:
        store.save(uow, replace(schedule, last_fire_at_ms=settled.fire_at_ms))
    return True


def _settled(
    uow: UnitOfWork, scheduler: Scheduler, schedule: ScheduleView, firing: FiringView, attempt: _Attempt
) -> FiringView | None:
    """What a firing that waited for its audience becomes; None while it goes on waiting."""
    ended = replace(firing, updated_at_ms=uow.now_ms)
    if attempt.refused_ms == firing.fire_at_ms:
        return replace(ended, state=FiringState.FAILED, reason=attempt.reason)
    if schedule.status in {ScheduleStatus.DISABLED, ScheduleStatus.ARCHIVED}:
        return replace(ended, state=FiringState.SKIPPED, reason="the schedule was switched off while it waited")
    outcome = scheduler.refreshes.outcome(uow, schedule.workspace_id, firing.import_id or "")
    if not outcome.is_over:
        return None
    if outcome.reason:
        return replace(ended, state=FiringState.FAILED, reason=outcome.reason)
    attempt.tried_ms = firing.fire_at_ms
    run_id = scheduler.firer.fire(uow, schedule, firing.fire_at_ms)
    return replace(ended, state=FiringState.FIRED, run_id=run_id)


def _firing(uow: UnitOfWork, schedule: ScheduleView, at_ms: int, state: FiringState, reason: str = "") -> FiringView:
    return FiringView(
        id=uow.new_id(),
        schedule_id=schedule.id,
        fire_at_ms=at_ms,
        state=state,
        reason=reason,
        run_id=None,
        import_id=None,
        created_at_ms=uow.now_ms,
        updated_at_ms=uow.now_ms,
    )


def _add(uow: UnitOfWork, schedule: ScheduleView, firing: FiringView) -> None:
    if store.add_firing(uow, schedule.workspace_id, firing) and firing.state is not FiringState.DUE:
        _announce(uow, schedule, firing, version=1)


def _announce(uow: UnitOfWork, schedule: ScheduleView, firing: FiringView, version: int) -> None:
    uow.emit(
        EventName.SCHEDULE_FIRED,
        Aggregate("schedule_firing", firing.id, version),
        {
            "scheduleId": schedule.id,
            "jobId": schedule.job_id,
            "fireAtMs": firing.fire_at_ms,
            "state": firing.state.value,
            "runId": firing.run_id,
            "importId": firing.import_id,
        },
        workspace_id=schedule.workspace_id,
    )
