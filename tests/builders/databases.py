"""A fresh database for each test, on SQLite and on PostgreSQL: ask for the fixture `databases`.

The tables of every module that was imported are made. Time is a clock that the test moves, on both databases; standing
and audit are kept in memory, so that a test can revoke a principal and read what was audited. One PostgreSQL server
serves the whole session, each test has a schema of its own.
"""

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Connection

from postroad.drivers.postgres import PostgresAddress, PostgresDialect
from postroad.drivers.sqlite import SqliteDialect
from postroad.foundation.ids import IdMaker
from postroad.kernel.authz import Principal, PrincipalKind
from postroad.kernel.database import Database, KernelParts
from postroad.kernel.pages import CursorKey
from postroad.kernel.ports import AuditEntry
from postroad.kernel.tables import metadata
from postroad.kernel.wakeups import Wakeups
from postroad.vocabulary.roles import Role
from postroad.vocabulary.secret import Secret
from tests.builders.postgres_server import PostgresServer, running_postgres

WORKSPACE = "0190a000-0000-7000-8000-000000000001"
OTHER_WORKSPACE = "0190a000-0000-7000-8000-000000000002"
START_MS = 1_800_000_000_000
CURSORS = CursorKey(b"0123456789abcdef0123456789abcdef")
_SCHEMAS = itertools.count(1)

AnyDialect = SqliteDialect | PostgresDialect


class HandClock:
    """Stands still until it is moved. `monotonic` is real, so that waits in the code under test end."""

    def __init__(self, now_ms: int = START_MS) -> None:
        self.ms = now_ms

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return time.monotonic()

    def advance(self, *, ms: int = 0, s: float = 0) -> None:
        self.ms += ms + round(s * 1000)


class RememberedStanding:
    """Everybody stands as he came, unless the test says otherwise by user, session or token id."""

    def __init__(self) -> None:
        self.revoked: set[str] = set()
        self.instead: dict[str, Principal] = {}

    def standing(self, connection: Connection, principal: Principal, now_ms: int) -> Principal | None:
        if self.revoked & {principal.user_id, principal.session_id, principal.token_id}:
            return None
        return self.instead.get(principal.user_id, principal)


class RememberedAudit:
    """Keeps what was written, also of transactions that were rolled back."""

    def __init__(self) -> None:
        self.entries: list[AuditEntry] = []

    def write(self, connection: Connection, entry: AuditEntry) -> None:
        self.entries.append(entry)


@dataclass(slots=True)
class Databases:
    database: Database
    dialect: AnyDialect
    again: Callable[[], AnyDialect]
    """Another dialect over the same database, as another instance would have it."""
    clock: HandClock = field(default_factory=HandClock)
    wakeups: Wakeups = field(default_factory=Wakeups)
    standing: RememberedStanding = field(default_factory=RememberedStanding)
    audit: RememberedAudit = field(default_factory=RememberedAudit)

    @property
    def parts(self) -> KernelParts:
        """For a `Database` of another instance."""
        return parts_of(self.clock, self.wakeups, self.standing, self.audit)

    @property
    def dialect_name(self) -> str:
        return self.dialect.name

    def member(self, role: Role, workspace_id: str = WORKSPACE, user_id: str = "user-1") -> Principal:
        """A signed-in person with one role in one workspace."""
        return Principal(
            PrincipalKind.USER, user_id, f"name of {user_id}", session_id="session-1", roles={workspace_id: role}
        )

    def close(self) -> None:
        self.database.close()


def databases_over(make: Callable[[], AnyDialect]) -> Databases:
    """Makes the tables. `make` is called for each instance."""
    dialect = make()
    dialect.create_tables(metadata)
    clock, wakeups, standing, audit = HandClock(), Wakeups(), RememberedStanding(), RememberedAudit()
    database = Database(dialect, parts_of(clock, wakeups, standing, audit))
    return Databases(database, dialect, make, clock, wakeups, standing, audit)


def parts_of(clock: HandClock, wakeups: Wakeups, standing: RememberedStanding, audit: RememberedAudit) -> KernelParts:
    return KernelParts(clock, IdMaker(clock).uuid7, standing, audit, wakeups, CURSORS)


def postgres_address(server: PostgresServer) -> PostgresAddress:
    """A fresh schema on the server."""
    address = PostgresAddress(server.url(), Secret(server.password), schema=f"test_{next(_SCHEMAS)}")
    with PostgresAddress(server.url(), Secret(server.password)).connect("tests") as connection:
        connection.execute(psycopg.sql.SQL("CREATE SCHEMA {}").format(psycopg.sql.Identifier(address.schema or "")))
    return address


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Databases]:
    if request.param == "sqlite":
        made = databases_over(lambda: SqliteDialect(tmp_path / "postroad.db"))
    else:
        address = postgres_address(request.getfixturevalue("postgres_server"))
        made = databases_over(lambda: PostgresDialect(address, pool_size=6, background_pool_size=0, server_time=False))
    yield made
    made.close()
