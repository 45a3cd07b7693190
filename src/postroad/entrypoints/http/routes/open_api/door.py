"""What stands before the routes for programs: tokens alone, so many calls a minute, and every refusal is written down.

A session is refused before anything is looked up: a page of another site must not reach these routes with the cookie
of a person. Whoever is refused has it in the audit, up to a limit, and ten refusals within an hour disable the token.
Too many calls are no such refusal, nor is what the service itself could not do.
"""

from http import HTTPStatus

from fastapi import Request
from starlette.exceptions import HTTPException

from postroad.entrypoints.http.conventions.admission import presented_by
from postroad.entrypoints.http.conventions.caller import CallerOf
from postroad.entrypoints.http.conventions.error_answers import status_of
from postroad.entrypoints.http.conventions.tracing import trace_of
from postroad.entrypoints.http.open_calls import OpenComposition, RefusedCall
from postroad.foundation.telemetry import logger
from postroad.kernel.authz import ANONYMOUS
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.refusals import AccessDenied

_LOG = logger(__name__)


class OpenDoor:
    """`conventions.Door`."""

    def __init__(self, composition: OpenComposition) -> None:
        self._composition = composition

    def before(self, request: Request) -> None:
        if presented_by(request, self._composition.http).session is not None:
            raise AccessDenied("the open API takes tokens only: Authorization: Bearer pst_…", action="jobs:run")

    async def admitted(self, caller: CallerOf) -> None:
        await caller.run(lambda: self._composition.open_calls.take(caller.principal))

    async def refused(self, request: Request, error: Exception) -> None:
        status, code = _answer_of(error)
        if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return
        caller: CallerOf | None = getattr(request.state, "caller", None)
        call = RefusedCall(
            principal=caller.principal if caller else ANONYMOUS,
            code=code,
            charged=caller is not None,
            path=str(getattr(request.scope.get("route"), "path", "")),
            trace_id=trace_of(request.scope),
            address=request.client.host if request.client else "",
        )
        try:
            await self._composition.pool.run(lambda: self._composition.open_calls.refused(call))
        except PostroadError:
            _LOG.exception("open_call.refusal_lost", code=code)


def _answer_of(error: Exception) -> tuple[int, str]:
    if isinstance(error, PostroadError):
        return status_of(error), error.code
    if isinstance(error, HTTPException):
        return error.status_code, HTTPStatus(error.status_code).name
    return HTTPStatus.BAD_REQUEST, "VALIDATION_FAILED"
