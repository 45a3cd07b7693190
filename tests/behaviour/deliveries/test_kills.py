"""Dispatchers that are killed again and again leave every event done once for every consumer, in order."""

import random
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import func, select, text
from tests.behaviour.deliveries.dispatching_child import consumers, database_of
from tests.builders.databases import WORKSPACE, AnyDialect, Databases
from tests.builders.notes import SYSTEM

from postroad.drivers.sqlite import SqliteDialect
from postroad.kernel.consumers import ConsumerRegistry
from postroad.kernel.consumers.rows import event_deliveries
from postroad.kernel.database import Database
from postroad.kernel.uow import Aggregate, Reading, UnitOfWork
from postroad.vocabulary.events import EventName

RUNS, VERSIONS = 40, 5
INSTANCES = 2


def arguments_of(dialect: AnyDialect) -> list[str]:
    if isinstance(dialect, SqliteDialect):
        return [str(dialect.path)]
    address = dialect.address
    return [address.url, address.password.reveal() if address.password else "", address.schema or ""]


def emit(database: Database, run: str, versions: range) -> list[str]:
    def emitted(uow: UnitOfWork) -> list[str]:
        return [
            uow.emit(EventName.RUN_CREATED, Aggregate("run", run, version), {"runId": run}, workspace_id=WORKSPACE)
            for version in versions
        ]

    return database.write(SYSTEM, emitted)


def unfinished(reading: Reading) -> int:
    counted = select(func.count()).where(event_deliveries.c.state != "SUCCEEDED")
    return reading.connection.execute(counted).scalar_one()


def kill_until_done(command: list[str], database: Database, seed: int, ends: float, kill_for_s: float) -> int:
    """Keeps `INSTANCES` children alive, kills one now and then, and leaves them alone at last; how many died."""
    chance = random.Random(seed)
    quiet = time.monotonic() + kill_for_s
    died = 0
    children = [subprocess.Popen(command) for _ in range(INSTANCES)]
    try:
        while time.monotonic() < ends:
            threading.Event().wait(chance.uniform(0.05, 0.4))
            if time.monotonic() < quiet:
                chance.choice(children).kill()
            for number, child in enumerate(children):
                if child.poll() is not None:
                    died += 1
                    children[number] = subprocess.Popen(command)
            if time.monotonic() >= quiet and database.read(SYSTEM, unfinished) == 0:
                return died
        raise AssertionError(f"{database.read(SYSTEM, unfinished)} deliveries were not done in time")
    finally:
        for child in children:
            child.kill()
            child.wait()


def check(database: Database, folder: Path, events: list[str]) -> None:
    def found(reading: Reading) -> tuple[list[tuple[str, str, int]], list[tuple[str, str]]]:
        states = text("SELECT consumer, state, count(*) FROM event_deliveries GROUP BY consumer, state")
        effects = text("SELECT event_id, what FROM test_effects ORDER BY number")
        return (
            [tuple(row) for row in reading.connection.execute(states)],
            [tuple(row) for row in reading.connection.execute(effects)],
        )

    states, effects = database.read(SYSTEM, found)
    assert sorted(states) == [("calls", "SUCCEEDED", len(events)), ("notes", "SUCCEEDED", len(events))]
    assert Counter(event for event, _ in effects) == Counter(events)
    by_run: dict[str, list[int]] = {}
    for _, what in effects:
        run, _, version = what.partition("/")
        by_run.setdefault(run, []).append(int(version))
    assert all(versions == sorted(versions) for versions in by_run.values())
    received = {line for path in folder.iterdir() for line in path.read_text().splitlines()}
    assert received == {f"calls:{event}" for event in events}


@pytest.mark.parametrize("seed", [1])
def test_every_event_is_done_once_for_every_consumer_however_often_they_die(
    databases: Databases, tmp_path: Path, seed: int
) -> None:
    folder = tmp_path / "receiver"
    folder.mkdir()
    where = arguments_of(databases.dialect)
    database = database_of(where, ConsumerRegistry(consumers(folder, dies=False)))
    events = [event for run in range(RUNS) for event in emit(database, f"r{run}", range(1, VERSIONS + 1))]
    command = [sys.executable, "-m", "tests.behaviour.deliveries.dispatching_child", *where, str(folder)]
    died = kill_until_done(command, database, seed, time.monotonic() + 90.0, kill_for_s=4.0)
    check(database, folder, events)
    assert died > 0
    database.close()
