import pytest

from postroad.kernel.versions import Expected, How, etag, expect, from_etag
from postroad.vocabulary.errors import Kind
from postroad.vocabulary.refusals import PreconditionRequired, ValidationFailed, VersionConflict


def test_the_version_that_was_read_may_be_changed() -> None:
    expect(3, Expected(3), {})


def test_a_change_without_a_version_is_refused() -> None:
    with pytest.raises(PreconditionRequired, match="If-Match"):
        expect(3, Expected(None), {})


@pytest.mark.parametrize(("how", "kind"), [(How.IF_MATCH, Kind.STALE), (How.BODY, Kind.CONFLICT)])
def test_a_stale_change_is_refused_and_told_what_stands(how: How, kind: Kind) -> None:
    with pytest.raises(VersionConflict) as refused:
        expect(4, Expected(3, how), {"updated_at_ms": 7})
    assert (refused.value.kind, refused.value.head) == (kind, {"version": 4, "updated_at_ms": 7})


def test_a_stale_body_after_a_stale_header_keeps_its_own_kind() -> None:
    for how in (How.IF_MATCH, How.BODY):
        with pytest.raises(VersionConflict):
            expect(4, Expected(3, how), {})
    assert VersionConflict.kind is Kind.CONFLICT


def test_an_etag_says_the_version() -> None:
    assert from_etag(etag(12)) == Expected(12, How.IF_MATCH)
    assert from_etag(' "12" ') == Expected(12)
    assert from_etag(None) == Expected(None)


@pytest.mark.parametrize("text", ["", "12", '""', 'W/"12"', '"1", "2"', "*", '"-1"', '"١"', '"1a"', '"'])
def test_what_is_no_etag_of_ours_is_refused(text: str) -> None:
    with pytest.raises(ValidationFailed):
        from_etag(text)


def test_a_number_that_no_version_reaches_is_stale() -> None:
    with pytest.raises(VersionConflict):
        expect(1, from_etag('"' + "9" * 400 + '"'), {})
