"""One database for all tests of a module, emptied before each: making the tables costs more than most tests do.

A conftest that imports `databases` from here gives its tests these instead of fresh ones.
"""

from collections.abc import Iterator

import pytest
from sqlalchemy import delete

from postroad.drivers.sqlite import SqliteDialect
from postroad.kernel.database import Database
from postroad.kernel.tables import metadata
from tests.builders.databases import (
    AnyDialect,
    Databases,
    HandClock,
    PostgresDialect,
    RememberedAudit,
    RememberedStanding,
    Wakeups,
    databases_over,
    parts_of,
    postgres_address,
)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def kept_databases(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    if request.param == "sqlite":
        path = tmp_path_factory.mktemp("database") / "postroad.db"
        made = databases_over(lambda: SqliteDialect(path))
    else:
        address = postgres_address(request.getfixturevalue("postgres_server"))
        made = databases_over(lambda: PostgresDialect(address, pool_size=6, background_pool_size=0, server_time=False))
    yield made
    made.close()


@pytest.fixture
def databases(kept_databases: Databases) -> Databases:
    """Empty, with a clock, a standing and an audit of its own."""
    _sweep(kept_databases.dialect)
    clock, wakeups, standing, audit = HandClock(), Wakeups(), RememberedStanding(), RememberedAudit()
    database = Database(kept_databases.dialect, parts_of(clock, wakeups, standing, audit))
    return Databases(database, kept_databases.dialect, kept_databases.again, clock, wakeups, standing, audit)


def _sweep(dialect: AnyDialect) -> None:
    with dialect.writing(10) as opened:
        for table in reversed(metadata.sorted_tables):
            opened.connection.execute(delete(table))
        opened.connection.commit()
