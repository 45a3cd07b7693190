"""Every request is signed over exactly the bytes that go out, whatever the row holds."""

import hashlib
import itertools
import json
from urllib.parse import parse_qsl

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders.aliyun_emulator import canonical_request, signature
from tests.builders.provider_context import HandClock

from postroad.egress import Target, WireRequest
from postroad.providers.aliyun_sms.calls import Calls, Credentials
from postroad.providers.aliyun_sms.message import Sms
from postroad.vocabulary.secret import Secret

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
NONCES = itertools.count()
CALLS = Calls(
    Target.of("https://dysmsapi.aliyuncs.com"),
    Credentials("testId", Secret("testSecret"), Secret("token-1")),
    HandClock(),
    lambda: f"nonce-{next(NONCES)}",
)


def sms(sign_name: str, value: str) -> Sms:
    return Sms("13800138000", sign_name, json.dumps({"n": value}, ensure_ascii=False).encode(), "")


def checked(call: WireRequest) -> tuple[dict[str, str], dict[str, str]]:
    """Query and form of a request whose signature holds."""
    head, _, body = call.wire.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    word, signed, given = headers["authorization"].split(",")
    names = signed.removeprefix("SignedHeaders=").split(";")
    query = parse_qsl(path.partition("?")[2], keep_blank_values=True)
    assert word == "ACS3-HMAC-SHA256 Credential=testId"
    assert {name for name in headers if name.startswith("x-acs-")} | {"host"} <= set(names)
    assert "x-acs-security-token" in names
    assert headers["x-acs-content-sha256"] == hashlib.sha256(body).hexdigest()
    assert given == "Signature=" + signature("testSecret", canonical_request(method, query, headers, names))
    return dict(query), dict(parse_qsl(body.decode(), keep_blank_values=True))


@settings(max_examples=60, deadline=None)
@given(TEXT, TEXT)
def test_a_single_call_carries_what_the_row_holds(sign_name: str, value: str) -> None:
    query, form = checked(CALLS.send_sms(sms(sign_name, value), "SMS_1", "item-1"))
    assert query["SignName"] == sign_name
    assert json.loads(query["TemplateParam"]) == {"n": value}
    assert form == {}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), min_size=2, max_size=5))
def test_a_batch_keeps_rows_at_their_index(rows: list[tuple[str, str]]) -> None:
    query, form = checked(CALLS.send_batch([sms(*row) for row in rows], "SMS_1", "item-1", "90"))
    assert query == {"TemplateCode": "SMS_1", "OutId": "item-1"}
    assert json.loads(form["SignNameJson"]) == [sign_name for sign_name, _ in rows]
    assert json.loads(form["TemplateParamJson"]) == [{"n": value} for _, value in rows]
    assert json.loads(form["PhoneNumberJson"]) == ["13800138000"] * len(rows)
    assert json.loads(form["SmsUpExtendCodeJson"]) == ["90"] * len(rows)


def test_the_check_is_signed_and_asks_for_the_day_in_beijing() -> None:
    query, _ = checked(CALLS.query_nothing())
    assert query["SendDate"] == "20261130"
    late = Calls(
        Target.of("https://dysmsapi.aliyuncs.com"),
        Credentials("testId", Secret("testSecret"), Secret("token-1")),
        HandClock(HandClock().now + 5 * 3_600_000),
        lambda: "nonce",
    )
    assert checked(late.query_nothing())[0]["SendDate"] == "20261201"
