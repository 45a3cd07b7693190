"""What an answer, or its absence, comes to. Source: spec wepush §16.4."""

import json

import pytest
from tests.builders.http_service import Reply, Taken, http_service
from tests.providers.http.sending import NotCancelled, Secrets, StillClock, channel

from postroad.egress import Egress
from postroad.providers.http import HttpProvider
from postroad.providers.http.auth import make_auth
from postroad.spi import ConfigDocument, OpenContext, Recipient, SendRequest, Verdict
from postroad.vocabulary.errors import ConfigInvalid
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.secret import Secret


class Odd:
    """A store with one secret that needs care."""

    def __init__(self, text: str = 'a"b/éc') -> None:
        self._text = text

    def resolve(self, name: str) -> Secret:
        return Secret(self._text)


C = Category
KEEPING = {"idempotency": {"header": "Idempotency-Key", "keptFor": "PT24H"}}


@pytest.mark.parametrize(
    ("status", "category", "retry"),
    [
        (400, C.INVALID_REQUEST, False),
        (422, C.INVALID_REQUEST, False),
        (401, C.AUTHENTICATION, False),
        (403, C.AUTHORIZATION, False),
        (404, C.PERMANENT_REMOTE, False),
        (409, C.PERMANENT_REMOTE, False),
        (429, C.RATE_LIMITED, True),
        (500, C.TEMPORARY_REMOTE, True),
        (502, C.TEMPORARY_REMOTE, True),
        (503, C.TEMPORARY_REMOTE, True),
    ],
)
async def test_a_refusal_has_its_category(status: int, category: Category, retry: bool) -> None:
    async with channel(Reply(status), {}) as open_channel:
        result = await open_channel.send()
    assert (result.verdict, result.category, result.retry) == (Verdict.REFUSED, category, retry)
    assert result.code == f"HTTP_{status}"
    assert result.may_have_left == (status >= 500)
    assert not result.stop_run


@pytest.mark.parametrize("status", [408, 504])
async def test_a_timeout_answer_is_tried_again_only_under_a_key(status: int) -> None:
    async with channel(Reply(status), {}) as open_channel:
        result = await open_channel.send()
    assert (result.verdict, result.category, result.retry) == (Verdict.IN_DOUBT, C.TIMEOUT, False)
    async with channel(Reply(status), {}, KEEPING) as open_channel:
        result = await open_channel.send()
    assert (result.verdict, result.category, result.retry) == (Verdict.IN_DOUBT, C.TIMEOUT, True)


async def test_a_lost_connection_is_tried_again_only_under_a_key() -> None:
    async with channel(Reply(cut=True), {}) as open_channel:
        result = await open_channel.send()
    assert (result.verdict, result.category, result.retry) == (Verdict.IN_DOUBT, C.NETWORK, None)
    async with channel(Reply(cut=True), {}, KEEPING) as open_channel:
        result = await open_channel.send()
    assert (result.verdict, result.retry, result.may_have_left) == (Verdict.IN_DOUBT, True, True)


@pytest.mark.parametrize(
    ("header", "wait"),
    [("120", 120.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 60.0), ("nonsense", None)],
)
async def test_retry_after_is_passed_on(header: str, wait: float | None) -> None:
    for status in (429, 503):
        async with channel(Reply(status, headers=(("Retry-After", header),)), {}) as open_channel:
            result = await open_channel.send()
        assert result.retry_after_s == wait


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_never_followed(status: int) -> None:
    async with http_service(Reply(200)) as elsewhere:
        reply = Reply(status, headers=(("Location", f"http://127.0.0.1:{elsewhere.port}/"),))
        async with channel(reply, {}) as open_channel:
            result = await open_channel.send()
        assert elsewhere.taken == []
    assert (result.verdict, result.category, result.retry) == (Verdict.REFUSED, C.PERMANENT_REMOTE, False)
    assert "baseUrl" in result.summary


@pytest.mark.parametrize(
    ("body", "equals", "verdict"),
    [
        (b'{"code": 0}', 0, Verdict.ACCEPTED),
        (b'{"code": 0.0}', 0, Verdict.ACCEPTED),
        (b'{"code": null}', None, Verdict.ACCEPTED),
        (b'{"code": "ok"}', "ok", Verdict.ACCEPTED),
        (b'{"code": "0"}', 0, Verdict.REFUSED),
        (b'{"code": false}', 0, Verdict.REFUSED),
        (b'{"code": 1}', True, Verdict.REFUSED),
        (b'{"other": 0}', 0, Verdict.REFUSED),
        (b"{}", None, Verdict.REFUSED),
        (b"[]", 0, Verdict.REFUSED),
        (b"<html>", 0, Verdict.IN_DOUBT),
        (b"", 0, Verdict.IN_DOUBT),
    ],
)
async def test_the_value_in_the_answer_decides(body: bytes, equals: object, verdict: Verdict) -> None:
    message = {"successCondition": {"jsonPath": "$.code", "equals": equals}}
    async with channel(Reply(200, body), message) as open_channel:
        result = await open_channel.send()
    assert result.verdict is verdict
    expected = {Verdict.ACCEPTED: None, Verdict.REFUSED: C.PERMANENT_REMOTE, Verdict.IN_DOUBT: C.UNKNOWN}
    assert result.category is expected[verdict]


async def test_regression_a_failure_inside_a_good_status_is_reported_with_its_code() -> None:
    """Fault report 47: the caller heard success when the target had failed."""
    message = {"successCondition": {"jsonPath": "$.errcode", "equals": 0}}
    async with channel(Reply(200, b'{"errcode": 93000}'), message) as open_channel:
        result = await open_channel.send()
    assert (result.verdict, result.code, result.summary) == (Verdict.REFUSED, "HTTP_200", "$.errcode is 93000")


