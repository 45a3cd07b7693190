import pytest

from postroad.recipients.intake.header import find_header
from postroad.recipients.intake.words import guess_column, lead_to_columns
from postroad.vocabulary.errors import AudienceInvalid


def header_row(*rows: str, wanted: tuple[str, ...] = (), asked: int | None = None) -> int:
    cells = [row.split(",") for row in rows]
    return find_header(range(1, len(rows) + 1), cells, wanted, asked).row


def test_the_first_full_row_is_the_header() -> None:
    assert header_row("list of people,,", ",,", "x,y,z", "1,2,3") == 3


def test_a_common_word_among_data_is_no_header() -> None:
    assert header_row("order,product", "A1,手机", "A2,平板") == 1


def test_rows_with_a_cell_too_many_do_not_hide_the_header() -> None:
    assert header_row("x,y,z", "a,b,c,d", "e,f,g,h") == 1


def test_a_row_of_groups_with_gaps_is_not_the_header() -> None:
    assert header_row("p,,q,", "x,y,z,w", "a,b,c,d") == 2


def test_a_word_we_wait_for_wins_over_fullness() -> None:
    assert header_row("a,b,c", "code,,", "1,2,3", wanted=("code",)) == 2


def test_common_words_are_known() -> None:
    assert header_row("甲,乙", "姓名,手机号码", "张三,138") == 2


@pytest.mark.parametrize("row", ["13800000001,a", "a,u@x.org", "1,2"])
def test_data_is_no_header(row: str) -> None:
    with pytest.raises(AudienceInvalid, match="row 1 looks like data"):
        header_row(row, row)


def test_a_given_row_must_be_there() -> None:
    assert header_row("1,2", "3,4", asked=2) == 2
    with pytest.raises(AudienceInvalid, match="headerRow 9 is not among the first 2 rows"):
        header_row("a,b", "c,d", asked=9)


def test_names_lose_what_nobody_sees() -> None:
    header = find_header([1], [["\ufeff 手机\u200b号 ", "a\n b"]], (), None)

    assert header.names == ["手机号", "a b"]


@pytest.mark.parametrize(
    ("field", "columns", "expected"),
    [
        ("mobile", ["手机号", "姓名"], "手机号"),
        ("mobile", ["Mobile *", "姓名"], "Mobile *"),
        ("email", ["电子邮箱"], "电子邮箱"),
        ("mobile", ["手机号", "电话"], None),
        ("code", ["手机号"], None),
    ],
)
def test_a_guess_is_made_only_where_one_column_can_be_meant(
    field: str, columns: list[str], expected: str | None
) -> None:
    assert guess_column(field, columns) == expected


def test_a_mapping_to_nowhere_is_refused_with_the_columns() -> None:
    with pytest.raises(AudienceInvalid, match="leads 'a' to column 'x', which is not there; the columns are 'b', 'c'"):
        lead_to_columns(["b", "c"], {"a": "x"}, [])


def test_a_mapping_cannot_hide_a_column() -> None:
    with pytest.raises(AudienceInvalid, match="there is a column 'a' too"):
        lead_to_columns(["a", "b"], {"a": "b"}, [])
