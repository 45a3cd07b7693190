"""Where a query may go, and what a source and a layout may say."""

from pathlib import Path

import pytest

from postroad.modules.audiences.model import FileSource, Layout, QuerySource, SyntheticSource
from postroad.modules.audiences.parts.source_rules import check_layout, check_source
from postroad.modules.audiences.parts.storable import storable
from postroad.vocabulary.refusals import ValidationFailed

POSTGRES = "postgresql://reader@db.example.com/crm"


def problem(source: object, folders: tuple[Path, ...] = ()) -> tuple[str, str]:
    with pytest.raises(ValidationFailed) as refused:
        check_source(source, folders)  # type: ignore[arg-type]
    return refused.value.problems[0].path, refused.value.problems[0].code


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1",
        "  select name from people",
        "-- who\nSELECT 1",
        "/* a */ /* b */ SELECT 1",
        "(SELECT 1)",
        "with x as (select 1) select * from x",
        "VALUES (1)",
    ],
)
def test_a_reading_statement_is_taken(query: str) -> None:
    check_source(QuerySource(POSTGRES, query), ())


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "DELETE FROM people",
        "COPY people TO PROGRAM 'x'",
        "-- SELECT",
        "/* SELECT 1",
        "selecting",
        "DO $$ $$",
    ],
)
def test_anything_else_is_refused(query: str) -> None:
    assert problem(QuerySource(POSTGRES, query)) == ("query", "NOT_A_SELECT")


@pytest.mark.parametrize(
    ("database", "code"),
    [
        ("mysql://db/x", "UNKNOWN"),
        ("people.db", "UNKNOWN"),
        ("postgresql://reader:hunter2@db/x", "PASSWORD"),
        ("postgresql://db/x?passfile=/etc/shadow", "OPTION"),
        ("postgresql://db/x?sslkey=/etc/key&sslmode=require", "OPTION"),
        ("postgresql://db/x?service=other", "OPTION"),
        ("postgresql://db/x?options=-csearch_path%3Dx", "OPTION"),
        ("postgresql://db/x#y", "OPTION"),
        ("postgresql://[::1/x", "UNREADABLE"),
        ("sqlite:////srv/people.db", "FILES_REFUSED"),
        ("duckdb:////srv/people.db", "FILES_REFUSED"),
    ],
)
def test_a_database_that_may_not_be_asked_is_refused(database: str, code: str) -> None:
    assert problem(QuerySource(database, "SELECT 1")) == ("database", code)


def test_the_password_is_never_repeated_in_a_refusal() -> None:
    with pytest.raises(ValidationFailed) as refused:
        check_source(QuerySource("postgresql://reader:hunter2@db/x", "SELECT 1"), ())
    assert "hunter2" not in str(refused.value)


def test_database_files_lie_in_the_folders_of_the_operator_and_nowhere_else(tmp_path: Path) -> None:
    open_folder, closed = tmp_path / "open", tmp_path / "closed"
    open_folder.mkdir()
    closed.mkdir()
    (closed / "postroad.db").write_text("")
    (open_folder / "link.db").symlink_to(closed / "postroad.db")
    check_source(QuerySource(f"sqlite:///{open_folder}/people.db", "SELECT 1"), (open_folder,))
    for path in (
        closed / "postroad.db",
        open_folder / ".." / "closed" / "postroad.db",
        open_folder / "link.db",
        Path(f"{open_folder}-other/people.db"),
    ):
        assert problem(QuerySource(f"sqlite:///{path}", "SELECT 1"), (open_folder,)) == ("database", "FOLDER_REFUSED")


def test_a_file_name_with_a_nul_is_refused(tmp_path: Path) -> None:
    assert problem(QuerySource("sqlite:////srv/a%00b", "SELECT 1"), (tmp_path,)) == ("database", "UNREADABLE")


@pytest.mark.parametrize(
    ("source", "path"),
    [
        (QuerySource(POSTGRES, "SELECT 1", timeout_s=0), "timeoutSeconds"),
        (QuerySource(POSTGRES, "SELECT 1", timeout_s=3_601), "timeoutSeconds"),
        (QuerySource(POSTGRES, "SELECT 1", max_rows=0), "maxRows"),
        (QuerySource(POSTGRES, "SELECT 1", password="a b"), "password"),
        (QuerySource(POSTGRES, "SELECT 1", password="account:1/x"), "password"),
        (QuerySource(POSTGRES, "SELECT '\0'"), "query"),
        (SyntheticSource(0), "count"),
        (SyntheticSource(10_000_001), "count"),
        (FileSource("a.csv", format="xml"), "format"),
        (FileSource("a.csv", delimiter="::"), "delimiter"),
        (FileSource("a.csv", quote="''"), "quote"),
        (FileSource("a.csv", header_row=-1), "headerRow"),
        (FileSource("a.csv", sheet="\0"), "sheet"),
    ],
)
def test_a_source_out_of_its_bounds_is_refused_by_its_field(source: object, path: str) -> None:
    assert problem(source)[0] == path


@pytest.mark.parametrize(
    "layout",
    [
        Layout(key=("",)),
        Layout(key=tuple(f"c{n}" for n in range(17))),
        Layout(mapping={"": "a"}),
        Layout(mapping={"a": "b" * 501}),
        Layout(key=("a\0",)),
        Layout(mapping={"a": "\0"}),
    ],
)
def test_a_layout_names_columns(layout: Layout) -> None:
    with pytest.raises(ValidationFailed):
        check_layout(layout)


def test_what_no_database_can_keep_is_replaced() -> None:
    assert storable({"a\0": ["\udc80x", 1, None, {"b": True}]}) == {"a\ufffd": ["?x", 1, None, {"b": True}]}
