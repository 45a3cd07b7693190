"""An instance of the service that does nothing but deliver, until it is killed.

`python -m tests.behaviour.deliveries.dispatching_child SQLITE_FILE FOLDER` or `… URL PASSWORD SCHEMA FOLDER`.

Two consumers: `notes` has its effect in the database, `calls` outside: it appends the key to a file, as a receiver that
knows keys would note it. Now and then one of them dies in the middle of its work by itself.
"""

import os
import random
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import insert
from tests.builders.databases import CURSORS, RememberedAudit, RememberedStanding
from tests.builders.deliveries import CREATED, effects, label

from postroad.drivers.postgres import PostgresAddress, PostgresDialect
from postroad.drivers.sqlite import SqliteDialect
from postroad.foundation.clock import SystemClock
from postroad.foundation.ids import uuid7
from postroad.kernel.consumers import (
    Backoff,
    Consumer,
    ConsumerRegistry,
    DatabaseWork,
    Delivery,
    Outcome,
    OutsideWork,
    Verdict,
)
from postroad.kernel.database import Database, KernelParts
from postroad.kernel.deliveries import sweeping
from postroad.kernel.deliveries.dispatching import Dispatcher, DispatcherParts
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.wakeups import Wakeups
from postroad.vocabulary.events import Event
from postroad.vocabulary.secret import Secret

PATIENT = Backoff(first_s=0.01, factor=1.0, attempts=1000)


def consumers(folder: Path, *, dies: bool) -> tuple[Consumer, Consumer]:
    chance = random.Random(os.getpid())

    def maybe_die() -> None:
        if dies and chance.random() < 0.01:
            os._exit(9)

    def note(uow: UnitOfWork, events: Sequence[Event]) -> Sequence[str]:
        for event in events:
            maybe_die()
            if dies and chance.random() < 0.01:
                raise ValueError("fails now and then")
            row = {"consumer": "notes", "event_id": event.event_id, "what": label(event)}
            uow.connection.execute(insert(effects), row)
        maybe_die()
        return ()

    def call(delivery: Delivery) -> Outcome:
        maybe_die()
        with (folder / str(os.getpid())).open("a") as received:
            received.write(f"{delivery.idempotency_key}\n")
        maybe_die()
        return Outcome(Verdict.DONE)

    return (
        Consumer("notes", CREATED, DatabaseWork(note, deadline_s=0.5), backoff=PATIENT, at_once=20),
        Consumer("calls", CREATED, OutsideWork(call, lease_s=1.0), backoff=PATIENT),
    )


def database_of(arguments: Sequence[str], registry: ConsumerRegistry) -> Database:
    if len(arguments) == 1:
        dialect: SqliteDialect | PostgresDialect = SqliteDialect(Path(arguments[0]))
    else:
        url, password, schema = arguments
        dialect = PostgresDialect(PostgresAddress(url, Secret(password), schema=schema), pool_size=6)
    parts = KernelParts(
        SystemClock(), uuid7, RememberedStanding(), RememberedAudit(), Wakeups(), CURSORS, consumers=registry
    )
    return Database(dialect, parts)


def main(arguments: Sequence[str]) -> None:
    *where, folder = arguments
    registry = ConsumerRegistry(consumers(Path(folder), dies=True))
    database = database_of(where, registry)
    parts = DispatcherParts(database, owner=uuid7())

    def deliver(consumer: Consumer) -> None:
        dispatcher = Dispatcher(consumer, parts)
        while True:
            if not dispatcher.tick():
                database.write(dispatcher.principal, lambda uow: sweeping.take_back_lost(uow, consumer))
                threading.Event().wait(0.02)

    threads = [threading.Thread(target=deliver, args=(consumer,), daemon=True) for consumer in registry.all]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(sys.argv[1:])
