"""Schedules: when jobs start by themselves, and what became of each time."""

from typing import Annotated, Literal

from fastapi import Query, Response

from postroad.entrypoints.http.audiences import ScheduleComposition
from postroad.entrypoints.http.conventions import (
    SENDS,
    Caller,
    FiltersAsked,
    IfMatch,
    PageAsked,
    Router,
    WorkspaceId,
    created,
    paged,
    path_part,
    problems,
    show_version,
)
from postroad.entrypoints.http.wire.schedules import (
    FireTimesShown,
    FiringPage,
    ScheduleMade,
    SchedulePage,
    ScheduleReplaced,
    ScheduleShown,
    WhenAsked,
    ZonesShown,
    shown_schedule,
)
from postroad.modules import schedules
from postroad.modules.schedules import ScheduleFilter, ScheduleView

_ALL = "/workspaces/{workspaceId}/schedules"
_ONE = _ALL + "/{scheduleId}"
ScheduleId = Annotated[str, path_part("scheduleId")]
OfJob = Annotated[str | None, Query(alias="jobId", max_length=128, description="Only schedules of this job.")]
OfState = Annotated[
    Literal["DUE", "FIRED", "SKIPPED", "FAILED"] | None, Query(alias="state", description="Only in this state.")
]


def add_routes(router: Router, composition: ScheduleComposition) -> None:
    """Below /workspaces/{workspaceId}/schedules; /time-zones."""
    _add_reading(router)
    _add_times(router)
    _add_planning(router, composition)
    _add_switching(router, composition)


def _add_reading(router: Router) -> None:
    @router.get(_ALL, responses=problems(404))
    async def list_schedules(
        caller: Caller, workspace_id: WorkspaceId, page: PageAsked, filters: FiltersAsked, job_id: OfJob = None
    ) -> SchedulePage:
        """Schedules, newest first; archived ones only with `status=ARCHIVED`."""
        wanted = ScheduleFilter(filters.name, filters.status, job_id, filters.created_after, filters.created_before)
        found = await caller.read(lambda reading: schedules.list_schedules(reading, workspace_id, page, wanted))
        return SchedulePage.of({"items": [shown_schedule(one) for one in found.items], "page": found})

    @router.get(_ONE, responses=problems(404))
    async def get_schedule(
        caller: Caller, workspace_id: WorkspaceId, schedule_id: ScheduleId, response: Response
    ) -> ScheduleShown:
        """One schedule."""
        return _shown(
            response, await caller.read(lambda reading: schedules.get_schedule(reading, workspace_id, schedule_id))
        )

    @router.get(_ONE + "/firings", responses=problems(404))
    async def list_firings(
        caller: Caller, workspace_id: WorkspaceId, schedule_id: ScheduleId, page: PageAsked, state: OfState = None
    ) -> FiringPage:
        """What became of each time, the newest first."""
        found = await caller.read(
            lambda reading: schedules.list_firings(reading, workspace_id, schedule_id, page, state)
        )
        return FiringPage.of(paged(found))


def _add_times(router: Router) -> None:
    @router.get(_ONE + "/fire-times", responses=problems(404))
    async def list_fire_times(caller: Caller, workspace_id: WorkspaceId, schedule_id: ScheduleId) -> FireTimesShown:
        """The next ten times; of a disabled schedule those that enabling it would mean."""
        found = await caller.read(lambda reading: schedules.upcoming_fire_times(reading, workspace_id, schedule_id))
        return FireTimesShown.of({"items": found})

    @router.post(_ALL + "/preview", responses=problems(404))
    async def preview_fire_times(caller: Caller, workspace_id: WorkspaceId, body: WhenAsked) -> FireTimesShown:
        """The next ten times of what is not kept yet."""
        found = await caller.read(lambda reading: schedules.preview_fire_times(reading, workspace_id, body.when()))
        return FireTimesShown.of({"items": found})

    @router.get("/time-zones")
    async def list_time_zones(caller: Caller) -> ZonesShown:  # noqa: ARG001  (entrypoints: asks for somebody known; until 2027-11-30)
        """The time zones that schedules may name."""
        return ZonesShown(items=sorted(schedules.zone_names()))


def _add_planning(router: Router, composition: ScheduleComposition) -> None:
    @router.post(_ALL, status_code=201, responses=problems(403, 404, 409), openapi_extra=SENDS)
    async def create_schedule(
        caller: Caller, workspace_id: WorkspaceId, body: ScheduleMade, response: Response
    ) -> ScheduleShown:
        """Plans a job. From then on it sends at its times, without a person."""
        jobs = composition.scheduled_jobs
        made = await caller.write(lambda uow: schedules.create_schedule(uow, workspace_id, body.ask(), jobs))
        created(response, f"/api/v1/workspaces/{workspace_id}/schedules/{made.id}", made.version)
        return shown_schedule(made)

    @router.put(_ONE, responses=problems(403, 404, 409, 412, 428), openapi_extra=SENDS)
    async def replace_schedule(
        caller: Caller,
        workspace_id: WorkspaceId,
        schedule_id: ScheduleId,
        if_match: IfMatch,
        body: ScheduleReplaced,
        *,
        response: Response,
    ) -> ScheduleShown:
        """Plans it anew: the next time is computed from now on."""
        jobs = composition.scheduled_jobs
        changed = await caller.write(
            lambda uow: schedules.change_schedule(
                uow, schedule_id, body.ask(), jobs, workspace_id=workspace_id, expected=if_match
            )
        )
        return _shown(response, changed)


def _add_switching(router: Router, composition: ScheduleComposition) -> None:
    @router.post(_ONE + "/enable", responses=problems(403, 404, 409, 412, 428), openapi_extra=SENDS)
    async def enable_schedule(
        caller: Caller, workspace_id: WorkspaceId, schedule_id: ScheduleId, if_match: IfMatch, response: Response
    ) -> ScheduleShown:
        """Lets it fire from now on. What was missed while it was disabled stays missed."""
        jobs = composition.scheduled_jobs
        changed = await caller.write(
            lambda uow: schedules.enable_schedule(uow, workspace_id, schedule_id, if_match, jobs)
        )
        return _shown(response, changed)

    @router.post(_ONE + "/disable", responses=problems(403, 404, 409, 412, 428))
    async def disable_schedule(
        caller: Caller, workspace_id: WorkspaceId, schedule_id: ScheduleId, if_match: IfMatch, response: Response
    ) -> ScheduleShown:
        """Lets nothing fire any more. Runs that were started go on."""
        changed = await caller.write(lambda uow: schedules.disable_schedule(uow, workspace_id, schedule_id, if_match))
        return _shown(response, changed)

    @router.delete(_ONE, responses=problems(403, 404, 409, 412, 428))
    async def archive_schedule(
        caller: Caller, workspace_id: WorkspaceId, schedule_id: ScheduleId, if_match: IfMatch, response: Response
    ) -> ScheduleShown:
        """Archives it for good. Its firings can still be read."""
        changed = await caller.write(lambda uow: schedules.archive_schedule(uow, workspace_id, schedule_id, if_match))
        return _shown(response, changed)


def _shown(response: Response, schedule: ScheduleView) -> ScheduleShown:
    show_version(response, schedule.version)
    return shown_schedule(schedule)
