"""Rows of a reading query. The connection cannot write, reach other files or, for PostgreSQL, go to another address.

PostgreSQL is reached at the one checked address its host was resolved to; the host name stays for TLS. Its query runs
in a read-only transaction by the extended protocol, which takes one statement only, and rows are streamed.
"""

import datetime
import decimal
import sqlite3
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import cast
from urllib.parse import unquote, urlsplit

from postroad.recipients.reading.records import PLAIN_KINDS, Block, Cell, CellFault, Origin
from postroad.recipients.request import QueryInput
from postroad.vocabulary.errors import AudienceInvalid

_BLOCK_ROWS = 2_048
_KINDS = {"sqlite": "sqlite", "duckdb": "duckdb", "postgresql": "postgresql", "postgres": "postgresql"}


def database_kind(source: QueryInput) -> str:
    scheme = urlsplit(source.database).scheme
    if scheme not in _KINDS:
        raise AudienceInvalid(
            "database must begin with sqlite:///, duckdb:/// or postgresql://, "
            f"not {source.database.partition(':')[0]!r}",
            field="query.database",
        )
    return _KINDS[scheme]


def postgres_target(source: QueryInput) -> tuple[str, int]:
    """The host and port a query wants to reach. Raises AudienceInvalid for sockets, several hosts and none."""
    parts = urlsplit(source.database)
    try:
        host, port = parts.hostname, parts.port or 5432
    except ValueError:
        host, port = None, 0
    if not host or "/" in unquote(host) or "," in parts.netloc or "hostaddr" in parts.query or "host=" in parts.query:
        raise AudienceInvalid("database needs one host: postgresql://user@host:port/name", field="query.database")
    return host, port


class QueryRows:
    ragged = False

    def __init__(self, source: QueryInput, address: str | None) -> None:
        kind = database_kind(source)
        self.origin = Origin("query")
        if kind == "postgresql":
            self._rows = _postgres(source, address)
        else:
            self._rows = _sqlite(source) if kind == "sqlite" else _duckdb(source)
        first = next(self._rows, None)
        self.columns: Sequence[str] | None = [str(name) for name in first] if first is not None else []

    def blocks(self) -> Iterator[Block]:
        number = 1
        rows: list[list[Cell]] = []
        for row in self._rows:
            rows.append([_cell(value) for value in row])
            if len(rows) == _BLOCK_ROWS:
                yield Block(range(number, number + len(rows)), rows, suspicious=True)
                number += len(rows)
                rows = []
        yield Block(range(number, number + len(rows)), rows, suspicious=True)


def _cell(value: object) -> Cell:
    if type(value) in PLAIN_KINDS:
        return cast("Cell", value)
    if isinstance(value, decimal.Decimal | uuid.UUID):
        return str(value)
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    return CellFault(
        "UNUSABLE_VALUE", f"a {type(value).__name__} is no text, number, boolean or date; convert it in the query", ""
    )


def _file_of(source: QueryInput) -> Path:
    path = Path(unquote(urlsplit(source.database).path))
    found = path if path.is_file() else Path(str(path).lstrip("/"))
    if not found.is_file():
        raise AudienceInvalid(f"there is no database file {path}", field="query.database")
    return found


def _sqlite(source: QueryInput) -> Iterator[Sequence[object]]:
    """First the column names, then the rows."""
    try:
        with closing(sqlite3.connect(f"{_file_of(source).resolve().as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("PRAGMA query_only = 1")
            connection.set_authorizer(_only_reads)
            cursor = connection.execute(source.query)
            if cursor.description is None:
                raise AudienceInvalid("the query gives no rows; use SELECT", field="query.query")
            yield [column[0] for column in cursor.description]
            yield from cursor
    except sqlite3.Error as error:
        raise AudienceInvalid(f"the query failed: {error}", field="query.query") from None


def _only_reads(action: int, *_: object) -> int:
    reads = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
    return sqlite3.SQLITE_OK if action in reads else sqlite3.SQLITE_DENY


def _duckdb(source: QueryInput) -> Iterator[Sequence[object]]:
    import duckdb

    closed: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": False,
        "lock_configuration": True,
        "memory_limit": "200MB",
        "threads": 1,
    }
    try:
        with duckdb.connect(str(_file_of(source)), read_only=True, config=closed) as connection:
            cursor = connection.execute(source.query)
            yield [column[0] for column in cursor.description or ()]
            while rows := cursor.fetchmany(_BLOCK_ROWS):
                yield from rows
    except duckdb.Error as error:
        raise AudienceInvalid(f"the query failed: {error}", field="query.query") from None


def _postgres(source: QueryInput, address: str | None) -> Iterator[Sequence[object]]:
    import psycopg

    host, port = postgres_target(source)
    if address is None:
        raise AudienceInvalid(f"connecting to {host} is not allowed here", field="query.database")
    milliseconds = int(source.timeout_s * 1000)
    try:
        with (
            psycopg.connect(
                source.database,
                host=host,
                hostaddr=address,
                port=port,
                password=source.password.reveal() if source.password is not None else None,
                connect_timeout=10,
                options=f"-c default_transaction_read_only=on -c statement_timeout={milliseconds}",
            ) as connection,
            connection.cursor() as cursor,
        ):
            connection.read_only = True
            names_sent = False
            for row in cursor.stream(source.query.encode(), size=_BLOCK_ROWS):
                if not names_sent:
                    yield [column.name for column in cursor.description or ()]
                    names_sent = True
                yield row
    except psycopg.Error as error:
        raise AudienceInvalid(f"the query failed: {str(error).strip()}", field="query.query") from None
