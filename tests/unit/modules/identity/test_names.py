"""Usernames: shown as given, compared after NFKC and case folding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.modules.identity.parts.names import (
    clean_display_name,
    clean_username,
    display_name_problem,
    username_key,
    username_problem,
)


@pytest.mark.parametrize("other", ["ANNA", "Anna", "ａｎｎａ", "Ａnna"])
def test_the_same_name_in_another_width_or_case_is_the_same_person(other: str) -> None:
    assert username_key(other) == username_key("anna")


def test_a_sharp_s_and_two_s_are_the_same_person() -> None:
    assert username_key("STRASSE") == username_key("straße")


@given(st.text(max_size=40))
def test_a_key_of_a_key_is_the_key(text: str) -> None:
    assert username_key(username_key(text)) == username_key(text)


@pytest.mark.parametrize("username", ["a", "anna.b-c_d@example.org", "王小明", "x" * 64, "o+1"])
def test_a_fit_username_is_taken(username: str) -> None:
    assert username_problem(clean_username(username), "username") is None


@pytest.mark.parametrize("username", ["", " ", "two words", "a\nb", "x" * 65, "a/b", "<b>", "a\u200bb", "a\u202eb"])
def test_an_unfit_username_is_refused_by_its_field(username: str) -> None:
    problem = username_problem(clean_username(username), "username")
    assert problem is not None
    assert (problem.path, problem.code) == ("username", "USERNAME_UNFIT")


def test_without_a_name_to_show_the_username_is_shown() -> None:
    assert clean_display_name("  ", "anna") == "anna"
    assert clean_display_name(" Anna \n Berg ", "anna") == "Anna Berg"


@pytest.mark.parametrize("shown", ["x" * 121, "a\u202eb"])
def test_a_name_to_show_is_short_and_visible(shown: str) -> None:
    assert display_name_problem(shown, "displayName") is not None
