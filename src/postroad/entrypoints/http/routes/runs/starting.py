"""Confirm and start: a job, or those of a run who were not reached."""

from fastapi import Response

from postroad.entrypoints.http.conventions import SENDS, Caller, RepeatKey, Router, WorkspaceId, problems
from postroad.entrypoints.http.routes.runs.paths import OF_JOB, ONE, JobId, RunId
from postroad.entrypoints.http.runs import RunComposition
from postroad.entrypoints.http.wire.runs.starting import (
    ConfirmationAsked,
    ConfirmationShown,
    ResendAsked,
    ResendConfirmationAsked,
    ResendConfirmationShown,
    RunAsked,
    StartedShown,
    shown_confirmation,
    shown_resend,
    shown_start,
)
from postroad.flows import sending
from postroad.flows.sending import StartedRun


def add_routes(router: Router, composition: RunComposition) -> None:
    _add_starts(router, composition)
    _add_resends(router, composition)


def _add_starts(router: Router, composition: RunComposition) -> None:
    @router.post(OF_JOB + "/run-confirmation", responses=problems(403, 404, 409, 422))
    async def confirm_run(
        caller: Caller, workspace_id: WorkspaceId, job_id: JobId, body: ConfirmationAsked
    ) -> ConfirmationShown:
        """Shows what a run of the job would send, and gives a token of five minutes for exactly that. Sends nothing."""
        ask = body.ask(workspace_id, job_id)
        needs = composition.runs.sending
        return shown_confirmation(await caller.run(lambda: sending.confirm_run(caller.principal, ask, needs)))

    @router.post(OF_JOB + "/runs", status_code=202, openapi_extra=SENDS, responses=problems(403, 404, 409, 422))
    async def start_run(
        caller: Caller, workspace_id: WorkspaceId, job_id: JobId, key: RepeatKey, body: RunAsked, *, response: Response
    ) -> StartedShown:
        """Starts a confirmed run of the job, or a dry run. A repeat with the same key is the same run (200)."""
        ask = body.ask(workspace_id, job_id, key)
        needs = composition.runs.sending
        return _taken(response, await caller.write(lambda uow: sending.start_run(uow, ask, needs)))


def _add_resends(router: Router, composition: RunComposition) -> None:
    @router.post(ONE + "/retry-confirmation", responses=problems(403, 404, 409))
    async def confirm_resend(
        caller: Caller, workspace_id: WorkspaceId, run_id: RunId, body: ResendConfirmationAsked
    ) -> ResendConfirmationShown:
        """Counts who of an ended run would be sent to again, and gives a token of five minutes. Sends nothing."""
        ask = body.ask(workspace_id, run_id)
        needs = composition.runs.sending
        return shown_resend(await caller.run(lambda: sending.confirm_resend(caller.principal, ask, needs)))

    @router.post(ONE + "/retries", status_code=202, openapi_extra=SENDS, responses=problems(403, 404, 409))
    async def start_resend(
        caller: Caller,
        workspace_id: WorkspaceId,
        run_id: RunId,
        key: RepeatKey,
        body: ResendAsked,
        *,
        response: Response,
    ) -> StartedShown:
        """Sends again, as the source run said it, to those who came to the outcomes: a linked run of its own."""
        ask = body.start(workspace_id, run_id, key)
        needs = composition.runs.sending
        return _taken(response, await caller.write(lambda uow: sending.start_resend(uow, ask, needs)))


def _taken(response: Response, started: StartedRun) -> StartedShown:
    shown = shown_start(started)
    response.status_code = 200 if started.is_repeat else 202
    response.headers["location"] = shown.links["self"]
    return shown
