import base64
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.kernel.authz import Resource
from postroad.kernel.pages import CursorKey, Listing, PageRequest, Position, page_of
from postroad.vocabulary.refusals import ValidationFailed

KEY = CursorKey(b"k" * 32)
ACCOUNTS = Resource("w1", "account")
POSITION: Position = (1_800_000_000_000, "0190a000-0000-7000-8000-000000000001")
_URL_SAFE = string.ascii_letters + string.digits + "-_=+/. "


@given(
    st.tuples(st.integers(0, 2**53), st.text(max_size=60)),
    st.dictionaries(
        st.sampled_from(["name", "status", "createdAfter"]), st.text(max_size=20) | st.integers() | st.none()
    ),
)
def test_a_cursor_opens_the_list_it_was_made_for(position: Position, filters: dict[str, object]) -> None:
    assert KEY.open(KEY.seal(ACCOUNTS, filters, position), ACCOUNTS, filters) == position


@pytest.mark.parametrize(
    ("resource", "filters", "key"),
    [
        (Resource("w2", "account"), {"name": "a"}, KEY),
        (Resource("w1", "message"), {"name": "a"}, KEY),
        (Resource("w1", "account", "a1"), {"name": "a"}, KEY),
        (ACCOUNTS, {"name": "b"}, KEY),
        (ACCOUNTS, {}, KEY),
        (ACCOUNTS, {"status": "a"}, KEY),
        (ACCOUNTS, {"name": "a", "status": "x"}, KEY),
        (ACCOUNTS, {"name": "a"}, CursorKey(b"other key other key other key 32")),
    ],
)
def test_a_cursor_of_another_list_is_refused(resource: Resource, filters: dict[str, object], key: CursorKey) -> None:
    cursor = KEY.seal(ACCOUNTS, {"name": "a"}, POSITION)
    with pytest.raises(ValidationFailed):
        key.open(cursor, resource, filters)


def test_a_filter_that_is_not_given_is_no_filter() -> None:
    assert KEY.open(KEY.seal(ACCOUNTS, {"name": None}, POSITION), ACCOUNTS, {}) == POSITION


@given(st.text(alphabet=_URL_SAFE, max_size=200) | st.text(max_size=50) | st.binary(max_size=80).map(repr))
def test_a_forged_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(ValidationFailed):
        KEY.open(cursor, ACCOUNTS, {})


@given(st.data())
def test_a_cursor_that_was_changed_anywhere_is_refused(data: st.DataObject) -> None:
    cursor = KEY.seal(ACCOUNTS, {}, POSITION)
    at = data.draw(st.integers(0, len(cursor) - 1))
    letter = data.draw(st.sampled_from(string.ascii_letters + string.digits + "-_").filter(lambda c: c != cursor[at]))
    for changed in (
        cursor[:at] + letter + cursor[at + 1 :],
        cursor[:at],
        cursor[:at] + cursor[at + 1 :],
        cursor + letter,
    ):
        with pytest.raises(ValidationFailed):
            KEY.open(changed, ACCOUNTS, {})


def test_a_cursor_has_one_writing_only() -> None:
    cursor = KEY.seal(ACCOUNTS, {}, (1, "a"))
    padded = cursor + "=" * (-len(cursor) % 4)
    for other in {padded, cursor + "=", base64.b64encode(base64.urlsafe_b64decode(padded)).decode()} - {cursor}:
        with pytest.raises(ValidationFailed):
            KEY.open(other, ACCOUNTS, {})


def test_a_long_text_is_refused_before_it_is_looked_at() -> None:
    with pytest.raises(ValidationFailed):
        KEY.open("A" * 1_000_000, ACCOUNTS, {})


def test_a_short_key_is_a_bug() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        CursorKey(b"short")


@pytest.mark.parametrize("limit", [0, -1, 101, 10**9])
def test_a_page_has_1_to_100_rows(limit: int) -> None:
    with pytest.raises(ValidationFailed, match=r"1\.\.100"):
        PageRequest(limit)


def test_a_full_page_without_more_rows_is_the_last() -> None:
    assert page_of([1, 2], 2, str).has_more is False
    more = page_of([1, 2, 3], 2, str)
    assert (more.items, more.next_cursor, more.has_more) == ((1, 2), "2", True)


def test_the_pages_of_a_list_are_its_rows_in_order() -> None:
    rows = [(number, f"id-{number:03}") for number in reversed(range(25))]
    request, seen = PageRequest(10), []
    while True:
        listing = Listing.open(KEY, request, ACCOUNTS, {})
        after = listing.position
        found = [row for row in rows if after is None or row < after][: listing.rows_wanted]
        page = listing.page(found, lambda row: row)
        seen += page.items
        if page.next_cursor is None:
            break
        request = PageRequest(10, page.next_cursor)
    assert seen == rows
