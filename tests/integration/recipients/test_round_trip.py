"""Any table comes back as it was, or its rows are rejected one by one; no value ever moves to another column."""

import csv
import io
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders.tables import import_text, rows_of

from postroad.vocabulary.errors import AudienceInvalid

CELLS = st.text(alphabet='ab1",;|\t\n 张\u200b=\\', max_size=8)
TABLES = st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=8)
HEADER = ["first", "second", "third"]


def clean(text: str) -> str:
    return text.strip(" \t\n\u200b")


@given(TABLES, st.sampled_from([",", ";", "\t", "|"]), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
@settings(max_examples=25, deadline=None)
def test_a_well_formed_table_comes_back(rows: list[list[str]], delimiter: str, quoting: int) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, quoting=quoting).writerows([HEADER, *rows])
    expected = [(number, *map(clean, row)) for number, row in enumerate(rows, 2) if any(clean(cell) for cell in row)]

    with tempfile.TemporaryDirectory() as folder:
        try:
            report = import_text(Path(folder), text.getvalue(), delimiter=delimiter, quote='"')
        except AudienceInvalid:
            assert expected == []
        else:
            assert (report.rejected, rows_of(report.snapshot)) == (0, expected)


@given(st.lists(st.text(alphabet='ab", \n', max_size=12), min_size=1, max_size=8))
@settings(max_examples=25, deadline=None)
def test_marked_values_never_leave_their_column(noise: list[str]) -> None:
    lines = [f"one{at}{odd},two{at},three{at}" for at, odd in enumerate(noise)]
    text = "\n".join([",".join(HEADER), *lines, "one,two,three", ""])

    with tempfile.TemporaryDirectory() as folder:
        report = import_text(Path(folder), text, delimiter=",", quote='"')

        assert report.rows == report.accepted + report.duplicates + report.rejected
        for _, first, second, third in rows_of(report.snapshot):
            assert not first.startswith(("two", "three"))
            assert not second.startswith(("one", "three"))
            assert not third.startswith(("one", "two"))
