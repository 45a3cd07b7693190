"""A schedule is enabled, disabled or archived."""

from dataclasses import replace

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.versions import Expected, expect
from postroad.modules.schedules import store
from postroad.modules.schedules.model import ScheduleStatus, ScheduleView
from postroad.modules.schedules.parts.announcing import announce
from postroad.modules.schedules.parts.planning import first_fire, timing_of
from postroad.modules.schedules.ports import ScheduledJobs
from postroad.modules.schedules.queries import held
from postroad.vocabulary.refusals import StateConflict


def enable_schedule(
    uow: UnitOfWork, workspace_id: str, schedule_id: str, expected: Expected, jobs: ScheduledJobs
) -> ScheduleView:
    """It fires from now on; what was missed while it was disabled stays missed. Raises as `create_schedule`."""
    kept = _to_change(uow, workspace_id, schedule_id, expected)
    jobs.require_schedulable(uow, workspace_id, kept.job_id, refresh_audience=kept.refresh_audience)
    first = first_fire(timing_of(kept), uow.now_ms)
    return _saved(uow, replace(kept, status=ScheduleStatus.ENABLED, next_fire_at_ms=first), "schedule.enabled")


def disable_schedule(uow: UnitOfWork, workspace_id: str, schedule_id: str, expected: Expected) -> ScheduleView:
    """Nothing fires any more. A firing whose audience is still being read is skipped."""
    kept = _to_change(uow, workspace_id, schedule_id, expected)
    return _saved(uow, replace(kept, status=ScheduleStatus.DISABLED, next_fire_at_ms=None), "schedule.disabled")


def archive_schedule(uow: UnitOfWork, workspace_id: str, schedule_id: str, expected: Expected) -> ScheduleView:
    """Out of use for good; its firings can still be read."""
    kept = _to_change(uow, workspace_id, schedule_id, expected)
    return _saved(uow, replace(kept, status=ScheduleStatus.ARCHIVED, next_fire_at_ms=None), "schedule.archived")


def _to_change(uow: UnitOfWork, workspace_id: str, schedule_id: str, expected: Expected) -> ScheduleView:
    uow.authorize(Action.SCHEDULES_WRITE, Resource(workspace_id, "schedule", schedule_id))
    kept = held(uow, workspace_id, schedule_id)
    expect(kept.version, expected, {"updatedAtMs": kept.updated_at_ms})
    if kept.status is ScheduleStatus.ARCHIVED:
        raise StateConflict("an archived schedule cannot be changed; make a new one")
    return kept


def _saved(uow: UnitOfWork, changed: ScheduleView, action: str) -> ScheduleView:
    made = replace(changed, version=changed.version + 1, updated_at_ms=uow.now_ms)
    store.save(uow, made)
    announce(uow, made, action)
    return made
