"""Names that look the same are the same."""

from itertools import islice

import pytest

from postroad.vocabulary.names import LONGEST, copy_names, name_key, resource_name
from postroad.vocabulary.refusals import ValidationFailed


def test_a_name_is_kept_as_it_was_written_but_for_its_spaces() -> None:
    assert resource_name("  Ａ\u3000 Straße\tÄ ") == "A Straße Ä"


@pytest.mark.parametrize("text", ["", " \n", "x" * (LONGEST + 1), "a\u200bb", "a\x07"])
def test_what_cannot_be_seen_is_no_name(text: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        resource_name(text, "accountName")
    assert [one.path for one in refused.value.problems] == ["accountName"]


@pytest.mark.parametrize(("one", "other"), [("Shop", "sHOP"), ("straße", "STRASSE"), ("ﬁne", "fine"), ("Å", "A\u030a")])
def test_two_names_that_look_the_same_have_one_key(one: str, other: str) -> None:
    assert name_key(resource_name(one)) == name_key(resource_name(other))


def test_a_copy_has_a_name_of_its_own_however_long_the_first_is() -> None:
    assert list(islice(copy_names("News"), 3)) == ["News (copy)", "News (copy 2)", "News (copy 3)"]
    assert all(len(name) == LONGEST for name in islice(copy_names("x" * LONGEST), 12))
