import csv
from pathlib import Path

import pytest
from tests.builders.tables import MOBILE_SCHEMA, import_text, problems_of, rows_of

from postroad.recipients import ImportLimits
from postroad.recipients.intake import staging
from postroad.vocabulary.errors import AudienceInvalid


def test_rows_are_accepted_plus_duplicates_plus_rejected(tmp_path: Path) -> None:
    report = import_text(
        tmp_path,
        "mobile,name\n13800000001,a\n13800000001,b\n12,c\n13800000002,d\n",
        key=("mobile",),
        schema=MOBILE_SCHEMA,
    )

    assert (report.rows, report.accepted, report.duplicates, report.rejected) == (4, 2, 1, 1)
    assert rows_of(report.snapshot) == [(2, "13800000001", "a"), (5, "13800000002", "d")]


def test_regression_gb18030_without_a_mark_was_garbled(tmp_path: Path) -> None:
    report = import_text(tmp_path, "手机号,姓名\r\n13800000001,张三\r\n".encode("gb18030"))

    assert (report.encoding, report.encoding_guessed) == ("gb18030", True)
    assert rows_of(report.snapshot) == [(2, "13800000001", "张三")]


def test_regression_a_quote_that_opens_no_cell_ended_the_import(tmp_path: Path) -> None:
    report = import_text(tmp_path, 'mobile,name\n13800000001,Ann "Annie" O\'Brien\n13800000002,12" pipe\n')

    assert rows_of(report.snapshot) == [(2, "13800000001", 'Ann "Annie" O\'Brien'), (3, "13800000002", '12" pipe')]


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16-le"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32-le"),
    ],
)
def test_an_encoding_is_found(tmp_path: Path, encoding: str, expected: str) -> None:
    report = import_text(tmp_path, "mobile,name\n13800000001,张三\n".encode(encoding))

    assert report.encoding == expected
    assert rows_of(report.snapshot) == [(2, "13800000001", "张三")]


def test_a_given_encoding_overrides_the_guess(tmp_path: Path) -> None:
    report = import_text(tmp_path, "name\n電話\n".encode("big5"), encoding="big5")

    assert (report.encoding, report.encoding_guessed) == ("big5", False)
    assert rows_of(report.snapshot) == [(2, "電話")]


def test_an_unknown_encoding_is_refused_with_names_to_try(tmp_path: Path) -> None:
    with pytest.raises(AudienceInvalid, match="'klingon' is not known; try utf-8, gb18030"):
        import_text(tmp_path, "name\na\n", encoding="klingon")


def test_damaged_bytes_reject_their_row_and_no_other(tmp_path: Path) -> None:
    report = import_text(tmp_path, "name,city\n张三,北京\n".encode() + b"\xff\xfe,x\n" + "李四,上海\n".encode())

    assert report.encoding == "utf-8"
    assert problems_of(report) == [(3, "name", "BAD_BYTES")]
    assert rows_of(report.snapshot) == [(2, "张三", "北京"), (4, "李四", "上海")]


@pytest.mark.parametrize(
    "blank", ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u180e", "\t", "\n\n", " \n\u3000\n"]
)
def test_regression_blank_characters_before_the_header_hid_it(tmp_path: Path, blank: str) -> None:
    report = import_text(tmp_path, f"{blank}phone number,name\n07900900001,a\n")

    assert [column.name for column in report.columns] == ["phone number", "name"]
    assert [row[1:] for row in rows_of(report.snapshot)] == [("07900900001", "a")]


def test_regression_blank_characters_around_a_value_made_it_wrong(tmp_path: Path) -> None:
    report = import_text(tmp_path, "mobile,name\n\u202d13800000001\u202c,\u3000张三\xa0\n", schema=MOBILE_SCHEMA)

    assert rows_of(report.snapshot) == [(2, "13800000001", "张三")]


def test_regression_a_quoted_line_end_made_two_rows(tmp_path: Path) -> None:
    report = import_text(tmp_path, 'name,note\r\na,"x\r\ny\r\n\r\nz"\r\nb,c\r\n')

    assert rows_of(report.snapshot) == [(2, "a", "x\ny\n\nz"), (3, "b", "c")]


def test_regression_padded_values_and_quotes_after_a_space(tmp_path: Path) -> None:
    pad = " " * 300
    report = import_text(tmp_path, f'email, name, attributes\nu@x.org{pad}, Ann{pad}, "{{""k"": ""a, b""}}"\n')

    assert rows_of(report.snapshot) == [(2, "u@x.org", "Ann", '{"k": "a, b"}')]


