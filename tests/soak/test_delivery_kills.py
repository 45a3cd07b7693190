"""Five minutes of random kills of dispatchers on each database: every event is done once for every consumer."""

import sys
import time
from pathlib import Path

from tests.behaviour.deliveries.dispatching_child import consumers, database_of
from tests.behaviour.deliveries.test_kills import arguments_of, check, emit, kill_until_done
from tests.builders.databases import Databases

from postroad.kernel.consumers import ConsumerRegistry

KILLING_S, MOST_S = 300.0, 900.0
RUNS, VERSIONS = 1000, 10


def test_five_minutes_of_kills(databases: Databases, tmp_path: Path) -> None:
    folder = tmp_path / "receiver"
    folder.mkdir()
    where = arguments_of(databases.dialect)
    database = database_of(where, ConsumerRegistry(consumers(folder, dies=False)))
    events = [event for run in range(RUNS) for event in emit(database, f"r{run}", range(1, VERSIONS + 1))]
    command = [sys.executable, "-m", "tests.behaviour.deliveries.dispatching_child", *where, str(folder)]
    died = kill_until_done(command, database, 7, time.monotonic() + MOST_S, KILLING_S)
    check(database, folder, events)
    print(f"{len(events)} events, two consumers, {died} deaths")
    database.close()
