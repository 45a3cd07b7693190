"""What differs between two contents, and what makes a content the same."""

from hypothesis import given
from hypothesis import strategies as st

from postroad.modules.messages import ChangeKind, changes_between, content_hash, message_document
from postroad.modules.messages.model import MOST_CHANGES

KEY = st.text("abc", min_size=1, max_size=2)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)
CONTENT = st.dictionaries(KEY, JSON, max_size=3)


def test_every_place_that_differs_is_named_with_both_values() -> None:
    before = {"subject": "Hi", "body": {"to": "x", "tags": ["a", "b"]}, "old": 1}
    after = {"subject": "Hello", "body": {"to": "x", "tags": ["a", "c", "d"]}, "new": {"y": 2}}
    assert [(one.path, one.kind, one.before, one.after) for one in changes_between(before, after)] == [
        ("body.tags[1]", ChangeKind.CHANGED, "b", "c"),
        ("body.tags[2]", ChangeKind.ADDED, None, "d"),
        ("new", ChangeKind.ADDED, None, {"y": 2}),
        ("old", ChangeKind.REMOVED, 1, None),
        ("subject", ChangeKind.CHANGED, "Hi", "Hello"),
    ]


def test_true_is_not_one_and_null_is_not_nothing() -> None:
    assert [one.path for one in changes_between({"a": True, "b": None}, {"a": 1})] == ["a", "b"]


def test_a_difference_without_end_is_cut() -> None:
    before = {str(number): number for number in range(MOST_CHANGES + 5)}
    assert len(changes_between(before, {})) == MOST_CHANGES


@given(CONTENT, CONTENT)
def test_there_is_a_difference_where_the_digest_differs_and_only_there(one: dict, other: dict) -> None:
    hashes = {content_hash(message_document("http", "1", content)) for content in (one, other)}
    assert bool(changes_between(one, other)) is (len(hashes) == 2)


@given(CONTENT, CONTENT)
def test_a_difference_is_the_same_in_both_directions(one: dict, other: dict) -> None:
    there, back = changes_between(one, other), changes_between(other, one)
    assert [(change.path, change.before, change.after) for change in there] == [
        (change.path, change.after, change.before) for change in back
    ]


def test_the_digest_covers_the_provider_and_its_schema() -> None:
    hashes = {content_hash(message_document(*what, {"a": 1})) for what in (("http", "1"), ("http", "2"), ("smtp", "1"))}
    assert len(hashes) == 3