def test_a_row_with_an_unquoted_delimiter_is_rejected_not_shifted(tmp_path: Path) -> None:
    report = import_text(tmp_path, "name,city\na,b\nSmith, John,c\nd\ne,f\n")

    assert problems_of(report) == [(3, "", "TOO_MANY_CELLS"), (4, "", "TOO_FEW_CELLS")]
    assert rows_of(report.snapshot) == [(2, "a", "b"), (5, "e", "f")]


def test_a_value_below_a_column_without_a_name_is_rejected_not_dropped(tmp_path: Path) -> None:
    report = import_text(tmp_path, "name,city,\na,b,\nSmith, John,c\n")

    assert problems_of(report) == [(3, "", "TOO_MANY_CELLS")]


@pytest.mark.parametrize(
    ("line", "code"),
    [('"a"b,c', "STRAY_QUOTE"), ('a"b,c', "STRAY_QUOTE"), ('5",c', "STRAY_QUOTE"), ('"a,c', "UNCLOSED_QUOTE")],
)
def test_a_bad_quote_rejects_its_line_and_no_other(tmp_path: Path, line: str, code: str) -> None:
    report = import_text(tmp_path, f'name,city\n"first, one",x\n{line}\nlast,y\n')

    assert problems_of(report) == [(3, "", code)]
    assert rows_of(report.snapshot) == [(2, "first, one", "x"), (4, "last", "y")]


def test_every_line_that_a_bad_quote_swallowed_is_reported(tmp_path: Path) -> None:
    report = import_text(tmp_path, 'name,city\n"open,x\nb,y\nc,"d"e\nlast,z\n')

    assert problems_of(report) == [(2, "", "STRAY_QUOTE"), (3, "", "STRAY_QUOTE"), (4, "", "STRAY_QUOTE")]
    assert rows_of(report.snapshot) == [(5, "last", "z")]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "\n", "\n\n", "\n\n,\n"])
def test_line_ends_of_any_kind_give_the_same_rows(tmp_path: Path, ending: str, last: str) -> None:
    text = f"name,city\na,b\nc,d{last}".replace("\n", ending)

    report = import_text(tmp_path, text)

    assert (report.rows, rows_of(report.snapshot)) == (2, [(2, "a", "b"), (3, "c", "d")])


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_a_delimiter_is_found(tmp_path: Path, delimiter: str) -> None:
    report = import_text(tmp_path, f"name{delimiter}city\na{delimiter}b\nc{delimiter}\n")

    assert report.delimiter == delimiter
    assert rows_of(report.snapshot) == [(2, "a", "b"), (3, "c", "")]


def test_the_separator_line_of_a_spreadsheet_program_is_no_row(tmp_path: Path) -> None:
    report = import_text(tmp_path, "sep=;\r\nname;city\r\na,b;c\r\n")

    assert (report.delimiter, rows_of(report.snapshot)) == (";", [(3, "a,b", "c")])


def test_leading_zeros_and_long_numbers_stay_text(tmp_path: Path) -> None:
    report = import_text(tmp_path, "id,zip\n1234567890123456789,00123\n")

    assert rows_of(report.snapshot) == [(2, "1234567890123456789", "00123")]


def test_a_title_and_grouped_headers_above_the_header_are_left_out(tmp_path: Path) -> None:
    report = import_text(tmp_path, "客户名单,,\n\n联系人,,备注\n姓名,手机号,说明\n张三,13800000001,x\n")

    assert report.header_row == 4
    assert report.warnings == ("rows above the header were left out: 1, 3",)
    assert rows_of(report.snapshot) == [(5, "张三", "13800000001", "x")]


def test_a_second_header_row_in_another_language_is_left_out(tmp_path: Path) -> None:
    report = import_text(tmp_path, "mobile,name\n手机号,姓名\n13800000001,张三\n")

    assert (report.header_row, report.rows) == (1, 1)
    assert report.warnings == ("row 2 is a second header and was left out",)


def test_files_put_one_after_the_other_repeat_the_header_and_lose_nobody(tmp_path: Path) -> None:
    report = import_text(tmp_path, "mobile,name\n13800000001,a\n\n\ufeffmobile,name\n13800000002,b\n")

    assert rows_of(report.snapshot) == [(2, "13800000001", "a"), (5, "13800000002", "b")]
    assert report.warnings == ("row 4 repeats the header and was left out",)


