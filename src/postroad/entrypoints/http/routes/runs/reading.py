"""Runs as they stand."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Query, Response

from postroad.entrypoints.http.conventions import (
    Caller,
    CallerOf,
    GivenInstant,
    PageAsked,
    PageShown,
    Router,
    WorkspaceId,
    problems,
    show_version,
)
from postroad.entrypoints.http.routes.runs.paths import ALL, OF_JOB, ONE, JobId, RunId
from postroad.entrypoints.http.wire.runs.standing import (
    ArtifactNamed,
    RunDetailShown,
    RunPage,
    shown_artifacts,
    shown_detail,
    shown_run,
)
from postroad.kernel.pages import PageRequest
from postroad.modules import runs
from postroad.modules.runs import RunFilter
from postroad.vocabulary.transitions import RunState


@dataclass(frozen=True, slots=True)
class RunsWanted:
    state: Annotated[list[RunState] | None, Query(description="Only in one of these states; may be repeated.")] = None
    job_id: Annotated[str | None, Query(alias="jobId", max_length=128, description="Only of this job.")] = None
    source_run_id: Annotated[
        str | None, Query(alias="sourceRunId", max_length=128, description="Only re-sends of this run.")
    ] = None
    schedule_id: Annotated[
        str | None, Query(alias="scheduleId", max_length=128, description="Only what this schedule started.")
    ] = None
    dry_run: Annotated[bool | None, Query(alias="dryRun", description="Only dry runs, or none of them.")] = None
    created_after: Annotated[
        GivenInstant | None, Query(alias="createdAfter", description="Only what was made at or after this time.")
    ] = None
    created_before: Annotated[
        GivenInstant | None, Query(alias="createdBefore", description="Only what was made before this time.")
    ] = None

    def filter(self, job_id: str | None = None) -> RunFilter:
        return RunFilter(
            states=tuple(sorted(set(self.state or ()))),
            job_id=job_id or self.job_id,
            source_run_id=self.source_run_id,
            schedule_id=self.schedule_id,
            dry_run=self.dry_run,
            created_after_ms=self.created_after,
            created_before_ms=self.created_before,
        )


Wanted = Annotated[RunsWanted, Depends()]


def add_routes(router: Router) -> None:
    @router.get(ALL, responses=problems(404))
    async def list_runs(caller: Caller, workspace_id: WorkspaceId, page: PageAsked, wanted: Wanted) -> RunPage:
        """Runs, newest first."""
        return await _listed(caller, workspace_id, page, wanted.filter())

    @router.get(OF_JOB + "/runs", responses=problems(404))
    async def list_runs_of_job(
        caller: Caller, workspace_id: WorkspaceId, job_id: JobId, page: PageAsked, wanted: Wanted
    ) -> RunPage:
        """Runs of one job, newest first."""
        return await _listed(caller, workspace_id, page, wanted.filter(job_id))

    @router.get(ONE, responses=problems(404))
    async def get_run(caller: Caller, workspace_id: WorkspaceId, run_id: RunId, response: Response) -> RunDetailShown:
        """One run in full: what was frozen, its parts and who works on them, and what may be commanded now."""
        detail = await caller.read(lambda reading: runs.get_run_detail(reading, workspace_id, run_id))
        show_version(response, detail.run.version)
        return shown_detail(detail)

    @router.get(ONE + "/artifacts", responses=problems(404))
    async def list_run_artifacts(caller: Caller, workspace_id: WorkspaceId, run_id: RunId) -> list[ArtifactNamed]:
        """The files of a run by name: results, the table of each outcome, summary, receipt. Empty before its end."""
        return shown_artifacts(await caller.read(lambda reading: runs.get_run(reading, workspace_id, run_id)))


async def _listed(caller: CallerOf, workspace_id: str, page: PageRequest, wanted: RunFilter) -> RunPage:
    found = await caller.read(lambda reading: runs.list_runs(reading, workspace_id, page, wanted))
    return RunPage(items=[shown_run(run) for run in found.items], page=PageShown.of(found))
