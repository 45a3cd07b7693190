"""Webhooks that come in: each scheme on published or hand-computed vectors, and all that is not quite one."""

import base64
import hashlib
import hmac

import pytest

from postroad.foundation.webhooks import Refusal, Scheme, key_of, verify
from postroad.vocabulary.errors import InvalidInput
from postroad.vocabulary.secret import Secret

SECRET = Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
NOW, BODY = 1614265330, b'{"test": 2432232314}'
POSTROAD = "2e37df5d4a028c51a7f3133d64ae1e300d2c2c900f1b1d49d4369ad2530f8964"
STANDARD = "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
GITHUB = "80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c"
SLACK = "cddefca50684fde6ab7a4b4868a953cc180e93a68f4ad4f0a13b91731cd987fa"
ID = "msg_p5jXN8AQM9LWM0D4loKWxJek"

GOOD: dict[Scheme, dict[str, str]] = {
    Scheme.POSTROAD: {"x-postroad-signature": f"sha256={POSTROAD}", "x-postroad-timestamp": str(NOW)},
    Scheme.STANDARD: {"webhook-signature": f"v1,{STANDARD}", "webhook-timestamp": str(NOW), "webhook-id": ID},
    Scheme.GITHUB: {"x-hub-signature-256": f"sha256={GITHUB}", "x-github-delivery": "72d3162e"},
    Scheme.STRIPE: {"stripe-signature": f"t={NOW},v1={POSTROAD}"},
    Scheme.SLACK: {"x-slack-signature": f"v0={SLACK}", "x-slack-request-timestamp": str(NOW)},
}
SIGNING = {
    Scheme.POSTROAD: "x-postroad-signature",
    Scheme.STANDARD: "webhook-signature",
    Scheme.GITHUB: "x-hub-signature-256",
    Scheme.STRIPE: "stripe-signature",
    Scheme.SLACK: "x-slack-signature",
}


def _refusal(
    scheme: Scheme, headers: dict[str, str] | list[tuple[bytes, bytes]], body: bytes = BODY, now_s: int = NOW
) -> Refusal | None:
    pairs = headers if isinstance(headers, list) else _raw(headers)
    return verify(scheme, key_of(scheme, SECRET), pairs, body, now_s=now_s).refusal


def _raw(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]


@pytest.mark.parametrize("scheme", Scheme)
def test_the_vector_of_each_scheme_verifies(scheme: Scheme) -> None:
    assert _refusal(scheme, GOOD[scheme]) is None


def test_the_example_of_githubs_documentation_verifies() -> None:
    signature = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    headers = _raw({"x-hub-signature-256": f"sha256={signature}", "x-github-delivery": "1"})
    assert verify(Scheme.GITHUB, b"It's a Secret to Everybody", headers, b"Hello, World!", now_s=0).refusal is None


def test_the_example_of_slacks_documentation_verifies() -> None:
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V"
        b"&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text="
        b"&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
        b"&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    )
    signature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
    headers = _raw({"x-slack-signature": signature, "x-slack-request-timestamp": "1531420618"})
    key = b"8f742231b10e8888abcd99yyyzzz85a5"
    assert verify(Scheme.SLACK, key, headers, body, now_s=1531420618).refusal is None


@pytest.mark.parametrize("scheme", Scheme)
@pytest.mark.parametrize("other", Scheme)
def test_no_scheme_takes_the_headers_of_another(scheme: Scheme, other: Scheme) -> None:
    if scheme is not other:
        assert _refusal(scheme, GOOD[other]) is Refusal.HEADER_MISSING


@pytest.mark.parametrize("scheme", Scheme)
def test_one_changed_byte_is_refused(scheme: Scheme) -> None:
    assert _refusal(scheme, GOOD[scheme], BODY + b" ") is Refusal.SIGNATURE


@pytest.mark.parametrize("scheme", [one for one in Scheme if one is not Scheme.GITHUB])
def test_a_clock_may_be_five_minutes_off_and_no_second_more(scheme: Scheme) -> None:
    for skew in (300, -300):
        assert _refusal(scheme, GOOD[scheme], now_s=NOW + skew) is None
    for skew in (301, -301):
        assert _refusal(scheme, GOOD[scheme], now_s=NOW + skew) is Refusal.TIME


@pytest.mark.parametrize("scheme", Scheme)
def test_a_header_that_comes_twice_is_refused(scheme: Scheme) -> None:
    twice = _raw(GOOD[scheme]) + _raw({SIGNING[scheme]: GOOD[scheme][SIGNING[scheme]]})
    assert _refusal(scheme, twice) is Refusal.HEADER_MALFORMED


