"""The event and the audit row of a schedule that was changed."""

from postroad.kernel.authz import Resource
from postroad.kernel.uow import Aggregate, UnitOfWork
from postroad.modules.schedules.model import ScheduleView
from postroad.vocabulary.events import EventName


def announce(uow: UnitOfWork, schedule: ScheduleView, action: str) -> None:
    """The event and the audit row of a change that a person or the scheduler made."""
    uow.emit(
        EventName.SCHEDULE_CHANGED,
        Aggregate("schedule", schedule.id, schedule.version),
        {
            "scheduleId": schedule.id,
            "jobId": schedule.job_id,
            "status": schedule.status.value,
            "nextFireAtMs": schedule.next_fire_at_ms,
        },
        workspace_id=schedule.workspace_id,
    )
    uow.audit(
        action,
        Resource(schedule.workspace_id, "schedule", schedule.id),
        details={
            "name": schedule.name,
            "jobId": schedule.job_id,
            "cron": schedule.cron,
            "atMs": schedule.at_ms,
            "timezone": schedule.timezone,
            "status": schedule.status.value,
            "version": schedule.version,
        },
    )