def test_rows_of_a_second_table_are_rejected(tmp_path: Path) -> None:
    report = import_text(tmp_path, "mobile,name\n13800000001,a\n\n邮箱,姓名\nu@x.org,b\n")

    assert rows_of(report.snapshot) == [(2, "13800000001", "a")]
    assert problems_of(report) == [(4, "", "OTHER_TABLE"), (5, "", "OTHER_TABLE")]


def test_regression_a_recipient_who_looked_like_a_header_was_dropped_without_a_count(tmp_path: Path) -> None:
    report = import_text(tmp_path, "name,city\nAnn,Rome\n\n李四,信箱\n")

    assert (report.rows, report.accepted, report.rejected) == (2, 1, 1)
    assert problems_of(report) == [(4, "", "OTHER_TABLE")]


def test_regression_one_known_word_after_a_blank_row_began_a_second_table(tmp_path: Path) -> None:
    report = import_text(tmp_path, "name,city,likes\nAnn,Rome,tea\n\nBob,Oslo,phone\n")

    assert [row[1:] for row in rows_of(report.snapshot)] == [("Ann", "Rome", "tea"), ("Bob", "Oslo", "phone")]


@pytest.mark.parametrize("first", ["学号", "职位", "一级部门"])
def test_regression_gb18030_that_begins_like_utf8_was_taken_for_damaged_utf8(tmp_path: Path, first: str) -> None:
    report = import_text(tmp_path, f"{first},姓名\n7,张三\n".encode("gb18030"))

    assert (report.encoding, report.snapshot.columns) == ("gb18030", (first, "姓名"))
    assert rows_of(report.snapshot) == [(2, "7", "张三")]


def test_a_damaged_byte_among_european_letters_rejects_its_row_only(tmp_path: Path) -> None:
    report = import_text(tmp_path, "name\nZoë\nAnaïs\nRené\n".encode() + b"Andr\xe9\n")

    assert (report.encoding, report.accepted, problems_of(report)) == ("utf-8", 3, [(5, "name", "BAD_BYTES")])


def test_regression_utf8_rows_in_a_gb18030_file_became_other_words(tmp_path: Path) -> None:
    mixed = "姓名,城市\n张三,北京\n".encode("gb18030") + "李四,上海\n".encode()

    with pytest.raises(AudienceInvalid, match=r"mixes two encodings.* line 3 is UTF-8"):
        import_text(tmp_path, mixed)
    assert import_text(tmp_path, mixed, encoding="gb18030").rows == 2


@pytest.mark.parametrize("content", ["姓名\n张三\n".encode("utf-16"), "姓名,a\n张三,b\n".encode("utf-16-be")])
def test_regression_utf16_by_name_was_refused(tmp_path: Path, content: bytes) -> None:
    report = import_text(tmp_path, content, encoding="utf-16")

    assert rows_of(report.snapshot)[0][1] == "张三"


@pytest.mark.parametrize("name", ["base64", "idna", "punycode", "undefined", "\0"])
def test_regression_a_codec_that_is_no_text_encoding_ended_in_a_traceback(tmp_path: Path, name: str) -> None:
    with pytest.raises(AudienceInvalid, match="is not known"):
        import_text(tmp_path, "a,b\n1,2\n", encoding=name)


def test_regression_damaged_bytes_in_a_column_name_were_an_internal_error(tmp_path: Path) -> None:
    with pytest.raises(AudienceInvalid, match="the name of column 2 holds bytes that are no text"):
        import_text(tmp_path, "姓名,城市\n张三,北京\n".encode().replace("市".encode(), b"\xe5\xb8"))


@pytest.mark.parametrize("content", ['name"phone\nA"1\n', 'sep="\nname"phone\nA"1\n'])
def test_regression_a_quote_as_delimiter_was_an_internal_error(tmp_path: Path, content: str) -> None:
    with pytest.raises(AudienceInvalid, match="cannot be a quote too"):
        import_text(tmp_path, content, delimiter=None if content.startswith("sep") else '"')


@pytest.mark.parametrize("start", ["", '"'])
def test_regression_an_endless_line_took_quadratic_time(tmp_path: Path, start: str) -> None:
    with pytest.raises(AudienceInvalid, match="row 2 has more than 16,777,216 characters"):
        import_text(tmp_path, "name,phone\n" + start + "x" * (1 << 24) + "x" * 300_000)


