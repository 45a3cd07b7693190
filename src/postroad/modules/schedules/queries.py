"""What can be read of schedules."""

from postroad.kernel.authz import Action, Resource
from postroad.kernel.pages import Listing, Page, PageRequest
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.schedules import store
from postroad.modules.schedules.model import FireTime, FiringView, ScheduleFilter, ScheduleView, When
from postroad.modules.schedules.parts.planning import shown, timing_asked, timing_of
from postroad.vocabulary.refusals import ResourceNotFound

PREVIEWED = 10


def get_schedule(reading: Reading, workspace_id: str, schedule_id: str) -> ScheduleView:
    """Raises ResourceNotFound."""
    reading.authorize(Action.SCHEDULES_READ, Resource(workspace_id, "schedule", schedule_id))
    return _present(store.find(reading, workspace_id, schedule_id))


def list_schedules(
    reading: Reading, workspace_id: str, request: PageRequest, wanted: ScheduleFilter
) -> Page[ScheduleView]:
    """Newest first; archived ones only where asked for."""
    listed = Resource(workspace_id, "schedule")
    reading.authorize(Action.SCHEDULES_READ, listed)
    filters = {
        "name": wanted.name,
        "status": wanted.status,
        "jobId": wanted.job_id,
        "after": wanted.created_after_ms,
        "before": wanted.created_before_ms,
    }
    return store.page(reading, Listing.open(reading.cursors, request, listed, filters), workspace_id, wanted)


def list_firings(
    reading: Reading, workspace_id: str, schedule_id: str, request: PageRequest, state: str | None = None
) -> Page[FiringView]:
    """By fire time, newest first. Raises ResourceNotFound."""
    schedule = get_schedule(reading, workspace_id, schedule_id)
    firings = Resource(workspace_id, "schedule_firing", schedule.id)
    listing = Listing.open(reading.cursors, request, firings, {"state": state})
    return store.page_of_firings(reading, listing, schedule_id, state)


def upcoming_fire_times(reading: Reading, workspace_id: str, schedule_id: str) -> tuple[FireTime, ...]:
    """The next ten, also of a disabled schedule: what enabling it would mean. Raises ResourceNotFound."""
    schedule = get_schedule(reading, workspace_id, schedule_id)
    return shown(timing_of(schedule), reading.now_ms, PREVIEWED)


def preview_fire_times(reading: Reading, workspace_id: str, when: When) -> tuple[FireTime, ...]:
    """The next ten of what is asked for, before it is kept. Raises ValidationFailed."""
    reading.authorize(Action.SCHEDULES_READ, Resource(workspace_id, "schedule"))
    return shown(timing_asked(when), reading.now_ms, PREVIEWED)


def schedules_of_job(reading: Reading, workspace_id: str, job_id: str) -> tuple[ScheduleView, ...]:
    """Up to twenty schedules that would start this job; for whoever wants to archive it. Authorises nothing."""
    return store.of_job(reading, workspace_id, job_id, 20)


def held(uow: UnitOfWork, workspace_id: str, schedule_id: str) -> ScheduleView:
    """The schedule, locked. Raises ResourceNotFound."""
    return _present(store.lock(uow, workspace_id, schedule_id))


def _present(found: ScheduleView | None) -> ScheduleView:
    if found is None:
        raise ResourceNotFound("there is no such schedule in this workspace")
    return found
