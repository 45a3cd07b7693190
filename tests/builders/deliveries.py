"""Events, consumers and their dispatchers over a test's database, one step at a time.

desk = Desk(databases, [noting("notes")])
desk.emit("run-1", 1)
desk.run("notes")
assert desk.states("notes") == {"run-1/1": "SUCCEEDED"}
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqlalchemy import Column, Integer, Table, Text, insert, select

from postroad.kernel.consumers import Backoff, Consumer, ConsumerRegistry, DatabaseWork, Delivery, Outcome, OutsideWork
from postroad.kernel.consumers.rows import event_deliveries, event_receipts
from postroad.kernel.database import Database, KernelParts
from postroad.kernel.deliveries import sweeping
from postroad.kernel.deliveries.dispatching import Dispatcher, DispatcherParts
from postroad.kernel.tables import metadata
from postroad.kernel.uow import Aggregate, Reading, UnitOfWork
from postroad.vocabulary.events import Event, EventName
from tests.builders.databases import WORKSPACE, Databases
from tests.builders.notes import SYSTEM

effects = Table(
    "test_effects",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("consumer", Text),
    Column("event_id", Text),
    Column("what", Text),
)
CREATED = frozenset({EventName.RUN_CREATED})
QUICK = Backoff(first_s=1.0, factor=2.0, attempts=3)


def label(event: Event) -> str:
    return f"{event.aggregate.id}/{event.aggregate.version}"


def noting(name: str, failing: Callable[[Event], None] = lambda _event: None, **options: Any) -> Consumer:
    """Writes each event down in its transaction. `failing` may raise."""

    def handle(uow: UnitOfWork, events: Sequence[Event]) -> Sequence[str]:
        for event in events:
            failing(event)
            uow.connection.execute(
                insert(effects), {"consumer": name, "event_id": event.event_id, "what": label(event)}
            )
        return ()

    return Consumer(name, CREATED, DatabaseWork(handle), backoff=QUICK, **options)


def calling(name: str, act: Callable[[Delivery], Outcome], *, repeatable: bool = True, **options: Any) -> Consumer:
    """Calls `act` outside."""
    work = OutsideWork(act, lease_s=10.0, repeatable=repeatable)
    return Consumer(name, CREATED, work, backoff=QUICK, **options)


class Desk:
    def __init__(self, databases: Databases, consumers: Iterable[Consumer]) -> None:
        self.databases = databases
        self.registry = ConsumerRegistry(consumers)
        self.database = self.instance()
        self.database.write(SYSTEM, lambda uow: sweeping.register(uow, self.registry))
        self._dispatchers: dict[tuple[str, str], Dispatcher] = {}

    def instance(self) -> Database:
        """Over the same dialect, with these consumers."""
        parts = self.databases.parts
        knowing = KernelParts(
            parts.clock,
            parts.new_id,
            parts.standing,
            parts.audit,
            parts.wakeups,
            parts.cursors,
            consumers=self.registry,
        )
        return Database(self.databases.dialect, knowing)

    def emit(self, run: str, version: int, workspace_id: str = WORKSPACE) -> str:
        def emitted(uow: UnitOfWork) -> str:
            payload = {"runId": run}
            return uow.emit(EventName.RUN_CREATED, Aggregate("run", run, version), payload, workspace_id=workspace_id)

        return self.database.write(SYSTEM, emitted)

    def dispatcher(self, consumer: str, owner: str = "here") -> Dispatcher:
        if (consumer, owner) not in self._dispatchers:
            found = self.registry.find(consumer)
            assert found is not None
            parts = DispatcherParts(self.database, owner, chance=lambda: 0.5)
            self._dispatchers[consumer, owner] = Dispatcher(found, parts)
        return self._dispatchers[consumer, owner]

    def run(self, consumer: str, owner: str = "here") -> None:
        """Ticks until there is nothing more to do now."""
        while self.dispatcher(consumer, owner).tick():
            pass

    def states(self, consumer: str) -> dict[str, str]:
        """Run and version → state, of the newest generation."""

        def found(reading: Reading) -> dict[str, str]:
            rows = select(event_deliveries).where(
                event_deliveries.c.consumer == consumer, event_deliveries.c.is_current
            )
            return {
                f"{row['aggregate_key'].removeprefix('run/')}/{row['aggregate_version']}": row["state"]
                for row in reading.connection.execute(rows).mappings()
            }

        return self.database.read(SYSTEM, found)

    def row(self, consumer: str, event_id: str) -> dict[str, Any]:
        def found(reading: Reading) -> dict[str, Any]:
            rows = select(event_deliveries).where(
                event_deliveries.c.consumer == consumer,
                event_deliveries.c.event_id == event_id,
                event_deliveries.c.is_current,
            )
            return dict(reading.connection.execute(rows).mappings().one())

        return self.database.read(SYSTEM, found)

    def effects(self, consumer: str) -> list[str]:
        """In the order they were had."""

        def found(reading: Reading) -> list[str]:
            rows = select(effects.c.what).where(effects.c.consumer == consumer).order_by(effects.c.number)
            return list(reading.connection.execute(rows).scalars())

        return self.database.read(SYSTEM, found)

    def receipts(self) -> int:
        return self.database.read(SYSTEM, lambda reading: len(reading.connection.execute(select(event_receipts)).all()))
