"""Moves amounts between counters for ever and says each move that was kept. Killed by the test in the middle.

`python -m tests.behaviour.kernel.writing_child SQLITE_FILE` or `… URL PASSWORD SCHEMA`.
"""

import sys
from pathlib import Path

from tests.builders.databases import WORKSPACE, HandClock, RememberedAudit, RememberedStanding, parts_of
from tests.builders.notes import SYSTEM, add_note, move

from postroad.drivers.postgres import PostgresAddress, PostgresDialect
from postroad.drivers.sqlite import SqliteDialect
from postroad.kernel.database import Database
from postroad.kernel.uow import Aggregate, UnitOfWork
from postroad.kernel.wakeups import Wakeups
from postroad.vocabulary.events import EventName
from postroad.vocabulary.secret import Secret


def main() -> None:
    dialect = (
        SqliteDialect(Path(sys.argv[1]))
        if len(sys.argv) == 2
        else PostgresDialect(
            PostgresAddress(sys.argv[1], Secret(sys.argv[2]), sys.argv[3]), background_pool_size=0, server_time=False
        )
    )
    parts = parts_of(HandClock(), Wakeups(), RememberedStanding(), RememberedAudit())
    database = Database(dialect, parts)
    number = 0
    while True:
        number += 1

        def work(uow: UnitOfWork, number: int = number) -> str:
            move(uow, "a", "b")
            for _ in range(20):
                add_note(uow, "x" * 1000)
            uow.emit(EventName.JOB_CHANGED, Aggregate("job", "j", number), {}, workspace_id=WORKSPACE)
            return str(number)

        sys.stdout.write(database.write(SYSTEM, work) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
