import datetime
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet
from tests.builders.tables import import_file, problems_of, rows_of
from tests.builders.workbooks import replace_part, write_workbook

from postroad.recipients import ImportLimits
from postroad.vocabulary.errors import AudienceInvalid


def test_regression_a_phone_in_a_numeric_cell_keeps_its_digits(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "p.xlsx", [["mobile", "n"], [447900900001, 123.0], [13800000001.0, 0.1 + 0.2]])

    report = import_file(path)

    assert (report.format, report.sheet) == ("xlsx", "Sheet1")
    assert rows_of(report.snapshot) == [(2, "447900900001", "123"), (3, "13800000001", "0.3")]


def test_regression_a_long_number_in_a_numeric_cell_is_an_error_never_a_wrong_number(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "p.xlsx", [["id", "n"], [1234567890123456789, "a"], [999999999999999, "b"]])

    report = import_file(path)

    assert problems_of(report) == [(2, "id", "PRECISION_LOST")]
    assert rows_of(report.snapshot) == [(3, "999999999999999", "b")]


def test_text_cells_keep_zeros_and_long_numbers(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "p.xlsx", [["id"], ["001234567890123456789"]])

    assert rows_of(import_file(path).snapshot) == [(2, "001234567890123456789")]


def test_dates_are_iso_and_truth_is_true(tmp_path: Path) -> None:
    row = [*map(datetime.datetime.fromisoformat, ("2026-11-30", "2026-11-30T08:05")), datetime.time(7, 30), True]
    path = write_workbook(tmp_path / "p.xlsx", [["a", "b", "c", "d"], row])

    assert rows_of(import_file(path).snapshot) == [(2, "2026-11-30", "2026-11-30T08:05:00", "07:30:00", "true")]


def test_numbers_of_rows_are_those_the_sheet_shows(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "p.xlsx", [[], [], [None, "name", "x"], [None, "a", "=B1"], [], [None, "b"]])

    report = import_file(path)

    assert (report.header_row, rows_of(report.snapshot)) == (3, [(6, "b", "")])
    assert problems_of(report) == [(4, "x", "FORMULA_WITHOUT_VALUE")]
    assert report.snapshot.columns == ("name", "x")


def test_merged_cells_read_as_the_sheet_shows_them(tmp_path: Path) -> None:
    def merge(page: Worksheet) -> None:
        page.merge_cells("A2:A3")

    path = write_workbook(
        tmp_path / "p.xlsx", [["team", "name"], ["red", "a"], [None, "b"], ["blue", "c"]], change=merge
    )

    report = import_file(path)

    assert rows_of(report.snapshot) == [(2, "red", "a"), (3, "red", "b"), (4, "blue", "c")]
    assert report.warnings == ("1 cells of merged ranges take the value the sheet shows for them",)


def test_a_formula_that_was_never_calculated_rejects_its_row(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "p.xlsx", [["name", "x"], ["a", "=1+1"], ["b", "c"]])

    report = import_file(path)

    assert problems_of(report) == [(2, "x", "FORMULA_WITHOUT_VALUE")]
    assert rows_of(report.snapshot) == [(3, "b", "c")]


def test_a_formula_gives_the_value_that_was_stored(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "p.xlsx", [["name", "x"], ["a", "=1+1"]])
    replace_part(
        path,
        "xl/worksheets/sheet1.xml",
        lambda xml: xml.replace(b"<v></v>", b"<v>2</v>").replace(b"<v/>", b"<v>2</v>").replace(b"<v />", b"<v>2</v>"),
    )

    assert rows_of(import_file(path).snapshot) == [(2, "a", "2")]


def test_the_first_sheet_that_is_not_empty_is_taken(tmp_path: Path) -> None:
    def add(page: Worksheet) -> None:
        assert page.parent is not None
        other = page.parent.create_sheet("people")
        other.append(["name"])
        other.append(["a"])

    path = write_workbook(tmp_path / "p.xlsx", [], sheet="empty", change=add)

    report = import_file(path)

    assert (report.sheet, rows_of(report.snapshot)) == ("people", [(2, "a")])
    with pytest.raises(AudienceInvalid, match="no sheet 'People'; the workbook has 'empty', 'people'"):
        import_file(path, sheet="People")


def test_an_empty_workbook_is_refused_with_the_names_of_its_sheets(tmp_path: Path) -> None:
    with pytest.raises(AudienceInvalid, match="every sheet is empty: 'Sheet1'"):
        import_file(write_workbook(tmp_path / "p.xlsx", []))


