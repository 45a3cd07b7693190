"""What stands on the wire, byte for byte where it matters."""

import base64
import hashlib
import hmac
from typing import Any

import pytest
from tests.builders.http_service import Reply
from tests.providers.http.sending import KEY, channel

from postroad.egress import Egress
from postroad.providers.http import HttpProvider
from postroad.spi import ConfigDocument, Recipient, RenderError, Verdict, capabilities_of

OK = Reply(200)


async def test_the_example_of_the_design_goes_out_as_written() -> None:
    """Spec wepush §16.1 and §16.2."""
    account = {
        "defaultHeaders": {"User-Agent": "WePush-Next"},
        "auth": {"type": "BEARER", "token": {"$secret": "http-account-token"}},
        "connectTimeout": "PT5S",
    }
    message = {
        "method": "POST",
        "path": "/notify",
        "headers": {"Content-Type": "application/json"},
        "query": {},
        "bodyTemplate": '{"mobile":"{{mobile}}","content":"{{content}}"}',
        "successCondition": {"status": [200, 201], "jsonPath": "$.success", "equals": True},
        "saveResponseBody": False,
    }
    async with channel(Reply(201, b'{"success":true}'), message, account) as open_channel:
        result = await open_channel.send(mobile="13800138000", content="你好")
    (taken,) = open_channel.service.taken
    body = '{"mobile":"13800138000","content":"你好"}'.encode()
    assert (
        taken.raw
        == (
            f"POST /notify HTTP/1.1\r\nHost: 127.0.0.1:{open_channel.service.port}\r\nUser-Agent: WePush-Next\r\n"
            "Content-Type: application/json\r\nAuthorization: Bearer secret-of-http-account-token\r\n"
            f"Accept-Encoding: identity\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode()
        + body
    )
    assert (result.verdict, result.code, result.body) == (Verdict.ACCEPTED, "HTTP_201", None)


async def test_a_path_joins_the_base_and_encodes_its_fields() -> None:
    message = {"path": "/users/{{ id }}/mail", "query": {"q": "a&b={{ id }}", "lang": "{{ lang | lower }}"}}
    async with channel(OK, message, {}) as open_channel:
        await open_channel.send(id="a/b?c#d é", lang="ZH")
    (taken,) = open_channel.service.taken
    assert taken.target == "/users/a%2Fb%3Fc%23d%20%C3%A9/mail?lang=zh&q=a%26b%3Da%2Fb%3Fc%23d%20%C3%A9"
    assert taken.query == {"q": "a&b=a/b?c#d é", "lang": "zh"}


@pytest.mark.parametrize("path", ["/{{ id }}", "/x/{{ id | default('') }}/y"])
async def test_a_row_never_reaches_the_host_or_leaves_the_path(path: str) -> None:
    async with channel(OK, {"path": path}) as open_channel:
        await open_channel.send(id="//evil.example/@evil.example:80")
        with pytest.raises(RenderError):
            await open_channel.send(id="..")
    (taken,) = open_channel.service.taken
    assert taken.headers["host"] == f"127.0.0.1:{open_channel.service.port}"
    assert "//" not in taken.target


async def test_a_form_is_encoded_by_the_form_rules() -> None:
    message = {"bodyType": "FORM", "bodyTemplate": {"to": "{{ to }}", "text": "Hi {{ name }} & co"}}
    async with channel(OK, message) as open_channel:
        await open_channel.send(to="+86 138", name="张=&")
    (taken,) = open_channel.service.taken
    assert taken.body == b"text=Hi+%E5%BC%A0%3D%26+%26+co&to=%2B86+138"
    assert taken.headers["content-type"] == "application/x-www-form-urlencoded"


async def test_a_json_text_keeps_its_order_of_keys() -> None:
    async with channel(OK, {"bodyTemplate": '{"z": 1, "a": "{{ a }}"}'}) as open_channel:
        await open_channel.send(a="x")
    assert open_channel.service.taken[0].body == b'{"z":1,"a":"x"}'


async def test_regression_a_text_above_the_receivers_limit_is_refused_not_dropped() -> None:
    """Fault report 46: 2001 characters were silently dropped by the receiver. The limit is in bytes, as encoded."""
    message = {"bodyTemplate": {"content": "{{ text }}"}, "maxBodyBytes": 2014}
    async with channel(OK, message) as open_channel:
        assert (await open_channel.send(text="x" * 2000)).verdict is Verdict.ACCEPTED
        with pytest.raises(RenderError, match=r"2017 bytes.*2014"):
            await open_channel.send(text="x" * 2001 + "é")
    assert len(open_channel.service.taken) == 1


async def test_a_text_body_goes_as_it_is() -> None:
    message = {"bodyType": "TEXT", "bodyTemplate": "Hi {{ name }}\n"}
    async with channel(OK, message) as open_channel:
        await open_channel.send(name="O'Brien <b>&\"\n")
    (taken,) = open_channel.service.taken
    assert taken.body == b"Hi O'Brien <b>&\"\n\n"
    assert taken.headers["content-type"] == "text/plain; charset=utf-8"


async def test_a_get_has_no_body_and_a_post_without_one_says_so() -> None:
    async with channel(OK, {"method": "GET"}) as open_channel:
        await open_channel.send()
    (taken,) = open_channel.service.taken
    assert "content-length" not in taken.headers
    assert "content-type" not in taken.headers
    async with channel(OK, {}) as open_channel:
        await open_channel.send()
    (taken,) = open_channel.service.taken
    assert taken.headers["content-length"] == "0"


async def test_a_header_of_the_message_wins_over_the_accounts() -> None:
    account = {"defaultHeaders": {"X-Kind": "default", "X-Other": "kept", "X-Row": "default"}}
    message = {"headers": {"x-kind": "own", "X-Row": "{{ name }}"}}
    async with channel(OK, message, account) as open_channel:
        await open_channel.send(name="张三")
    (taken,) = open_channel.service.taken
    assert (taken.headers["x-kind"], taken.headers["x-other"], taken.headers["x-row"]) == ("own", "kept", "张三")
    assert taken.raw.lower().count(b"x-kind") == 1
    assert taken.raw.lower().count(b"x-row") == 1


@pytest.mark.parametrize(
    ("auth", "name", "value"),
    [
        (
            {"type": "BASIC", "username": "ann", "password": {"$secret": "pw"}},
            "authorization",
            "Basic " + base64.b64encode(b"ann:secret-of-pw").decode(),
        ),
        ({"type": "BEARER", "token": {"$secret": "t"}}, "authorization", "Bearer secret-of-t"),
        ({"type": "HEADER", "header": "X-Api-Key", "value": {"$secret": "k"}}, "x-api-key", "secret-of-k"),
        (
            {"type": "HEADER", "header": "Authorization", "value": {"$secret": "k"}, "prefix": "Key "},
            "authorization",
            "Key secret-of-k",
        ),
    ],
)
async def test_authentication_stands_in_its_header(auth: dict[str, Any], name: str, value: str) -> None:
    async with channel(OK, {}, {"auth": auth}) as open_channel:
        await open_channel.send()
    (taken,) = open_channel.service.taken
    assert taken.headers[name] == value


async def test_a_signature_covers_the_bytes_sent_and_is_new_for_each_attempt() -> None:
    auth = {
        "type": "HMAC",
        "key": {"$secret": "k"},
        "header": "X-Signature",
        "prefix": "sha256=",
        "timestampHeader": "X-Time",
    }
    async with channel(OK, {"bodyTemplate": {"a": "{{ a }}"}}, {"auth": auth}) as open_channel:
        await open_channel.send(a="1")
        open_channel.clock.at_ms += 61 * 60 * 1000
        await open_channel.send(a="1")
    times = []
    for taken in open_channel.service.taken:
        signed = taken.headers["x-time"].encode() + b"." + taken.body
        expected = hmac.new(b"secret-of-k", signed, hashlib.sha256).hexdigest()
        assert taken.headers["x-signature"] == f"sha256={expected}"
        times.append(int(taken.headers["x-time"]))
    assert times == [1_445_412_420, 1_445_412_420 + 3660]


async def test_the_idempotency_key_stays_the_same_over_attempts() -> None:
    account = {"idempotency": {"header": "Idempotency-Key", "keptFor": "PT24H"}}
    async with channel(OK, {}, account) as open_channel:
        await open_channel.send()
        await open_channel.send()
    assert [taken.headers["idempotency-key"] for taken in open_channel.service.taken] == [KEY, KEY]


def test_idempotency_is_an_ability_of_the_configured_service() -> None:
    provider = HttpProvider(Egress())
    message = ConfigDocument.of("http/message", "1", {"path": "/"})
    plain = ConfigDocument.of("http/account", "1", {"baseUrl": "https://example.com"})
    keeping = {"baseUrl": "https://example.com", "idempotency": {"header": "Idempotency-Key", "keptFor": "P1DT1H"}}
    assert not capabilities_of(provider, plain, message).idempotency
    found = capabilities_of(provider, ConfigDocument.of("http/account", "1", keeping), message)
    assert (found.idempotency, found.idempotency_kept_for_s) == (True, 90_000.0)


def test_a_preview_shows_the_request_and_masks_what_is_secret() -> None:
    provider = HttpProvider(Egress())
    account = ConfigDocument.of(
        "http/account",
        "1",
        {
            "baseUrl": "https://example.com/v1/",
            "auth": {"type": "HEADER", "header": "X-Key", "value": {"$secret": "k"}, "prefix": "Key "},
        },
    )
    message = ConfigDocument.of(
        "http/message",
        "1",
        {"path": "/{{ id }}", "headers": {"X-Name": "{{ name }}"}, "bodyTemplate": {"to": "{{ name }}"}},
    )
    renderer = provider.compile(account, message)
    preview = renderer.preview(renderer.render(Recipient(0, {"id": 7, "name": "张三"}, 2)))
    assert preview.headline == "POST https://example.com/v1/7"
    assert preview.parts == {
        "headers": "Content-Type: application/json\nX-Key: Key ••••••\nX-Name: 张三",
        "body": '{"to":"张三"}',
    }
    assert preview.size_bytes == 15
    assert provider.endpoints(account, message) == ("example.com:443",)


def test_regression_a_credential_written_into_a_header_was_kept_in_the_folder() -> None:
    account = ConfigDocument.of("a", "1", {"baseUrl": "https://api.example.org"})
    fixed, of_a_row = (
        ConfigDocument.of("m", "1", {"path": "/", "headers": {"Proxy-Authorization": value}})
        for value in ("Basic canary", "Basic {{ token }}")
    )
    provider = HttpProvider(Egress())

    (problem,) = provider.validate_message(account, fixed)

    assert (problem.field, "canary" in problem.message) == ("headers.Proxy-Authorization", False)
    assert provider.validate_message(account, of_a_row) == []
