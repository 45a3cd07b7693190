"""A confirmation cannot be forged, bent, used elsewhere or kept."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.flows.sending.confirmations import LASTS_MS, Bound, ConfirmationKey, ConfirmationStale
from postroad.vocabulary.refusals import ValidationFailed

KEY = ConfirmationKey(b"k" * 32)
BOUND = Bound("run", "workspace-1", "job-1", "user:1", {"job": 3, "account": ["a", 1], "audience": "s-1"})
NOW = 1_800_000_000_000
TOKEN = KEY.seal(BOUND, "confirmation-1", NOW).text


def changed(**parts: object) -> Bound:
    from dataclasses import replace

    return replace(BOUND, **parts)  # type: ignore[arg-type]


def test_what_was_sealed_opens() -> None:
    assert KEY.open(TOKEN, BOUND, NOW) == "confirmation-1"
    assert KEY.open(TOKEN, BOUND, NOW + LASTS_MS - 1) == "confirmation-1"


def test_it_lasts_five_minutes() -> None:
    with pytest.raises(ConfirmationStale, match="five minutes"):
        KEY.open(TOKEN, BOUND, NOW + LASTS_MS)


@pytest.mark.parametrize(
    "other",
    [
        {"purpose": "resend"},
        {"workspace_id": "workspace-2"},
        {"subject_id": "job-2"},
        {"actor": "user:2"},
    ],
)
def test_it_is_for_one_purpose_place_and_person(other: dict[str, object]) -> None:
    with pytest.raises(ValidationFailed, match="not one for this"):
        KEY.open(TOKEN, changed(**other), NOW)


@pytest.mark.parametrize(
    ("parts", "names"),
    [
        ({"job": 4, "account": ["a", 1], "audience": "s-1"}, ["job"]),
        ({"job": 3, "account": ["a", 2], "audience": "s-2"}, ["account", "audience"]),
        ({"job": 3, "account": ["a", 1]}, ["audience"]),
        ({"job": 3, "account": ["a", 1], "audience": "s-1", "message": 1}, ["message"]),
    ],
)
def test_it_says_what_changed(parts: dict[str, object], names: list[str]) -> None:
    with pytest.raises(ConfirmationStale) as refused:
        KEY.open(TOKEN, changed(parts=parts), NOW)

    assert refused.value.head["changed"] == names
    assert ", ".join(names) in refused.value.message


def test_another_key_opens_nothing() -> None:
    with pytest.raises(ValidationFailed):
        ConfirmationKey(b"x" * 32).open(TOKEN, BOUND, NOW)


@given(st.integers(0, len(TOKEN) - 1), st.sampled_from("ABCabc012-_=é. "))
def test_a_bent_token_opens_nothing(place: int, character: str) -> None:
    bent = TOKEN[:place] + character + TOKEN[place + 1 :]
    if bent == TOKEN or _bytes(bent) == _bytes(TOKEN):
        return
    with pytest.raises(ValidationFailed):
        KEY.open(bent, BOUND, NOW)


@given(st.text(max_size=200) | st.binary(max_size=300).map(lambda raw: base64.urlsafe_b64encode(raw).decode()))
def test_a_made_up_token_opens_nothing(text: str) -> None:
    with pytest.raises(ValidationFailed):
        KEY.open(text, BOUND, NOW)


@given(st.integers(0, len(TOKEN) - 1))
def test_a_cut_token_opens_nothing(length: int) -> None:
    with pytest.raises(ValidationFailed):
        KEY.open(TOKEN[:length], BOUND, NOW)


def test_an_endless_token_is_not_even_read() -> None:
    with pytest.raises(ValidationFailed):
        KEY.open("A" * 5000, BOUND, NOW)


def test_a_short_key_is_none() -> None:
    with pytest.raises(ValueError, match="32"):
        ConfirmationKey(b"short")


def _bytes(text: str) -> bytes | None:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        return None