@pytest.mark.parametrize("scheme", Scheme)
@pytest.mark.parametrize(
    "value", ["", "sha256=", "v1,é", "v1,!!!!", "sha256=zz", "t=1", "v0=é", "\xff" * 80, "x" * 5000]
)
def test_a_signature_of_no_form_is_refused_and_breaks_nothing(scheme: Scheme, value: str) -> None:
    assert _refusal(scheme, GOOD[scheme] | {SIGNING[scheme]: value}) is Refusal.HEADER_MALFORMED


@pytest.mark.parametrize("time", ["", "12.7", " 12 ", "-1", "1e9", "١٢٣", "9" * 40, "1614265330\n"])
def test_a_time_that_is_no_plain_number_of_seconds_is_refused(time: str) -> None:
    raw = [(b"x-postroad-signature", f"sha256={POSTROAD}".encode()), (b"x-postroad-timestamp", time.encode())]
    assert _refusal(Scheme.POSTROAD, raw) is Refusal.HEADER_MALFORMED


def test_of_several_signatures_of_a_rotation_one_must_match_and_ten_are_the_most() -> None:
    wrong = base64.b64encode(bytes(32)).decode()
    few = " ".join([f"v1,{wrong}"] * 9 + [f"v1,{STANDARD}"])
    many = " ".join([f"v1,{wrong}"] * 10 + [f"v1,{STANDARD}"])
    assert _refusal(Scheme.STANDARD, GOOD[Scheme.STANDARD] | {"webhook-signature": few}) is None
    assert _refusal(Scheme.STANDARD, GOOD[Scheme.STANDARD] | {"webhook-signature": many}) is Refusal.HEADER_MALFORMED
    flood = ",".join(["v1=" + "0" * 64] * 10_000)
    assert _refusal(Scheme.STRIPE, {"stripe-signature": f"t={NOW},{flood}"}) is Refusal.HEADER_MALFORMED


def test_an_asymmetric_signature_beside_ours_is_passed_over() -> None:
    both = f"v1a,abc v1,{STANDARD}"
    assert _refusal(Scheme.STANDARD, GOOD[Scheme.STANDARD] | {"webhook-signature": both}) is None


def test_a_signature_of_one_convention_is_none_of_the_other() -> None:
    body = b'{"x":1}'
    key = key_of(Scheme.STANDARD, SECRET)
    standard = base64.b64encode(hmac.digest(key, b"1699999999.1700000000." + body, "sha256"))
    headers = {
        "x-postroad-signature": "sha256=" + base64.b64decode(standard).hex(),
        "x-postroad-timestamp": "1699999999",
    }
    assert _refusal(Scheme.POSTROAD, headers, b"1700000000." + body, 1699999999) is Refusal.SIGNATURE


def test_bytes_that_are_no_text_verify_as_bytes() -> None:
    body = b"\xff\x00\xfe"
    signature = hmac.new(SECRET.reveal().encode(), body, hashlib.sha256).hexdigest()
    headers = {"x-hub-signature-256": f"sha256={signature}", "x-github-delivery": "1"}
    assert _refusal(Scheme.GITHUB, headers, body) is None


def test_what_tells_a_repeat_is_found_where_each_scheme_has_it() -> None:
    def found(scheme: Scheme, headers: dict[str, str], body: bytes) -> str | None:
        return verify(scheme, key_of(scheme, SECRET), _raw(headers), body, now_s=NOW).message_id

    body = b'{"id": "evt_1"}'
    signature = hmac.digest(SECRET.reveal().encode(), f"{NOW}.".encode() + body, "sha256").hex()
    assert found(Scheme.STANDARD, GOOD[Scheme.STANDARD], BODY) == ID
    assert found(Scheme.GITHUB, GOOD[Scheme.GITHUB], BODY) == "72d3162e"
    assert found(Scheme.STRIPE, {"stripe-signature": f"t={NOW},v1={signature}"}, body) == "evt_1"
    assert found(Scheme.POSTROAD, GOOD[Scheme.POSTROAD], BODY) is None


def test_our_conventions_want_a_secret_of_their_form() -> None:
    with pytest.raises(InvalidInput):
        key_of(Scheme.STANDARD, Secret("whsk_abc"))
    assert key_of(Scheme.SLACK, Secret("anything")) == b"anything"