async def test_a_status_outside_the_list_is_no_success() -> None:
    async with channel(Reply(204, b""), {"successCondition": {"status": [200]}}) as open_channel:
        result = await open_channel.send()
    assert (result.verdict, result.category) == (Verdict.REFUSED, C.PERMANENT_REMOTE)


async def test_a_status_can_be_named_a_success() -> None:
    async with channel(Reply(409), {"successCondition": {"status": [200, 409]}}) as open_channel:
        result = await open_channel.send()
    assert result.verdict is Verdict.ACCEPTED


async def test_an_answer_cut_in_its_body_still_refuses_by_its_status() -> None:
    raw = b"HTTP/1.1 400 Bad\r\nContent-Length: 100\r\n\r\nhalf"
    replies = iter([Reply(raw=raw), Reply(raw=raw.replace(b"400 Bad", b"200 Yes"))])

    def once(_taken: Taken) -> Reply:
        return next(replies)

    message = {"successCondition": {"jsonPath": "$.code", "equals": 0}}
    async with channel(once, message) as open_channel:
        refused = await open_channel.send(timeout_s=0.2)
        doubtful = await open_channel.send(timeout_s=0.2)
    assert (refused.verdict, refused.category) == (Verdict.REFUSED, C.INVALID_REQUEST)
    assert doubtful.verdict is Verdict.IN_DOUBT


async def test_an_answer_is_kept_up_to_its_cap_and_marked() -> None:
    message = {"saveResponseBody": True, "maxResponseBytes": 10}
    async with channel(Reply(200, b"0123456789"), message) as open_channel:
        whole = await open_channel.send()
    async with channel(Reply(200, b"x" * 5000), message) as open_channel:
        cut = await open_channel.send()
    assert whole.body == b"0123456789"
    assert cut.body == b"x" * 10 + b"\n[truncated after 10 bytes]"


async def test_an_answer_is_not_kept_unless_asked() -> None:
    for status in (200, 400):
        async with channel(Reply(status, b"private"), {}) as open_channel:
            assert (await open_channel.send()).body is None


@pytest.mark.parametrize(
    "auth",
    [
        {"type": "BEARER", "token": {"$secret": "t"}},
        {"type": "BASIC", "username": "ann", "password": {"$secret": "t"}},
        {"type": "HEADER", "header": "X-Key", "value": {"$secret": "t"}},
    ],
)
async def test_a_service_that_repeats_our_secret_does_not_put_it_into_the_result(auth: dict[str, object]) -> None:
    def echo(taken: Taken) -> Reply:
        return Reply(200, json.dumps({"seen": list(taken.headers.values())[-4:], "code": "secret-of-t"}).encode())

    message = {"saveResponseBody": True, "successCondition": {"jsonPath": "$.code", "equals": 0}}
    async with channel(echo, message, {"auth": auth}) as open_channel:
        result = await open_channel.send()
    assert result.verdict is Verdict.REFUSED
    assert "secret-of-t" not in repr(result)
    assert "YW5uOnNlY3JldC1vZi10" not in repr(result)
    assert b"\xe2\x80\xa2" in (result.body or b"")


def test_a_secret_is_masked_in_every_form_it_may_come_back_in() -> None:
    auth = make_auth({"type": "BEARER", "token": {"$secret": "t"}}, Odd(), StillClock())
    assert auth.redact(
        b'plain a"b/\xc3\xa9c, json a\\"b/\xc3\xa9c, ascii a\\"b/\\u00e9c, url a%22b%2F%C3%A9c'
    ).decode() == ("plain ••••••, json ••••••, ascii ••••••, url ••••••")
    assert auth.redact(b'cut at a"b/', is_cut=True) == b"cut at "


def test_a_secret_that_cannot_stand_in_a_header_is_refused_and_not_repeated() -> None:
    for text in ("", "top\r\nX-Injected: 1"):
        with pytest.raises(ConfigInvalid) as caught:
            make_auth({"type": "BEARER", "token": {"$secret": "t"}}, Odd(text), StillClock())
        assert caught.value.field == "auth.token"
        assert "Injected" not in caught.value.message
    with pytest.raises(ConfigInvalid):
        make_auth({"type": "HMAC", "key": {"$secret": "k"}, "header": "X"}, Odd(""), StillClock())


async def test_the_request_id_is_read_from_the_header_named() -> None:
    reply = Reply(200, headers=(("X-Request-Id", "req-7"),))
    async with channel(reply, {}, {"requestIdHeader": "X-Request-ID"}) as open_channel:
        result = await open_channel.send()
    assert (result.verdict, result.request_id) == (Verdict.ACCEPTED, "req-7")


async def test_an_address_nobody_allowed_is_refused_and_ends_the_run() -> None:
    provider = HttpProvider(Egress())
    async with http_service(Reply(200)) as service:
        account = ConfigDocument.of("a", "1", {"baseUrl": f"http://127.0.0.1:{service.port}"})
        message = ConfigDocument.of("m", "1", {"path": "/"})
        session = await provider.open(OpenContext(account, message, Secrets(), StillClock(), NotCancelled()))
        rendered = provider.compile(account, message).render(Recipient(0, {}, 2))
        result = await session.send(SendRequest(0, 1, rendered, "key", 5.0))
        await session.aclose()
        assert service.taken == []
    assert (result.verdict, result.stop_run, result.retry) == (Verdict.REFUSED, True, False)


async def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with http_service(Reply(500)) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        async with channel(Reply(200), {}) as open_channel:
            result = await open_channel.send()
        assert proxy.taken == []
    assert result.verdict is Verdict.ACCEPTED
