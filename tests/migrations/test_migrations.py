"""A database comes to where the program is, whole or not at all, and what does not fit is refused."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from tests.builders.databases import (
    WORKSPACE,
    AnyDialect,
    HandClock,
    RememberedAudit,
    RememberedStanding,
    Wakeups,
    parts_of,
    postgres_address,
)
from tests.builders.notes import SYSTEM
from tests.migrations.schema_dump import schema_dump

from postroad.app.migrations import head, migrate, schema_of
from postroad.app.migrations.catalogue import whole_catalogue
from postroad.app.migrations.steps import steps
from postroad.drivers.postgres import PostgresDialect
from postroad.drivers.sqlite import SqliteDialect
from postroad.kernel import outbox
from postroad.kernel.database import Database
from postroad.kernel.uow import Aggregate
from postroad.vocabulary.events import EventName
from postroad.vocabulary.refusals import DatabaseRefused


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AnyDialect]:
    yield from _dialect(request, tmp_path / "empty.db")


@pytest.fixture
def fresh(empty: AnyDialect, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AnyDialect]:
    """Another empty database of the same kind."""
    yield from _dialect(request, tmp_path / "fresh.db", empty.name)


def _dialect(request: pytest.FixtureRequest, path: Path, kind: str = "") -> Iterator[AnyDialect]:
    if (kind or request.param) == "sqlite":
        dialect: AnyDialect = SqliteDialect(path)
    else:
        address = postgres_address(request.getfixturevalue("postgres_server"))
        dialect = PostgresDialect(address, pool_size=4, background_pool_size=0)
    yield dialect
    dialect.close()


def _look(dialect: AnyDialect, statement: str) -> object:
    with dialect.reading(10) as opened:
        return opened.connection.execute(text(statement)).scalar()


def _run(dialect: AnyDialect, *statements: str) -> None:
    with dialect.migrating(10) as connection:
        for statement in statements:
            connection.execute(text(statement))
        connection.commit()


def _step(dialect: AnyDialect) -> str | None:
    with dialect.reading(10) as opened:
        return schema_of(opened.connection)


def test_a_database_that_was_migrated_equals_a_fresh_one(empty: AnyDialect, fresh: AnyDialect) -> None:
    migrated = migrate(empty)
    assert (migrated.before, migrated.after) == (None, head())
    catalogue = whole_catalogue()
    ours = [table for table in catalogue.sorted_tables if not table.name.startswith("test_")]
    with fresh.migrating(10) as connection:
        catalogue.create_all(connection, tables=ours)
        connection.commit()
    with empty.reading(10) as old, fresh.reading(10) as new:
        assert schema_dump(old.connection) == schema_dump(new.connection), (
            "write the next step: python -m postroad.app.migrations 'What changes' (--first before the first release)"
        )


def test_a_second_start_changes_nothing(empty: AnyDialect) -> None:
    migrate(empty)
    again = migrate(empty)
    assert (again.before, again.after) == (head(), head())


def test_a_database_of_a_newer_program_is_refused(empty: AnyDialect) -> None:
    migrate(empty)
    _run(empty, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(DatabaseRefused, match=f"newer Postroad .its schema is 9999, this one knows up to {head()}"):
        migrate(empty)
    assert _step(empty) == "9999"


def test_a_database_of_strangers_is_refused(empty: AnyDialect) -> None:
    _run(empty, "CREATE TABLE wordpress_posts (id INTEGER)")
    with pytest.raises(DatabaseRefused, match="wordpress_posts"):
        migrate(empty)
    assert _step(empty) is None


def test_a_step_that_fails_leaves_the_database_as_it_was(empty: AnyDialect) -> None:
    migrate(empty)
    _run(empty, "UPDATE alembic_version SET version_num = '0000'")

    def breaks(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE half (id INTEGER)"))
        connection.execute(text("DROP TABLE idempotency_records"))
        connection.execute(text("ALTER TABLE not_there ADD COLUMN x INTEGER"))

    before = steps
    try:
        import postroad.app.migrations.upgrading as upgrading

        upgrading.steps = lambda: ("0000", *before())
        with pytest.raises(DatabaseRefused, match=r"as it was.*not_there.*report"):
            migrate(empty, breaks)
    finally:
        upgrading.steps = before
    assert _step(empty) == "0000"
    assert _look(empty, "SELECT count(*) FROM idempotency_records") == 0
    with empty.reading(10) as opened:
        assert "half" not in str(schema_dump(opened.connection))


def test_instances_that_start_at_once_migrate_once(empty: AnyDialect, request: pytest.FixtureRequest) -> None:
    others = [
        SqliteDialect(empty.path)
        if isinstance(empty, SqliteDialect)
        else PostgresDialect(empty.address, pool_size=1, background_pool_size=0)
        for _ in range(4)
    ]
    together = threading.Barrier(4)

    def start(dialect: AnyDialect) -> str | None:
        together.wait(20)
        return migrate(dialect).before

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(start, others))
    for other in others:
        other.close()
    assert sorted(found, key=str) == sorted([None, head(), head(), head()], key=str)


def test_the_kernel_works_on_what_was_migrated(empty: AnyDialect) -> None:
    migrate(empty)
    database = Database(empty, parts_of(HandClock(), Wakeups(), RememberedStanding(), RememberedAudit()))
    database.write(
        SYSTEM, lambda uow: uow.emit(EventName.JOB_CHANGED, Aggregate("job", "j", 1), {}, workspace_id=WORKSPACE)
    )
    assert len(database.read(SYSTEM, lambda reading: outbox.feed_head(reading, WORKSPACE))) >= 3


def test_events_restored_into_another_server_come_before_new_ones(empty: AnyDialect) -> None:
    if isinstance(empty, SqliteDialect):
        assert migrate(empty).after == head()
        return
    migrate(empty)
    database = Database(empty, parts_of(HandClock(), Wakeups(), RememberedStanding(), RememberedAudit()))

    def emit(job: str) -> None:
        aggregate = Aggregate("job", job, 1)
        database.write(SYSTEM, lambda uow: uow.emit(EventName.JOB_CHANGED, aggregate, {}, workspace_id=WORKSPACE))

    emit("old-1")
    emit("old-2")
    _run(empty, "UPDATE outbox_events SET transaction = transaction + 4000000000")
    assert database.read(SYSTEM, lambda reading: outbox.feed(reading, WORKSPACE, "", 10)) == ()
    migrate(empty)
    emit("new")
    items = database.read(SYSTEM, lambda reading: outbox.feed(reading, WORKSPACE, "", 10))
    assert [item.event.aggregate.id for item in items] == ["old-1", "old-2", "new"]


def test_a_start_that_has_nothing_to_do_loads_no_alembic(tmp_path: Path) -> None:
    dialect = SqliteDialect(tmp_path / "p.db")
    migrate(dialect)
    dialect.close()
    script = (
        "import sys; from pathlib import Path; from postroad.app.migrations import migrate;"
        "from postroad.drivers.sqlite import SqliteDialect;"
        f"print(migrate(SqliteDialect(Path({str(tmp_path / 'p.db')!r}))).before, 'alembic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [head(), "False"]
