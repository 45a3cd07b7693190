from pathlib import Path

import pytest
from tests.builders.tables import import_text, problems_of, rows_of

from postroad.recipients import ImportRequest, SyntheticInput
from postroad.recipients.intake.pipeline import run_import
from postroad.vocabulary.errors import AudienceInvalid
from postroad.vocabulary.values import FileRef


def test_json_lines_keep_the_kind_of_their_values(tmp_path: Path) -> None:
    text = '{"m": "001", "n": 3, "b": true}\n\n{"m": "", "x": 1.5}\r\n{"m": null, "n": 4, "b": false, "x": 2}'

    report = import_text(tmp_path, text, name="people.jsonl")

    assert report.snapshot.columns == ("m", "n", "b", "x")
    assert rows_of(report.snapshot) == [
        (1, "001", 3, True, None),
        (3, "", None, None, 1.5),
        (4, None, 4, False, 2.0),
    ]


def test_lines_that_are_no_flat_objects_are_rejected(tmp_path: Path) -> None:
    report = import_text(tmp_path, '{"a": "x"}\n[1]\n{"a": \n{"a": {"b": 1}}\n', name="people.jsonl")

    assert {(row, code) for row, _, code in problems_of(report)} == {
        (2, "NOT_AN_OBJECT"),
        (3, "NOT_AN_OBJECT"),
        (4, "NESTED_VALUE"),
    }
    assert (report.rows, report.accepted, report.rejected) == (4, 1, 3)


def test_values_of_several_kinds_in_one_column_become_text(tmp_path: Path) -> None:
    report = import_text(tmp_path, '{"a": 1}\n{"a": "x, \\"y\\"\\nz"}\n{"a": true}\n', name="people.jsonl")

    assert rows_of(report.snapshot) == [(1, "1"), (2, 'x, "y"\nz'), (3, "true")]


def test_numbers_too_large_for_a_column_stay_exact(tmp_path: Path) -> None:
    report = import_text(tmp_path, '{"a": 18446744073709551615}\n{"a": 1}\n', name="people.jsonl")

    assert rows_of(report.snapshot) == [(1, "18446744073709551615"), (2, "1")]


def test_made_up_recipients_are_numbered(tmp_path: Path) -> None:
    report = run_import(ImportRequest(SyntheticInput(3), tmp_path), None, lambda _: None)

    assert rows_of(report.snapshot) == [(1, "1", "Recipient 1"), (2, "2", "Recipient 2"), (3, "3", "Recipient 3")]
    with pytest.raises(AudienceInvalid, match="from 1 to"):
        run_import(ImportRequest(SyntheticInput(0), tmp_path), None, lambda _: None)


def test_a_file_field_is_a_reference_and_cannot_leave_the_folder(tmp_path: Path) -> None:
    schema = {"properties": {"attachment": {"type": "string", "x-postroad-file": True}}}

    report = import_text(tmp_path, "name,attachment\na,bills/a.pdf\nb,../b.pdf\nc,/c.pdf\nd,\n", schema=schema)

    assert problems_of(report) == [(3, "attachment", "FILE"), (4, "attachment", "FILE")]
    assert [sample.fields["attachment"] for sample in report.accepted_samples] == [FileRef("bills/a.pdf"), None]


def test_a_schema_over_several_fields_is_checked_row_by_row(tmp_path: Path) -> None:
    schema = {
        "properties": {"mobile": {"type": "string"}, "email": {"type": "string", "format": "email"}},
        "anyOf": [{"required": ["mobile"]}, {"required": ["email"]}],
    }

    report = import_text(tmp_path, "mobile,email\n1,\n,u@x.org\n,\nx,nobody\n", schema=schema)

    assert [row[0] for row in rows_of(report.snapshot)] == [2, 3]
    assert problems_of(report) == [(5, "email", "FORMAT")]


