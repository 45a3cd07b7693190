"""What went wrong with a signature is found and said."""

import hashlib
import json

import pytest

from postroad.foundation.webhooks import (
    Code,
    Convention,
    Keys,
    WebhookMessage,
    explain,
    keys_of,
    new_secret,
    signed_headers,
)
from postroad.vocabulary.secret import Secret

SECRET = Secret("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
NOW = 1_700_000_000
BODY = '{"type":"run.completed","data":{"name":"张三"}}'.encode()


def _headers(body: bytes = BODY, keys: Keys | None = None, time: int = NOW) -> dict[str, str]:
    return dict(signed_headers([keys or keys_of(SECRET)], WebhookMessage("msg_1", "run.completed", time, body)))


def _codes(headers: dict[str, str], body: bytes = BODY, now_s: int = NOW) -> dict[Convention, Code]:
    return {one.convention: one.code for one in explain(SECRET, headers, body, now_s).findings}


def _both(code: Code) -> dict[Convention, Code]:
    return {Convention.POSTROAD: code, Convention.STANDARD: code}


def test_what_was_signed_is_valid_in_both_conventions() -> None:
    assert _codes(_headers()) == _both(Code.VALID)
    assert explain(SECRET, _headers(), BODY, NOW).is_valid


def test_names_of_headers_come_in_any_case() -> None:
    assert _codes({name.upper(): value for name, value in _headers().items()}) == _both(Code.VALID)


def test_a_rotation_with_two_signatures_is_valid_and_said() -> None:
    message = WebhookMessage("msg_1", "run.completed", NOW, BODY)
    headers = dict(signed_headers([keys_of(new_secret()), keys_of(SECRET)], message))
    found = explain(SECRET, headers, BODY, NOW)
    assert found.is_valid
    assert [one.signatures for one in found.findings] == [2, 2]


@pytest.mark.parametrize(("skew", "code"), [(300, Code.VALID), (-300, Code.VALID), (301, Code.CLOCK_SKEW)])
def test_a_time_too_far_away_is_a_matter_of_clocks(skew: int, code: Code) -> None:
    assert _codes(_headers(time=NOW + skew)) == _both(code)


def test_the_key_of_the_other_convention_is_recognised() -> None:
    right = keys_of(SECRET)
    assert _codes(_headers(keys=Keys(right.standard, right.postroad))) == _both(Code.WRONG_KEY_RULE)


@pytest.mark.parametrize(
    "received",
    [
        BODY + b"\n",
        json.dumps(json.loads(BODY)).encode(),
        json.dumps(json.loads(BODY), ensure_ascii=False).encode(),
        b"\xef\xbb\xbf" + BODY,
    ],
)
def test_a_body_that_was_written_again_is_recognised(received: bytes) -> None:
    assert _codes(_headers(), received) == _both(Code.BODY_REENCODED)


def test_another_secret_matches_nothing() -> None:
    assert _codes(_headers(keys=keys_of(new_secret()))) == _both(Code.NO_MATCH)


def test_a_time_in_milliseconds_is_recognised() -> None:
    headers = _headers() | {"X-Postroad-Timestamp": f"{NOW}000", "webhook-timestamp": f"{NOW}000"}
    assert _codes(headers) == _both(Code.TIME_IN_MILLISECONDS)


def test_a_signature_of_a_signature_is_recognised() -> None:
    keys = keys_of(SECRET)
    ours = _headers()["X-Postroad-Signature"].removeprefix("sha256=")
    again = _headers(ours.encode(), keys)
    assert _codes(again)[Convention.POSTROAD] is Code.TWICE_ENCODED


def test_a_signature_over_a_digest_of_the_body_is_recognised() -> None:
    digest = hashlib.sha256(BODY).hexdigest().encode()
    assert _codes(_headers(digest)) == _both(Code.WRONG_CONTENT)


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"webhook-signature": "v1,short"}, Code.HEADER_MALFORMED),
        ({"webhook-signature": "abc"}, Code.HEADER_MALFORMED),
        ({"webhook-signature": "v1a,AAAA"}, Code.HEADER_MALFORMED),
        ({"webhook-timestamp": "soon"}, Code.HEADER_MALFORMED),
        ({"webhook-id": ""}, Code.HEADER_MISSING),
        ({"webhook-signature": "v1,é" + "A" * 41 + "="}, Code.HEADER_MALFORMED),
    ],
)
def test_a_header_that_cannot_be_read_is_named(changed: dict[str, str], code: Code) -> None:
    assert _codes(_headers() | changed)[Convention.STANDARD] is code


def test_no_signature_at_all_is_said() -> None:
    found = explain(SECRET, {"content-type": "application/json"}, BODY, NOW)
    assert [one.code for one in found.findings] == [Code.HEADER_MISSING]
    assert not found.is_valid


def test_what_is_said_never_holds_the_secret_or_a_right_signature() -> None:
    found = explain(SECRET, _headers(keys=keys_of(new_secret())), BODY, NOW)
    right = _headers()
    for one in found.findings:
        assert SECRET.reveal() not in one.said
        assert right["webhook-signature"].removeprefix("v1,") not in one.said