def test_regression_a_column_name_became_a_formula_in_the_csv(tmp_path: Path) -> None:
    report = import_text(tmp_path, "name,=1+1,@x\nA,b,c\n", write_accepted=True)

    assert report.accepted_path is not None
    assert report.accepted_path.read_text().splitlines()[0] == "row,name,'=1+1,'@x"


def test_a_file_without_a_header_is_refused_before_it_loses_its_first_row(tmp_path: Path) -> None:
    with pytest.raises(AudienceInvalid, match="row 1 looks like data"):
        import_text(tmp_path, "13800000001,a\n13800000002,b\n")


def test_a_list_of_numbers_needs_no_header(tmp_path: Path) -> None:
    report = import_text(tmp_path, "13800000001\n13800000002\n", name="people.txt", schema=MOBILE_SCHEMA)

    assert (report.header_row, [column.name for column in report.columns]) == (0, ["mobile"])
    assert rows_of(report.snapshot) == [(1, "13800000001"), (2, "13800000002")]


def test_a_given_header_row_is_taken(tmp_path: Path) -> None:
    report = import_text(tmp_path, "姓名,手机号\nx,y\na,b\n", header_row=2)

    assert rows_of(report.snapshot) == [(3, "a", "b")]


def test_columns_of_one_name_are_told_apart(tmp_path: Path) -> None:
    report = import_text(tmp_path, "name,Name,name\na,b,c\n")

    assert report.snapshot.columns == ("name", "Name", "name (2)")
    assert dict(report.accepted_samples[0].fields) == {"name": "a", "Name": "b", "name (2)": "c"}


def test_a_field_of_the_schema_finds_its_column_and_the_guess_is_shown(tmp_path: Path) -> None:
    report = import_text(tmp_path, "手机号,姓名\n13800000001,张三\n", schema=MOBILE_SCHEMA)

    assert [(column.name, column.also, column.guessed) for column in report.columns] == [
        ("手机号", ("mobile",), True),
        ("姓名", (), False),
    ]
    assert report.accepted_samples[0].fields["mobile"] == "13800000001"


def test_a_mapping_wins_over_the_guess(tmp_path: Path) -> None:
    report = import_text(tmp_path, "电话,备用\n1,13800000001\n", schema=MOBILE_SCHEMA, mapping={"mobile": "备用"})

    assert report.accepted_samples[0].fields["mobile"] == "13800000001"


def test_a_missing_column_is_named_together_with_those_that_are_there(tmp_path: Path) -> None:
    with pytest.raises(AudienceInvalid, match="no column for 'mobile'; the columns are 'a', 'b'"):
        import_text(tmp_path, "a,b\n1,2\n", schema=MOBILE_SCHEMA)


def test_row_errors_name_column_and_reason(tmp_path: Path) -> None:
    report = import_text(tmp_path, "手机号,姓名\n13800000001,a\n138,b\n,c\n", schema=MOBILE_SCHEMA)

    assert [(p.row, p.column, p.code, p.reason, p.value) for p in report.problem_samples] == [
        (3, "手机号", "PATTERN", r'the cell does not match "^1\d{10}$"', "138"),
        (4, "手机号", "REQUIRED", "the cell must not be empty", ""),
    ]


def test_only_domains_of_mail_addresses_are_compared_without_case(tmp_path: Path) -> None:
    report = import_text(tmp_path, "email\nAnn@X.org\nAnn@x.ORG\nann@x.org\n", key=("email",))

    assert [row[1] for row in rows_of(report.snapshot)] == ["Ann@X.org", "ann@x.org"]
    assert problems_of(report) == [(3, "email", "DUPLICATE")]


def test_regression_without_a_key_recipients_with_one_address_all_stay(tmp_path: Path) -> None:
    report = import_text(tmp_path, "email,name\nu@x.org,a\nu@x.org,b\nu@x.org,c\n")

    assert (report.accepted, report.duplicates) == (3, 0)


def test_rows_without_any_key_are_nobodys_duplicates(tmp_path: Path) -> None:
    report = import_text(tmp_path, "email,name\n,a\n,b\n", key=("email",))

    assert (report.accepted, report.duplicates) == (2, 0)


