import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import psycopg
import pytest
from tests.builders.postgres_server import PostgresServer
from tests.builders.tables import problems_of, rows_of

from postroad.recipients import ImportReport, ImportRequest, QueryInput, import_audience
from postroad.recipients.intake.pipeline import run_import
from postroad.vocabulary.errors import AudienceInvalid, EgressDenied
from postroad.vocabulary.secret import Secret

PEOPLE = "CREATE TABLE people (mobile TEXT, age INTEGER, note TEXT)"
ADDED = "INSERT INTO people VALUES ('013800000001', 41, NULL), ('013800000002', NULL, '')"


def query(folder: Path, database: str, text: str, address: str | None = None, password: str = "") -> ImportReport:
    source = QueryInput(database, text, Secret(password) if password else None)
    return run_import(ImportRequest(source, folder / "out"), address, lambda _: None)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    with closing(sqlite3.connect(tmp_path / "people.db")) as database:
        database.execute(PEOPLE)
        database.execute(ADDED)
        database.commit()
    return f"sqlite:///{tmp_path / 'people.db'}"


@pytest.fixture
def duckdb_url(tmp_path: Path) -> str:
    with duckdb.connect(str(tmp_path / "people.duckdb")) as database:
        database.execute(PEOPLE)
        database.execute(ADDED)
    return f"duckdb:///{tmp_path / 'people.duckdb'}"


@pytest.mark.parametrize("kind", ["sqlite_url", "duckdb_url"])
def test_rows_of_a_query_keep_their_kind_and_order(tmp_path: Path, kind: str, request: pytest.FixtureRequest) -> None:
    report = query(tmp_path, request.getfixturevalue(kind), "SELECT * FROM people ORDER BY mobile DESC")

    assert report.format == "query"
    assert rows_of(report.snapshot) == [(1, "013800000002", None, ""), (2, "013800000001", 41, None)]


@pytest.mark.parametrize("text", ["DELETE FROM people", "ATTACH 'other.db' AS o", "PRAGMA query_only = 0", "nonsense"])
def test_a_query_of_sqlite_can_only_read(tmp_path: Path, sqlite_url: str, text: str) -> None:
    with pytest.raises(AudienceInvalid, match="query"):
        query(tmp_path, sqlite_url, text)

    assert query(tmp_path, sqlite_url, "SELECT * FROM people").rows == 2


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM people",
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY people TO 'x.csv'",
        "SET enable_external_access = true",
    ],
)
def test_a_query_of_duckdb_can_only_read_its_file(tmp_path: Path, duckdb_url: str, text: str) -> None:
    with pytest.raises(AudienceInvalid, match="query"):
        query(tmp_path, duckdb_url, text)


def test_a_database_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(AudienceInvalid, match="no database file"):
        query(tmp_path, f"sqlite:///{tmp_path}/none.db", "SELECT 1")
    with pytest.raises(AudienceInvalid, match="must begin with sqlite:///, duckdb:/// or postgresql://, not 'mysql'"):
        query(tmp_path, "mysql://x/y", "SELECT 1")


def test_an_empty_result_says_so(tmp_path: Path, sqlite_url: str) -> None:
    with pytest.raises(AudienceInvalid, match="no rows"):
        query(tmp_path, sqlite_url, "SELECT * FROM people WHERE mobile = 'x'")


def test_postgresql_streams_rows_from_the_checked_address(tmp_path: Path, postgres: PostgresServer) -> None:
    source = QueryInput(
        postgres.url(host="people.example"),
        "SELECT n::text AS mobile, n AS age, DATE '2026-11-30' AS day, 1.50::numeric AS price, 'a%' LIKE '%%' AS ok "
        "FROM generate_series(1, 5000) AS n",
        Secret(postgres.password),
    )
    asked = []

    def resolve(host: str, port: int) -> str:
        asked.append((host, port))
        return "127.0.0.1"

    report = import_audience(ImportRequest(source, tmp_path / "out"), resolve_checked=resolve)

    assert asked == [("people.example", postgres.port)]
    assert (report.rows, report.accepted) == (5000, 5000)
    assert rows_of(report.snapshot)[4999] == (5000, "5000", 5000, "2026-11-30", "1.50", True)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (x int)",
        "SELECT 1; CREATE TABLE t (x int)",
        "SELECT 1; SET TRANSACTION READ WRITE; CREATE TABLE t (x int)",
        "SELECT set_config('transaction_read_only', 'off', false)",
    ],
)
def test_a_query_of_postgresql_can_only_read(tmp_path: Path, postgres: PostgresServer, text: str) -> None:
    with pytest.raises(AudienceInvalid, match="query"):
        query(tmp_path, postgres.url(), text, "127.0.0.1", postgres.password)

    with psycopg.connect(postgres.url(), password=postgres.password) as connection:
        assert connection.execute("SELECT to_regclass('t')").fetchone() == (None,)


def test_a_wrong_password_is_said_without_it(tmp_path: Path, postgres: PostgresServer) -> None:
    with pytest.raises(AudienceInvalid) as refused:
        query(tmp_path, postgres.url(), "SELECT 1", "127.0.0.1", "swordfish")

    assert "password authentication failed" in refused.value.message
    assert "swordfish" not in refused.value.message


def test_a_network_query_without_a_checked_address_is_refused(tmp_path: Path) -> None:
    request = ImportRequest(QueryInput("postgresql://u@db.example/x", "SELECT 1"), tmp_path)

    with pytest.raises(EgressDenied):
        import_audience(request)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql:///x",
        "postgresql://a,b/x",
        "postgresql://u@h/x?hostaddr=10.0.0.1",
        "postgresql://u@h/x?host=/run/postgresql",
        "postgresql://u@%2Frun%2Fpostgresql/x",
    ],
)
def test_a_url_that_hides_another_address_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(AudienceInvalid, match="one host"):
        import_audience(
            ImportRequest(QueryInput(url, "SELECT 1"), tmp_path), resolve_checked=lambda host, port: "127.0.0.1"
        )


def test_a_value_that_is_no_recipient_value_rejects_its_row(tmp_path: Path, sqlite_url: str) -> None:
    report = query(tmp_path, sqlite_url, "SELECT 'a' AS x UNION ALL SELECT x'00ff'")

    assert problems_of(report) == [(2, "x", "UNUSABLE_VALUE")]


def test_regression_two_columns_of_one_name_became_one(tmp_path: Path, sqlite_url: str) -> None:
    report = query(tmp_path, sqlite_url, "SELECT 1 AS a, 2 AS a, 3 AS ''")

    assert report.snapshot.columns == ("a", "a (2)", "column_3")
    assert rows_of(report.snapshot) == [(1, 1, 2, 3)]
