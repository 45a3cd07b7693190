"""A full disk, a damaged file, a folder one may not write, another process that holds the lock: each has its words."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import pytest
from tests.builders.databases import Databases, databases_over
from tests.builders.notes import SYSTEM, add_note, texts

from postroad.drivers.sqlite import SqliteDialect
from postroad.kernel.database import Database
from postroad.kernel.uow import UnitOfWork
from postroad.vocabulary.errors import StorageFailed, StorageFull
from postroad.vocabulary.refusals import DatabaseRefused, Overloaded


@pytest.fixture
def on_sqlite(tmp_path: Path) -> Databases:
    return databases_over(lambda: SqliteDialect(tmp_path / "postroad.db", most_waiting=1))


def test_a_full_disk_is_said_and_what_was_answered_stays(on_sqlite: Databases) -> None:
    on_sqlite.database.write(SYSTEM, lambda uow: add_note(uow, "kept"))

    def fill(uow: UnitOfWork) -> None:
        pages = uow.connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        uow.connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2}")
        for _ in range(100):
            add_note(uow, "x" * 4000)

    with pytest.raises(StorageFull, match="make room"):
        on_sqlite.database.write(SYSTEM, fill)
    assert on_sqlite.database.read(SYSTEM, texts) == ["kept"]
    on_sqlite.database.write(SYSTEM, lambda uow: uow.connection.exec_driver_sql("PRAGMA max_page_count = 1073741823"))
    on_sqlite.database.write(SYSTEM, lambda uow: add_note(uow, "after"))
    assert on_sqlite.database.read(SYSTEM, texts) == ["kept", "after"]
    on_sqlite.close()


@pytest.mark.parametrize("content", [b"no database at all" * 300, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_refused(tmp_path: Path, on_sqlite: Databases, content: bytes) -> None:
    path = tmp_path / "other.db"
    path.write_bytes(content)
    database = Database(SqliteDialect(path), on_sqlite.parts)
    for run in (database.read, database.write):
        with pytest.raises(DatabaseRefused, match="restore it from a backup"):
            run(SYSTEM, texts)
    assert path.read_bytes() == content
    database.close()
    on_sqlite.close()


def test_a_page_that_was_damaged_later_is_refused(tmp_path: Path, on_sqlite: Databases) -> None:
    for number in range(50):
        on_sqlite.database.write(SYSTEM, lambda uow, n=number: add_note(uow, f"{n}" * 500))
    on_sqlite.close()
    path = tmp_path / "postroad.db"
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))
    with pytest.raises(DatabaseRefused):
        on_sqlite.database.read(SYSTEM, texts)
    on_sqlite.close()


def test_a_folder_that_is_not_there_is_said(tmp_path: Path, on_sqlite: Databases) -> None:
    database = Database(SqliteDialect(tmp_path / "no" / "folder" / "postroad.db"), on_sqlite.parts)
    with pytest.raises(StorageFailed, match="check the disk"):
        database.read(SYSTEM, texts)
    on_sqlite.close()


def test_another_process_that_writes_is_waited_for(tmp_path: Path, on_sqlite: Databases) -> None:
    other = sqlite3.connect(tmp_path / "postroad.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(on_sqlite.database.write, SYSTEM, lambda uow: add_note(uow, "kept"))
        other.execute("INSERT INTO test_notes (id, text) VALUES ('0', 'theirs')")
        other.execute("COMMIT")
        waiting.result(20)
    assert on_sqlite.database.read(SYSTEM, texts) == ["theirs", "kept"]
    other.close()
    on_sqlite.close()


def test_another_process_that_never_ends_is_overload_and_not_a_lock(tmp_path: Path, on_sqlite: Databases) -> None:
    other = sqlite3.connect(tmp_path / "postroad.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Overloaded, match="nothing was changed"):
        on_sqlite.database.write(SYSTEM, lambda uow: add_note(uow, "late"), deadline_s=0.3)
    other.execute("ROLLBACK")
    other.close()
    on_sqlite.close()


def test_a_full_line_of_writers_is_refused_at_once(on_sqlite: Databases) -> None:
    inside, let_go = threading.Event(), threading.Event()

    def slow(_: UnitOfWork) -> None:
        inside.set()
        let_go.wait(20)

    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(on_sqlite.database.write, SYSTEM, slow)
        inside.wait(20)
        others = [pool.submit(on_sqlite.database.write, SYSTEM, lambda _: None) for _ in range(2)]
        refused = next(as_completed(others, timeout=20))
        assert isinstance(refused.exception(), Overloaded)
        let_go.set()
        first.result(20)
    assert sorted(other.exception() is None for other in others) == [False, True]
    on_sqlite.close()


def test_every_connection_is_set_up_to_survive_a_power_loss(on_sqlite: Databases) -> None:
    for run in (on_sqlite.database.read, on_sqlite.database.write):
        found = [
            run(SYSTEM, lambda reading, name=name: reading.connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())
            for name in ("journal_mode", "synchronous", "foreign_keys", "trusted_schema")
        ]
        assert found == ["wal", 2, 1, 0]
    on_sqlite.close()


def test_the_wal_is_folded_into_the_file_when_the_last_connection_closes(tmp_path: Path, on_sqlite: Databases) -> None:
    on_sqlite.database.write(SYSTEM, lambda uow: add_note(uow, "kept"))
    assert (tmp_path / "postroad.db-wal").stat().st_size > 0
    on_sqlite.close()
    assert not (tmp_path / "postroad.db-wal").exists()
