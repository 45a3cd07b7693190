"""Every error leaves as `application/problem+json` (RFC 9457): type, title, status, code, detail, traceId, errors.

One table maps the kinds of the error tree to statuses; a few codes have their own. What nobody foresaw becomes
INTERNAL_ERROR with a trace id; its details are in the log alone.
"""

import math
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic.alias_generators import to_camel
from starlette.exceptions import HTTPException

from postroad.entrypoints.http.conventions.tracing import trace_of
from postroad.entrypoints.http.conventions.wire import iso
from postroad.foundation.telemetry import logger
from postroad.vocabulary.errors import Kind, PostroadError
from postroad.vocabulary.refusals import AccessDenied

if TYPE_CHECKING:
    from postroad.entrypoints.http.composition import HttpComposition

_LOG = logger(__name__)

MEDIA_TYPE = "application/problem+json"
_STATUS = {
    Kind.INVALID: 400,
    Kind.DENIED: 403,
    Kind.MISSING: 404,
    Kind.CONFLICT: 409,
    Kind.STALE: 412,
    Kind.BUSY: 429,
    Kind.UNAVAILABLE: 503,
    Kind.BUG: 500,
}
_STATUS_OF_CODE = {
    "AUTHENTICATION_REQUIRED": 401,
    "PRECONDITION_REQUIRED": 428,
    "PROVIDER_CONFIG_INVALID": 422,
    "CONFIG_INVALID": 422,
    "TEMPLATE_INVALID": 422,
    "ALREADY_RUNNING": 409,
}
_CODE_OF_STATUS = {
    400: "VALIDATION_FAILED",
    401: "AUTHENTICATION_REQUIRED",
    403: "ACCESS_DENIED",
    404: "RESOURCE_NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    413: "BODY_TOO_LARGE",
    415: "VALIDATION_FAILED",
    503: "OVERLOADED",
}
INTERNAL = "INTERNAL_ERROR"


def install(app: FastAPI, composition: "HttpComposition") -> None:
    """Makes `app` answer its errors as problems. What is not foreseen goes on to the outermost middleware too."""

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, PostroadError)
        await _note(request, error, composition)
        return problem_of(error, trace_of(request.scope))

    app.add_exception_handler(PostroadError, refused)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unforeseen)


def problem(
    status: int,
    code: str,
    detail: str,
    trace_id: str,
    *,
    errors: Sequence[Mapping[str, str]] = (),
    more: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The answer itself."""
    body = {
        "type": f"urn:postroad:error:{code.lower().replace('_', '-')}",
        "title": code.replace("_", " ").capitalize(),
        "status": status,
        "code": code,
        "detail": detail,
        "traceId": trace_id,
        "errors": list(errors),
        **(more or {}),
    }
    return Response(orjson.dumps(body), status, dict(headers or {}), MEDIA_TYPE)


def problem_of(error: PostroadError, trace_id: str) -> Response:
    """What a refusal of the program looks like on the wire."""
    status = status_of(error)
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        return internal(trace_id)
    headers = {}
    if error.retry_after_s is not None:
        headers["retry-after"] = str(max(1, math.ceil(error.retry_after_s)))
    if status == HTTPStatus.UNAUTHORIZED:
        headers["www-authenticate"] = "Bearer"
    head = getattr(error, "head", None)
    return problem(
        status,
        error.code,
        error.message,
        trace_id,
        errors=_fields_of(error),
        more={"current": _shown_head(head)} if head else None,
        headers=headers,
    )


def status_of(error: PostroadError) -> int:
    return _STATUS_OF_CODE.get(error.code, _STATUS[error.kind])


def internal(trace_id: str) -> Response:
    """The answer when something happened that nobody foresaw."""
    return problem(
        500, INTERNAL, f"this should not have happened; the log has the details under trace id {trace_id}", trace_id
    )


def _shown_head(head: Mapping[str, object]) -> dict[str, object]:
    """The head as views are shown: camelCase, instants as text."""
    return dict(_shown_part(to_camel(name) if "_" in name else name, value) for name, value in head.items())


def _shown_part(name: str, value: object) -> tuple[str, object]:
    return (name.removesuffix("Ms"), iso(value)) if name.endswith("AtMs") and isinstance(value, int) else (name, value)


def _fields_of(error: PostroadError) -> list[dict[str, str]]:
    problems = getattr(error, "problems", ())
    if problems:
        return [{"path": one.path, "code": one.code, "message": one.message} for one in problems]
    return [{"path": error.field, "code": error.code, "message": error.message}] if error.field else []


async def _note(request: Request, error: PostroadError, composition: "HttpComposition") -> None:
    """Denials of known callers go into the audit, errors that are bugs into the log."""
    if status_of(error) == HTTPStatus.INTERNAL_SERVER_ERROR:
        _LOG.error("request.refused_by_bug", exc_info=error)
    caller = getattr(request.state, "caller", None)
    if not isinstance(error, AccessDenied) or caller is None:
        return
    try:
        await composition.pool.run(
            lambda: composition.record_denial(caller.principal, error, caller.trace_id, caller.address)
        )
    except PostroadError:
        _LOG.exception("audit.denial_lost", message="a refusal could not be written into the audit")


async def _unreadable(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = [_unreadable_field(one) for one in error.errors()]
    detail = f"{errors[0]['path'] or 'the body'}: {errors[0]['message']}" if errors else "the request cannot be read"
    return problem(400, "VALIDATION_FAILED", detail, trace_of(request.scope), errors=errors)


def _unreadable_field(one: Mapping[str, Any]) -> dict[str, str]:
    path = ".".join(str(part) for part in one["loc"][1:])
    if one["type"] == "json_invalid":
        return {"path": "", "code": "json_invalid", "message": f"is not JSON: {one['ctx']['error']}"}
    return {"path": path, "code": str(one["type"]), "message": str(one["msg"]).removeprefix("Value error, ")}


async def _unforeseen(request: Request, _: Exception) -> Response:
    return internal(trace_of(request.scope))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = error.status_code
    code = _CODE_OF_STATUS.get(status, "VALIDATION_FAILED" if status < 500 else INTERNAL)
    return problem(status, code, _told(status, request), trace_of(request.scope), headers=error.headers)


def _told(status: int, request: Request) -> str:
    if status == HTTPStatus.NOT_FOUND:
        return f"there is nothing at {request.url.path[:200]}"
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        return f"{request.method} is not possible at {request.url.path[:200]}"
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return "the body is larger than this route takes"
    return HTTPStatus(status).phrase
