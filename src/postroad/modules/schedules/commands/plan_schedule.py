"""A schedule is made or changed: what it asks for is checked whole, and the next fire time is computed anew."""

from dataclasses import replace

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.versions import Expected, expect
from postroad.modules.schedules import store
from postroad.modules.schedules.model import ScheduleAsk, ScheduleStatus, ScheduleView
from postroad.modules.schedules.parts.announcing import announce
from postroad.modules.schedules.parts.planning import first_fire, timing_asked
from postroad.modules.schedules.ports import ScheduledJobs
from postroad.modules.schedules.queries import held
from postroad.vocabulary.names import resource_name
from postroad.vocabulary.refusals import StateConflict


def create_schedule(uow: UnitOfWork, workspace_id: str, ask: ScheduleAsk, jobs: ScheduledJobs) -> ScheduleView:
    """Raises ValidationFailed for a time that cannot be used, and what `require_schedulable` raises for the job."""
    uow.authorize(Action.SCHEDULES_WRITE, Resource(workspace_id, "schedule"))
    blank = ScheduleView(
        id=uow.new_id(),
        workspace_id=workspace_id,
        name="",
        job_id=ask.job_id,
        cron=None,
        at_ms=None,
        timezone="",
        misfire=ask.misfire,
        start_at_ms=None,
        end_at_ms=None,
        refresh_audience=False,
        status=ScheduleStatus.DISABLED,
        next_fire_at_ms=None,
        last_fire_at_ms=None,
        created_by=uow.principal.actor,
        version=1,
        created_at_ms=uow.now_ms,
        updated_at_ms=uow.now_ms,
    )
    made = _planned(uow, blank, ask, jobs)
    store.add(uow, made)
    announce(uow, made, "schedule.created")
    return made


def change_schedule(
    uow: UnitOfWork, schedule_id: str, ask: ScheduleAsk, jobs: ScheduledJobs, *, workspace_id: str, expected: Expected
) -> ScheduleView:
    """Replaces everything that people decide. Raises as `create_schedule`, VersionConflict, StateConflict."""
    uow.authorize(Action.SCHEDULES_WRITE, Resource(workspace_id, "schedule", schedule_id))
    kept = held(uow, workspace_id, schedule_id)
    expect(kept.version, expected, {"updatedAtMs": kept.updated_at_ms})
    if kept.status is ScheduleStatus.ARCHIVED:
        raise StateConflict("an archived schedule cannot be changed; make a new one")
    made = _planned(uow, replace(kept, version=kept.version + 1, updated_at_ms=uow.now_ms), ask, jobs)
    store.save(uow, made)
    announce(uow, made, "schedule.changed")
    return made


def _planned(uow: UnitOfWork, base: ScheduleView, ask: ScheduleAsk, jobs: ScheduledJobs) -> ScheduleView:
    timing = timing_asked(ask.when)
    jobs.require_schedulable(uow, base.workspace_id, ask.job_id, refresh_audience=ask.refresh_audience)
    return replace(
        base,
        name=resource_name(ask.name),
        job_id=ask.job_id,
        cron=None if isinstance(timing.when, int) else timing.when.expression,
        at_ms=timing.when if isinstance(timing.when, int) else None,
        timezone=ask.when.timezone,
        misfire=ask.misfire,
        start_at_ms=ask.when.start_at_ms,
        end_at_ms=ask.when.end_at_ms,
        refresh_audience=ask.refresh_audience,
        status=ScheduleStatus.ENABLED if ask.enabled else ScheduleStatus.DISABLED,
        next_fire_at_ms=first_fire(timing, uow.now_ms) if ask.enabled else None,
    )
