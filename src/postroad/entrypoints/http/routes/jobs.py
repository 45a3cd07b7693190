"""Jobs: who sends what to whom and how; and job files pushed from outside."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Query, Response

from postroad.entrypoints.http.configuration import ConfigurationComposition
from postroad.entrypoints.http.conventions import (
    Caller,
    CallerOf,
    FiltersAsked,
    IfMatch,
    PageAsked,
    Router,
    WorkspaceId,
    created,
    path_part,
    problems,
    show_version,
)
from postroad.entrypoints.http.wire.jobs import (
    JobChanged,
    JobCopied,
    JobMade,
    JobPage,
    JobPushed,
    JobShown,
    PushShown,
    shown_job,
    shown_page,
    shown_push,
)
from postroad.flows import job_push
from postroad.kernel.versions import Expected
from postroad.modules import jobs
from postroad.modules.jobs import Job, JobChange, JobFilter, JobStatus

_ALL = "/workspaces/{workspaceId}/jobs"
_ONE = _ALL + "/{jobId}"
JobId = Annotated[str, path_part("jobId")]


@dataclass(frozen=True, slots=True)
class Refers:
    account_id: Annotated[
        str | None, Query(alias="accountId", max_length=128, description="Only what sends with this account.")
    ] = None
    message_id: Annotated[
        str | None, Query(alias="messageId", max_length=128, description="Only what sends this message.")
    ] = None
    audience_id: Annotated[
        str | None, Query(alias="audienceId", max_length=128, description="Only what sends to this audience.")
    ] = None


def add_routes(router: Router, composition: ConfigurationComposition) -> None:
    """Below /workspaces/{workspaceId}/jobs."""
    _add_reading(router)
    _add_making(router, composition)
    _add_changing(router, composition)


def _add_reading(router: Router) -> None:
    @router.get(_ALL, responses=problems(404))
    async def list_jobs(
        caller: Caller,
        workspace_id: WorkspaceId,
        page: PageAsked,
        filters: FiltersAsked,
        refers: Annotated[Refers, Depends()],
    ) -> JobPage:
        """Jobs, newest first, with how many there are of each status."""
        wanted = JobFilter(
            name=filters.name,
            status=filters.status,
            account_id=refers.account_id,
            message_id=refers.message_id,
            audience_id=refers.audience_id,
            created_after_ms=filters.created_after,
            created_before_ms=filters.created_before,
        )
        return shown_page(await caller.read(lambda reading: jobs.list_jobs(reading, workspace_id, page, wanted)))

    @router.get(_ONE, responses=problems(404))
    async def get_job(caller: Caller, workspace_id: WorkspaceId, job_id: JobId, response: Response) -> JobShown:
        """One job."""
        return _shown(response, await caller.read(lambda reading: jobs.get_job(reading, workspace_id, job_id)))


def _add_making(router: Router, composition: ConfigurationComposition) -> None:
    @router.post(_ALL, status_code=201, responses=problems(403, 404, 409, 422))
    async def create_job(caller: Caller, workspace_id: WorkspaceId, body: JobMade, response: Response) -> JobShown:
        """Makes a job. Account, message and audience must be there, active, and fit each other. Nothing is sent."""
        ask = body.ask(workspace_id)
        return _made(
            response, await caller.write(lambda uow: jobs.create_job(uow, ask, composition.configuration.jobs))
        )

    @router.post(_ONE + "/copy", status_code=201, responses=problems(403, 404, 409, 422))
    async def copy_job(
        caller: Caller, workspace_id: WorkspaceId, job_id: JobId, body: JobCopied, response: Response
    ) -> JobShown:
        """Makes a job of its own that says the same, not marked for the open API."""
        needs = composition.configuration.jobs
        return _made(
            response, await caller.write(lambda uow: jobs.copy_job(uow, workspace_id, job_id, body.name, needs))
        )

    @router.post(_ALL + "/push", responses=problems(403, 404, 409, 422))
    async def push_job(caller: Caller, workspace_id: WorkspaceId, body: JobPushed) -> PushShown:
        """Keeps what a job file says: account, message and job by their names, made or changed as needed.

        Pushing the same file again changes nothing; secrets that are given are set anew each time.
        """
        ask = body.ask(workspace_id)
        return shown_push(await caller.write(lambda uow: job_push.push_job(uow, ask, composition.configuration.pushes)))


def _add_changing(router: Router, composition: ConfigurationComposition) -> None:
    async def change(caller: CallerOf, ask: JobChange, response: Response) -> JobShown:
        return _shown(
            response, await caller.write(lambda uow: jobs.change_job(uow, ask, composition.configuration.jobs))
        )

    @router.patch(_ONE, responses=problems(403, 404, 409, 412, 422, 428))
    async def change_job(
        caller: Caller,
        workspace_id: WorkspaceId,
        job_id: JobId,
        if_match: IfMatch,
        body: JobChanged,
        *,
        response: Response,
    ) -> JobShown:
        """Changes a job. Runs that were confirmed keep what they froze; confirmations that wait must be made again."""
        return await change(caller, body.ask(workspace_id, job_id, if_match), response)

    @router.post(_ONE + "/enable", responses=problems(403, 404, 409, 412, 422, 428))
    async def enable_job(
        caller: Caller, workspace_id: WorkspaceId, job_id: JobId, if_match: IfMatch, response: Response
    ) -> JobShown:
        """Lets people and schedules start it again."""
        return await change(caller, _move(workspace_id, job_id, if_match, JobStatus.ACTIVE), response)

    @router.post(_ONE + "/disable", responses=problems(403, 404, 409, 412, 428))
    async def disable_job(
        caller: Caller, workspace_id: WorkspaceId, job_id: JobId, if_match: IfMatch, response: Response
    ) -> JobShown:
        """Lets nobody and no schedule start it. Runs that are under way go on."""
        return await change(caller, _move(workspace_id, job_id, if_match, JobStatus.DISABLED), response)

    @router.delete(_ONE, responses=problems(403, 404, 409, 412, 428))
    async def archive_job(
        caller: Caller, workspace_id: WorkspaceId, job_id: JobId, if_match: IfMatch, response: Response
    ) -> JobShown:
        """Archives a job: its runs stay, its name is free. Refused while a schedule or a run needs it."""
        needs = composition.configuration.jobs
        return _shown(
            response, await caller.write(lambda uow: jobs.archive_job(uow, workspace_id, job_id, if_match, needs))
        )


def _move(workspace_id: str, job_id: str, expected: Expected, to: JobStatus) -> JobChange:
    return JobChange(workspace_id, job_id, expected, status=to)


def _shown(response: Response, job: Job) -> JobShown:
    show_version(response, job.version)
    return shown_job(job)


def _made(response: Response, job: Job) -> JobShown:
    created(response, f"/api/v1/workspaces/{job.workspace_id}/jobs/{job.id}", job.version)
    return shown_job(job)