def test_a_wrong_sheet_is_guessed_where_only_a_header_is_there(tmp_path: Path) -> None:
    with pytest.raises(AudienceInvalid, match=r"sheet 'Sheet1' has no rows below its header in row 1; is it the right"):
        import_file(write_workbook(tmp_path / "p.xlsx", [["name", "mobile"]]))


def test_a_workbook_that_unpacks_too_far_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "p.xlsx", [["name"], ["a"]])
    replace_part(path, "xl/worksheets/sheet1.xml", lambda xml: xml + b" " * 30_000_000)

    with pytest.raises(AudienceInvalid, match="unpacks to more than 1,000,000 bytes"):
        import_file(path, limits=ImportLimits(max_unpacked_bytes=1_000_000))


def test_sizes_that_lie_do_not_help_an_archive(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "p.xlsx", [["name"], ["a"]])
    replace_part(path, "xl/worksheets/sheet1.xml", lambda xml: xml + b" " * 3_000_000)
    raw = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo("xl/worksheets/sheet1.xml")
    real = entry.file_size.to_bytes(4, "little")
    path.write_bytes(bytes(raw).replace(real, (100).to_bytes(4, "little")))

    with pytest.raises(AudienceInvalid, match="unpacks to more than 1,000,000 bytes"):
        import_file(path, limits=ImportLimits(max_unpacked_bytes=1_000_000))


def test_a_cell_in_the_far_corner_does_not_take_the_memory_of_the_sheet(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "p.xlsx", [["name"], ["a"]])
    far = b'<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>x</t></is></c></row></sheetData>'
    replace_part(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"</sheetData>", far))

    with pytest.raises(AudienceInvalid, match="area"):
        import_file(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04 no archive", "no XLSX workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old or protected workbook"),
        (b"", "is empty"),
    ],
)
def test_what_is_no_workbook_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "p.xlsx"
    path.write_bytes(content)

    with pytest.raises(AudienceInvalid, match=message):
        import_file(path)


def test_a_csv_called_xlsx_is_read_as_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "p.xlsx"
    path.write_text("name\na\n")

    assert import_file(path).format == "csv"


def test_regression_a_cell_that_shows_an_error_was_sent_as_an_empty_one(tmp_path: Path) -> None:
    def fail(page: Worksheet) -> None:
        page["B2"] = "#N/A"
        page["B2"].data_type = "e"

    report = import_file(write_workbook(tmp_path / "p.xlsx", [["name", "code"], ["a", "x"], ["b", "y"]], change=fail))

    assert problems_of(report) == [(2, "code", "FORMULA_ERROR")]
    assert (report.problem_samples[0].value, rows_of(report.snapshot)) == ("#N/A", [(3, "b", "y")])


def test_regression_a_hidden_sheet_was_read_before_the_one_that_is_shown(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    put_away = book.worksheets[0]
    put_away.append(["name"])
    put_away.append(["old"])
    put_away.sheet_state = "hidden"
    for row in (["name"], ["new"]):
        book.create_sheet("shown").append(row) if "shown" not in book.sheetnames else book["shown"].append(row)
    book.active = 1
    book.save(tmp_path / "p.xlsx")

    report = import_file(tmp_path / "p.xlsx")

    assert (report.sheet, rows_of(report.snapshot)) == ("shown", [(2, "new")])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda xml: xml[: len(xml) // 2], "cannot be read"),
        (lambda xml: xml.replace(b'r="A2"', b'r="A0"'), "cannot be read"),
        (lambda xml: xml.replace(b'r="A2"', b'r="ZZZZZZ2"'), "used area"),
    ],
    ids=["cut", "row 0", "far column"],
)
def test_regression_a_damaged_sheet_ended_in_a_traceback(
    tmp_path: Path, change: Callable[[bytes], bytes], said: str
) -> None:
    path = write_workbook(tmp_path / "p.xlsx", [["name"], ["a"]])
    replace_part(path, "xl/worksheets/sheet1.xml", change)

    with pytest.raises(AudienceInvalid, match=said):
        import_file(path)


def test_regression_a_bad_checksum_in_the_archive_ended_in_a_traceback(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "p.xlsx", [["name"], ["a"]])
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo("xl/worksheets/sheet1.xml")
    content = path.read_bytes()
    stored = entry.CRC.to_bytes(4, "little")
    path.write_bytes(content.replace(stored, (entry.CRC ^ 1).to_bytes(4, "little")))

    with pytest.raises(AudienceInvalid, match=r"damaged|cannot be read"):
        import_file(path)


def test_regression_a_number_that_is_none_ended_in_a_traceback(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "p.xlsx", [["name", "n"], ["a", 12345], ["b", 1]])
    replace_part(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"<v>12345</v>", b"<v>NaN</v>"))

    assert problems_of(import_file(path)) == [(2, "n", "PRECISION_LOST")]
