import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.recipients.reading.records import Cell, CellFault
from postroad.recipients.reading.workbook import number_text
from postroad.recipients.safe_cells import original_cell, safe_cell
from postroad.recipients.snapshot_format import column_names


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (13800000001.0, "13800000001"),
        (123.0, "123"),
        (-0.0, "0"),
        (0.1 + 0.2, "0.3"),
        (1e-7, "0.0000001"),
        (99.95, "99.95"),
        (999999999999999.0, "999999999999999"),
        (4.479e11, "447900000000"),
    ],
)
def test_a_number_has_the_digits_the_sheet_keeps(value: float, expected: Cell) -> None:
    assert number_text(value) == expected


def test_a_number_of_sixteen_digits_is_a_fault() -> None:
    assert isinstance(number_text(1e15), CellFault)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", "＝1", "'quoted"])
def test_a_risky_cell_gets_an_apostrophe(text: str) -> None:
    assert safe_cell(text) == "'" + text


@given(st.text(alphabet="=+-@'\t ab＝", max_size=6))
def test_the_original_can_be_had_back(text: str) -> None:
    assert original_cell(safe_cell(text)) == text
    assert safe_cell(text)[:1] not in ("=", "+", "-", "@", "\t", "＝")


@given(st.lists(st.sampled_from(["a", "A", "_row", "a_2", "ß", "SS"]), max_size=8, unique=True))
def test_columns_are_unique_without_regard_to_case(fields: list[str]) -> None:
    names = column_names(fields)

    assert len({name.casefold() for name in names} | {"_row"}) == len(fields) + 1
