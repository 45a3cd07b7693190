"""A fresh database for each test, on SQLite and on PostgreSQL: ask for the fixture `databases`.

The tables of every module that was imported are made. Time is a clock that the test moves; standing and audit are kept
in memory, so that a test can revoke a principal and read what was audited.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import Connection

from postroad.drivers.sqlite import SqliteDialect
from postroad.foundation.ids import IdMaker
from postroad.kernel.authz import Principal, PrincipalKind
from postroad.kernel.database import Database, KernelParts
from postroad.kernel.pages import CursorKey
from postroad.kernel.ports import AuditEntry
from postroad.kernel.tables import metadata
from postroad.kernel.wakeups import Wakeups
from postroad.vocabulary.roles import Role

WORKSPACE = "0190a000-0000-7000-8000-000000000001"
OTHER_WORKSPACE = "0190a000-0000-7000-8000-000000000002"
START_MS = 1_800_000_000_000
CURSORS = CursorKey(b"0123456789abcdef0123456789abcdef")


class HandClock:
    """Stands still until it is moved. `monotonic` is real, so that waits in the code under test end."""

    def __init__(self, now_ms: int = START_MS) -> None:
        self.ms = now_ms

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        import time

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
    dialect_name: str
    clock: HandClock
    wakeups: Wakeups
    standing: RememberedStanding = field(default_factory=RememberedStanding)
    audit: RememberedAudit = field(default_factory=RememberedAudit)

    def member(self, role: Role, workspace_id: str = WORKSPACE, user_id: str = "user-1") -> Principal:
        """A signed-in person with one role in one workspace."""
        return Principal(
            PrincipalKind.USER, user_id, f"name of {user_id}", session_id="session-1", roles={workspace_id: role}
        )


_COUNTER = itertools.count(1)


def sqlite_databases(path: Path) -> Databases:
    dialect = SqliteDialect(path)
    dialect.create_tables(metadata)
    return _around(dialect)


def _around(dialect: SqliteDialect) -> Databases:
    clock, wakeups, standing, audit = HandClock(), Wakeups(), RememberedStanding(), RememberedAudit()
    parts = KernelParts(clock, IdMaker(clock).uuid7, standing, audit, wakeups, CURSORS)
    return Databases(Database(dialect, parts), dialect.name, clock, wakeups, standing, audit)


@pytest.fixture(params=["sqlite"])
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Databases]:
    made = sqlite_databases(tmp_path / "postroad.db")
    yield made
    made.database.close()
