"""What the service answered when it did not do what was asked: one error, with the code of the service."""

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from postroad.entrypoints.cli.texts import say
from postroad.vocabulary.errors import Kind, PostroadError

if TYPE_CHECKING:
    from postroad.egress.calls import Reply

_KINDS = {
    400: Kind.INVALID,
    401: Kind.DENIED,
    403: Kind.DENIED,
    404: Kind.MISSING,
    409: Kind.CONFLICT,
    412: Kind.STALE,
    429: Kind.BUSY,
}
_MOST_SHOWN = 20


class ServiceRefused(PostroadError):
    """The code, the message and the fields are the service's."""

    def __init__(self, status: int, problem: dict[str, Any], retry_after_s: float | None = None) -> None:
        self.status = status
        self.code = str(problem.get("code", "INTERNAL"))
        self.kind = _KINDS.get(status, Kind.INVALID if status < HTTPStatus.INTERNAL_SERVER_ERROR else Kind.UNAVAILABLE)
        self.problem = problem
        super().__init__(_told(problem, status, retry_after_s), retry_after_s=retry_after_s)


class NotOurService(PostroadError):
    """Something else answers at the address, or something in between."""

    code = "EGRESS_FAILED"
    kind = Kind.UNAVAILABLE


def refusal_of(reply: "Reply", url: str, *, by_token: bool) -> PostroadError:
    """The error for an answer that is no success."""
    if HTTPStatus.MULTIPLE_CHOICES <= reply.status < HTTPStatus.BAD_REQUEST:
        to = reply.header("location")
        return NotOurService(
            say(
                "{url} sends on to {to}, which is not followed; sign in there: postroad login --url URL", url=url, to=to
            )
        )
    problem = problem_in(reply)
    if problem is None:
        return not_ours(url, reply.status)
    if reply.status == HTTPStatus.UNAUTHORIZED:
        problem = problem | {"detail": _let_in_again(by_token=by_token)}
    after = reply.header("retry-after")
    return ServiceRefused(reply.status, problem, float(after) if after.isascii() and after.isdigit() else None)


def not_ours(url: str, status: int) -> NotOurService:
    return NotOurService(
        say(
            "{url} does not answer as Postroad does (HTTP {status}); check the address and what stands in between",
            url=url,
            status=status,
        )
    )


def problem_in(reply: "Reply") -> dict[str, Any] | None:
    """The body of `application/problem+json`; None for anything else."""
    if not reply.header("content-type").startswith("application/problem+json"):
        return None
    try:
        value = json.loads(reply.body)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _let_in_again(*, by_token: bool) -> str:
    if by_token:
        return say("the token is not valid: it was revoked, is over, or is of another service")
    return say("the session is over; sign in again: postroad login")


def _told(problem: dict[str, Any], status: int, retry_after_s: float | None) -> str:
    said = str(problem.get("detail") or problem.get("title") or f"HTTP {status}")
    if retry_after_s is not None:
        said = say("{said}; try again in {n} s", said=said, n=round(retry_after_s))
    fields = [one for one in problem.get("errors") or [] if isinstance(one, dict)]
    if len(fields) <= 1:
        return said
    return "\n".join([said, *(f"  {_field(one)}" for one in fields[:_MOST_SHOWN])])


def _field(one: dict[str, Any]) -> str:
    path, message = str(one.get("path", "")), str(one.get("message", ""))
    return message if not path or message.startswith(path) else f"{path}: {message}"