def test_a_row_that_breaks_a_rule_over_several_fields_is_rejected(tmp_path: Path) -> None:
    schema = {"properties": {"a": {"type": "string"}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}

    report = import_text(tmp_path, "a,b,c\n1,,x\n,,y\n", schema=schema)

    assert problems_of(report) == [(3, "", "SCHEMA")]


def test_regression_16384_columns_are_quick_and_small(tmp_path: Path) -> None:
    wide = "," * 16_380
    text = f"mobile,name{wide}\n" + "".join(f"{13800000000 + n},a{wide}\n" for n in range(100))

    report = import_text(tmp_path, text)

    assert (report.accepted, report.snapshot.columns) == (100, ("mobile", "name"))


def test_regression_10000_commas_after_each_row_are_no_cells(tmp_path: Path) -> None:
    text = "mobile,name\n" + "".join(f"{13800000000 + n},a{',' * 10_000}\n" for n in range(100))

    report = import_text(tmp_path, text)

    assert (report.accepted, report.rejected) == (100, 0)


def test_too_many_named_columns_are_refused_with_the_limit(tmp_path: Path) -> None:
    header = ",".join(f"c{n}" for n in range(16_384))

    with pytest.raises(AudienceInvalid, match="16,384 named columns; at most 2,000"):
        import_text(tmp_path, f"{header}\n" + f"{',' * 16_383}\n" * 100)


def test_a_row_longer_than_a_buffer_is_one_row(tmp_path: Path) -> None:
    cells = ",".join('"' + "x" * 30_000 + '\n"' for _ in range(40))
    header = ",".join(f"c{n}" for n in range(40))

    report = import_text(tmp_path, f"{header}\n{cells}\n{',' * 39}\n{'y,' * 39}y\n")

    assert [row[0] for row in rows_of(report.snapshot)] == [2, 4]


def test_an_import_replaces_the_one_before_and_its_errors(tmp_path: Path) -> None:
    schema = {"properties": {"a": {"type": "string", "minLength": 2}}}
    first = import_text(tmp_path, "a\nxx\ny\n", schema=schema)
    assert first.errors_path is not None

    second = import_text(tmp_path, "a\nxx\n", schema=schema)

    assert second.errors_path is None
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["audience.parquet"]


def test_a_folder_left_by_a_dead_import_is_removed(tmp_path: Path) -> None:
    left = tmp_path / "out" / ".import-999999999"
    left.mkdir(parents=True)

    import_text(tmp_path, "a\nx\n")

    assert not left.exists()


def test_regression_a_long_number_in_json_lines_was_rounded(tmp_path: Path) -> None:
    text = '{"id": 1234567890123456789}\n{"id": 1.5}\n{"id": 12345678901234567890123}\n{"id": 2.0}\n'

    report = import_text(tmp_path, text, name="people.jsonl")

    assert rows_of(report.snapshot) == [(1, "1234567890123456789"), (2, "1.5"), (4, "2")]
    assert problems_of(report) == [(3, "id", "PRECISION_LOST")]


def test_regression_the_last_of_two_equal_keys_won_without_a_word(tmp_path: Path) -> None:
    text = '{"phone": "1", "phone": "2"}\n{"phone": "3", "at": "10:30"}\n'

    report = import_text(tmp_path, text, name="people.jsonl")

    assert problems_of(report) == [(1, "", "KEY_TWICE")]
    assert rows_of(report.snapshot) == [(2, "3", "10:30")]


def test_regression_a_deep_value_ended_the_import(tmp_path: Path) -> None:
    deep = "[" * 300 + "]" * 300

    report = import_text(tmp_path, f'{{"a": {deep}}}\n{{"a": "x"}}\n', name="people.jsonl")

    assert problems_of(report) == [(1, "a", "NESTED_VALUE")]


def test_regression_json_lines_in_utf16_ended_in_a_traceback(tmp_path: Path) -> None:
    report = import_text(tmp_path, '{"a": "张"}\n{"a": "三"}\n'.encode("utf-16"), name="people.jsonl")

    assert rows_of(report.snapshot) == [(1, "张"), (2, "三")]


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_regression_one_long_line_counted_as_several(tmp_path: Path, encoding: str) -> None:
    text = '{"a": "张' + "x" * 600_000 + '"}\n{"a": "y"}\n'

    report = import_text(tmp_path, text.encode(encoding), name="people.jsonl")

    assert (report.rows, problems_of(report)) == (2, [(1, "", "LINE_TOO_LONG")])
    assert rows_of(report.snapshot) == [(2, "y")]


def test_regression_a_key_without_letters_was_an_internal_error(tmp_path: Path) -> None:
    report = import_text(tmp_path, '{"": "x", "b": "y", " b": "z"}\n', name="people.jsonl")

    assert report.snapshot.columns == ("column_1", "b", "b (2)")


def test_json_that_is_no_json_lines_is_explained(tmp_path: Path) -> None:
    with pytest.raises(AudienceInvalid, match="write one object a line"):
        import_text(tmp_path, '[{"a": 1}, {"a": 2}]\n', name="people.jsonl")


def test_regression_a_whole_number_beyond_the_schema_was_an_internal_error(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}

    report = import_text(tmp_path, '{"n": 18446744073709551615}\n{"n": 5}\n', name="people.jsonl", schema=schema)

    assert (problems_of(report), rows_of(report.snapshot)) == ([(1, "n", "INTEGER")], [(2, 5)])


def test_regression_an_impossible_count_ran_for_minutes_before_it_was_refused(tmp_path: Path) -> None:
    with pytest.raises(AudienceInvalid, match="count must be from 1 to 50,000,000"):
        run_import(ImportRequest(SyntheticInput(10**20), tmp_path), None, lambda _: None)
