"""The form of a token: what a scanner can be sure of, and what never reaches the database."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.modules.identity.parts.token_text import digest_of, is_token, new_token, shown_part

KNOWN = "pst_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP1GctnF"
"""CRC32 over the 42 letters is 1GctnF in base62: a vector of the public scheme."""


def test_a_known_token_has_the_right_form() -> None:
    assert is_token(KNOWN)


@pytest.mark.parametrize("place", range(4, 52))
def test_one_wrong_character_anywhere_is_noticed(place: int) -> None:
    wrong = "0" if KNOWN[place] != "0" else "1"
    assert not is_token(KNOWN[:place] + wrong + KNOWN[place + 1 :])


@pytest.mark.parametrize(
    "text", ["", "pst_", KNOWN[:-1], KNOWN + "0", KNOWN.upper(), " " + KNOWN, KNOWN + "\n", KNOWN.replace("a", "ａ")]
)
def test_what_has_another_form_is_no_token(text: str) -> None:
    assert not is_token(text)


@given(st.binary(min_size=64, max_size=64))
def test_whatever_the_randomness_the_token_has_the_right_form(first: bytes) -> None:
    drawn = [first]

    def entropy(count: int) -> bytes:
        return drawn.pop() if drawn else bytes(range(count))

    token = new_token(entropy)
    assert is_token(token)
    assert len(token) == 52


def test_every_letter_is_as_likely_as_any_other() -> None:
    """256 is no multiple of 62: bytes from 248 on are thrown away."""
    token = new_token(lambda count: bytes([255, 248, 0, 61, 62] * 20)[:count])
    assert set(token[4:46]) == {"0", "z"}


def test_lists_show_twelve_characters_and_the_database_keeps_a_digest() -> None:
    assert shown_part(KNOWN) == "pst_abcdefgh"
    assert digest_of(KNOWN) == hashlib.sha256(KNOWN.encode()).hexdigest()
