"""Many write at once: nobody's change is lost, nobody sees another's lock, and whoever must wait too long is told."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy import text
from tests.builders.databases import Databases
from tests.builders.notes import SYSTEM, bump, move, set_counter, values

from postroad.kernel.database import Database
from postroad.kernel.uow import UnitOfWork
from postroad.vocabulary.refusals import Overloaded

THREADS, EACH = 32, 12


def test_32_writers_at_once_lose_no_update(databases: Databases) -> None:
    names = [f"c{number}" for number in range(5)]

    def start(uow: UnitOfWork) -> None:
        for name in (*names, "total"):
            set_counter(uow, name, 1000 if name != "total" else 0)

    databases.database.write(SYSTEM, start)

    def work(thread: int) -> None:
        for turn in range(EACH):
            source, target = names[(thread + turn) % 5], names[(thread * turn + 1) % 5]

            def once(uow: UnitOfWork, source: str = source, target: str = target) -> None:
                if source != target:
                    move(uow, source, target, 7)
                bump(uow, "total")

            databases.database.write(SYSTEM, once, deadline_s=50.0)
            if turn % 4 == 0:
                seen = databases.database.read(SYSTEM, values)
                assert sum(seen[name] for name in names) == 5000

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))
    found = databases.database.read(SYSTEM, values)
    assert sum(found[name] for name in names) == 5000
    assert found["total"] == THREADS * EACH


def test_readers_do_not_wait_for_a_writer(databases: Databases) -> None:
    databases.database.write(SYSTEM, lambda uow: set_counter(uow, "c", 1))

    def work(uow: UnitOfWork) -> dict[str, int]:
        bump(uow, "c")
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(databases.database.read, SYSTEM, values).result(timeout=20)

    assert databases.database.write(SYSTEM, work) == {"c": 1}


def test_who_waits_longer_than_the_deadline_is_told_to_come_again(databases: Databases) -> None:
    databases.database.write(SYSTEM, lambda uow: set_counter(uow, "c", 0))
    inside, let_go = threading.Event(), threading.Event()

    def slow(uow: UnitOfWork) -> None:
        bump(uow, "c")
        inside.set()
        let_go.wait(20)

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(databases.database.write, SYSTEM, slow)
        inside.wait(20)
        with pytest.raises(Overloaded, match="nothing was changed") as refused:
            databases.database.write(SYSTEM, lambda uow: bump(uow, "c"), deadline_s=0.2)
        let_go.set()
        first.result(timeout=20)
    assert refused.value.retry_after_s is not None
    assert databases.database.read(SYSTEM, values) == {"c": 1}


@pytest.mark.parametrize("run", ["read", "write"])
def test_a_statement_that_runs_over_the_deadline_is_stopped(databases: Databases, run: str) -> None:
    endless = {
        "sqlite": "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
        "postgresql": "SELECT pg_sleep(600)",
    }[databases.dialect_name]
    database = Database(databases.again(), replace(databases.parts, read_deadline_s=0.2, write_deadline_s=0.2))
    with pytest.raises(Overloaded):
        getattr(database, run)(SYSTEM, lambda reading: reading.connection.execute(text(endless)))
    database.write(SYSTEM, lambda uow: set_counter(uow, "after", 1))
    database.close()
