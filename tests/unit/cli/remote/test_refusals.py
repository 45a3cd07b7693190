"""What a service refuses, in one line with its code and the way out."""

import json

import pytest

from postroad.egress.calls import Reply
from postroad.entrypoints.cli.remote.access.refusals import NotOurService, ServiceRefused, refusal_of
from postroad.vocabulary.errors import Kind, PostroadError

URL = "https://post.example.com"


def refusal(status: int, body: object, *, media: str = "application/problem+json", **headers: str) -> PostroadError:
    shown = (("content-type", media), *((name.replace("_", "-"), value) for name, value in headers.items()))
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return refusal_of(Reply(status, shown, content), URL, by_token=False)


def problem(code: str, detail: str, *errors: tuple[str, str]) -> dict[str, object]:
    return {"code": code, "detail": detail, "errors": [{"path": path, "message": said} for path, said in errors]}


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, Kind.INVALID),
        (403, Kind.DENIED),
        (404, Kind.MISSING),
        (409, Kind.CONFLICT),
        (412, Kind.STALE),
        (422, Kind.INVALID),
        (428, Kind.INVALID),
        (429, Kind.BUSY),
        (500, Kind.UNAVAILABLE),
        (503, Kind.UNAVAILABLE),
    ],
)
def test_a_problem_keeps_its_code_and_its_status_says_the_kind(status: int, kind: Kind) -> None:
    error = refusal(status, problem("SOME_CODE", "what is wrong"))
    assert isinstance(error, ServiceRefused)
    assert (error.code, error.kind, error.message) == ("SOME_CODE", kind, "what is wrong")


def test_one_field_is_told_by_the_detail_alone_and_several_one_by_one() -> None:
    assert refusal(400, problem("X", "name: is empty", ("name", "name: is empty"))).message == "name: is empty"
    several = problem("X", "name: is empty", ("name", "name: is empty"), ("rate", "write 100/s"))
    assert refusal(400, several).message == "name: is empty\n  name: is empty\n  rate: write 100/s"


def test_a_time_to_wait_is_told() -> None:
    error = refusal(429, problem("RATE_LIMITED", "too many requests"), retry_after="7")
    assert error.message == "too many requests; try again in 7 s"
    assert error.retry_after_s == 7


def test_a_session_that_is_over_names_the_way_in() -> None:
    assert "postroad login" in refusal(401, problem("AUTHENTICATION_REQUIRED", "sign in first")).message
    reply = Reply(401, (("content-type", "application/problem+json"),), b"{}")
    assert "revoked" in refusal_of(reply, URL, by_token=True).message


@pytest.mark.parametrize(
    ("status", "body", "media"),
    [(502, b"<html>Bad Gateway</html>", "text/html"), (404, b"{", "application/problem+json"), (500, b"", "")],
    ids=["a proxy", "half a problem", "nothing"],
)
def test_what_is_no_problem_of_ours_names_the_address(status: int, body: bytes, media: str) -> None:
    error = refusal(status, body, media=media)
    assert isinstance(error, NotOurService)
    assert f"{URL} does not answer as Postroad does (HTTP {status})" in error.message


def test_a_redirect_is_told_and_not_followed() -> None:
    error = refusal(301, b"", media="text/html", location="https://elsewhere.example.com/")
    assert "https://elsewhere.example.com/" in error.message