def test_a_schema_can_name_the_key(tmp_path: Path) -> None:
    schema = {**MOBILE_SCHEMA, "x-postroad-key": "mobile"}

    report = import_text(tmp_path, "手机号\n13800000001\n13800000001\n", schema=schema)

    assert (report.key, report.duplicates) == (("手机号",), 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mobile\n", "has no rows below its header in row 1"),
        ("mobile\n1\n2\n", r"all 2 rows of the table were rejected: 2 × PATTERN in 'mobile' \(first in row 2\)"),
        ("\n\n", "no row names the columns"),
    ],
)
def test_nobody_accepted_is_an_error_that_says_why(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(AudienceInvalid, match=message):
        import_text(tmp_path, text, schema=MOBILE_SCHEMA)


def test_errors_are_listed_for_all_rows_without_formulas(tmp_path: Path) -> None:
    report = import_text(tmp_path, 'mobile\n13800000001\n"=cmd|x"\n', schema=MOBILE_SCHEMA)

    assert report.errors_path is not None
    with report.errors_path.open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file)) == [
            ["row", "column", "code", "reason", "value"],
            ["3", "mobile", "PATTERN", r'the cell does not match "^1\d{10}$"', "'=cmd|x"],
        ]


def test_accepted_rows_can_be_had_as_a_table_without_formulas(tmp_path: Path) -> None:
    report = import_text(tmp_path, "name,note\na,-1+1\n'b,ok\n", write_accepted=True)

    assert report.accepted_path is not None
    with report.accepted_path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["row", "name", "note"], ["2", "a", "'-1+1"], ["3", "''b", "ok"]]


def test_limits_say_what_was_passed(tmp_path: Path) -> None:
    with pytest.raises(AudienceInvalid, match="more than 1 rows"):
        import_text(tmp_path, "name\na\nb\n", limits=ImportLimits(max_rows=1))
    with pytest.raises(AudienceInvalid, match="2 named columns; at most 1"):
        import_text(tmp_path, "name,x\na,b\n", limits=ImportLimits(max_columns=1))
    with pytest.raises(AudienceInvalid, match="at most 3 are taken"):
        import_text(tmp_path, "name\na\n", limits=ImportLimits(max_file_bytes=3))


def test_a_cell_beyond_the_limit_rejects_its_row(tmp_path: Path) -> None:
    report = import_text(tmp_path, f"name,x\na,{'y' * 40_000}\nb,c\n")

    assert problems_of(report) == [(2, "x", "CELL_TOO_LONG")]


def test_a_nul_character_rejects_its_row(tmp_path: Path) -> None:
    report = import_text(tmp_path, "name,x\na,b\0c\nd,e\n")

    assert problems_of(report) == [(2, "x", "NUL_CHARACTER")]


def test_values_of_declared_kinds_become_numbers_and_truth(tmp_path: Path) -> None:
    schema = {"properties": {"n": {"type": "integer"}, "x": {"type": "number"}, "b": {"type": "boolean"}}}

    report = import_text(tmp_path, "n,x,b\n3,1.5,是\n4,,\n3.5,a,maybe\n", schema=schema)

    assert rows_of(report.snapshot) == [(2, 3, 1.5, True), (3, 4, None, None)]
    assert {(p.row, p.code) for p in report.problem_samples} == {(4, "INTEGER"), (4, "NUMBER"), (4, "BOOLEAN")}


def test_the_same_file_gives_the_same_snapshot(tmp_path: Path) -> None:
    text = "mobile,name\n" + "".join(f"{13800000000 + n},名{n}\n" for n in range(120_000))

    first = import_text(tmp_path, text, key=("mobile",)).sha256

    assert import_text(tmp_path, text, key=("mobile",)).sha256 == first


def test_broken_lines_before_the_first_row_of_a_list_are_counted(tmp_path: Path) -> None:
    long = "x" * 300_000
    report = import_text(tmp_path, f'a"{long}\n13800000001\n', header_row=0, quote='"', key=("mobile",))

    assert (report.rows, report.accepted, report.rejected) == (2, 1, 1)


def test_regression_a_table_larger_than_the_memory_for_it_was_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "MEMORY", "80MB")
    row = ",".join(["a value of some length"] * 40) + "\n"
    report = import_text(tmp_path, ",".join(f"c{at}" for at in range(40)) + "\n" + row * 100_000)
    assert report.accepted == 100_000
