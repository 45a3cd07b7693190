"""A program starts a job."""

from fastapi import Response

from postroad.entrypoints.http.conventions import SENDS, Caller, RepeatKey, Router, iso, problems
from postroad.entrypoints.http.open_calls import OpenComposition
from postroad.entrypoints.http.routes.open_api.door import OpenDoor
from postroad.entrypoints.http.routes.runs.paths import JobId
from postroad.entrypoints.http.wire.open_api import ProgramRunAsked
from postroad.entrypoints.http.wire.runs.starting import StartedShown, shown_start
from postroad.flows import sending
from postroad.flows.sending import StartedRun
from postroad.kernel.uow import UnitOfWork
from postroad.modules import identity

_BY_TOKEN = {**SENDS, "security": [{"token": []}]}
_EXPIRES = "x-postroad-token-expires"


def add_routes(router: Router, composition: OpenComposition) -> None:
    """Below /open/jobs."""
    programs = router.behind(OpenDoor(composition))

    @programs.post(
        "/open/jobs/{jobId}/run", status_code=202, openapi_extra=_BY_TOKEN, responses=problems(403, 404, 409, 413, 422)
    )
    async def run_job(
        caller: Caller, job_id: JobId, key: RepeatKey, response: Response, body: ProgramRunAsked | None = None
    ) -> StartedShown:
        """Starts a job that is marked for the open API. Needs a token with the scope `jobs:run`.

        A repeat with the same Idempotency-Key and body is the same run (200). Within two weeks of the end of the token
        the answer has the header X-Postroad-Token-Expires.
        """
        ask = (body or ProgramRunAsked()).ask(job_id, key)

        def work(uow: UnitOfWork) -> tuple[StartedRun, str]:
            started = sending.start_by_program(uow, ask, composition.runs.sending)
            token = identity.find_own_token(uow)
            ends = iso(token.expires_at_ms) if token is not None and token.expires_soon(uow.now_ms) else ""
            return started, ends

        started, ends = await caller.write(work)
        if ends:
            response.headers[_EXPIRES] = ends
        shown = shown_start(started)
        response.status_code = 200 if started.is_repeat else 202
        response.headers["location"] = shown.links["self"]
        return shown
