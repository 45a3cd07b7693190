import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.recipients.reading.careful import CarefulParser


def cut(text: str, *, final: bool = True, most: int = 1_000) -> list[list[str] | str]:
    """Cells of each record, or the code of what is wrong with it."""
    records = CarefulParser(",", '"', most).records(text, final=final)
    return [record.cells if record.cells is not None else (record.problem or ("", ""))[0] for record in records]


@pytest.mark.parametrize(
    ("text", "records"),
    [
        ("a,b\n", [["a", "b"]]),
        ("a,b", [["a", "b"]]),
        ("\n\n", [[""], [""]]),
        ("a,\n", [["a", ""]]),
        ('"a","b"\n', [["a", "b"]]),
        ('"a\nb",c\n', [["a\nb", "c"]]),
        ('"a""b",c\n', [['a"b', "c"]]),
        ('"",c\n', [["", "c"]]),
        ('a, "b, c" ,d\n', [["a", "b, c", "d"]]),
        ('a,"b"x,c\nd\n', ["STRAY_QUOTE", ["d"]]),
        ('a,b"x,c\nd\n', ["STRAY_QUOTE", ["d"]]),
        ('a,"b\nc,d\n', ["UNCLOSED_QUOTE", ["c", "d"]]),
        ('a,"b\nc"x\nd\n', ["STRAY_QUOTE", "STRAY_QUOTE", ["d"]]),
    ],
)
def test_records_are_whole_or_broken(text: str, records: list[list[str] | str]) -> None:
    assert cut(text) == records


def test_without_a_quote_character_quotes_are_text() -> None:
    records = CarefulParser(",", "", 1_000).records('a,12" pipe\n"b\n', final=True)

    assert [record.cells for record in records] == [["a", '12" pipe'], ['"b']]


def test_a_record_that_may_go_on_is_left_for_later() -> None:
    assert cut('a,b\nc,"d\ne', final=False) == [["a", "b"]]
    assert cut('a,b\nc,"d"', final=False) == [["a", "b"]]
    assert cut("a,b\nc,d", final=False) == [["a", "b"]]


def test_an_open_quote_is_given_up_after_the_longest_cell() -> None:
    text = '"a\n' + "b\n" * 100

    assert cut(text, final=False, most=50)[:2] == ["UNCLOSED_QUOTE", ["b"]]


@given(st.text(alphabet='ab",\n ', max_size=60))
def test_every_character_belongs_to_one_record(text: str) -> None:
    records = list(CarefulParser(",", '"', 20).records(text, final=True))

    ends = [record.end for record in records]
    assert ends == sorted(set(ends))
    assert (ends[-1] if ends else 0) == len(text)
    assert "\n".join(record.raw for record in records) == text.removesuffix("\n")


@given(st.text(alphabet='ab",\n ', max_size=60), st.integers(0, 60))
def test_where_the_text_was_cut_makes_no_difference(text: str, at: int) -> None:
    parser = CarefulParser(",", '"', 1_000)
    early = list(parser.records(text[:at], final=False))
    used = early[-1].end if early else 0

    late = list(parser.records(text[used:], final=True))

    assert [r.cells for r in early + late] == [r.cells for r in parser.records(text, final=True)]
