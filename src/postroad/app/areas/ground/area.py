"""What every area stands on: settings, keys, clock, database, threads, counters.

An area is a class over `Ground` with what its routes ask for, made when it is first asked for; `ServiceComposition`
inherits from all of them. Where an area has background services it extends `background_services` of `super()`.
"""

from functools import cached_property
from typing import TYPE_CHECKING

from postroad.app.areas.ground import storage
from postroad.app.areas.ground.people import People
from postroad.app.areas.ground.upkeep import upkeep_services
from postroad.entrypoints.http.blocking import BlockingPool
from postroad.entrypoints.http.composition import HttpSettings
from postroad.entrypoints.http.streams import StreamHub
from postroad.foundation.clock import SystemClock
from postroad.foundation.ids import uuid7
from postroad.foundation.keyring import KeyRing
from postroad.foundation.metrics import Metrics
from postroad.foundation.service_settings import Settings
from postroad.kernel.consumers import Consumer, ConsumerRegistry
from postroad.kernel.database import Database, KernelParts
from postroad.kernel.limits import Limiter
from postroad.kernel.pages import CursorKey
from postroad.kernel.ports import Singleton
from postroad.kernel.service import BackgroundService
from postroad.kernel.wakeups import Wakeups
from postroad.modules import workspaces
from postroad.vocabulary.clock import Clock

if TYPE_CHECKING:
    from postroad.drivers.postgres import PostgresDialect
    from postroad.drivers.sqlite import SqliteDialect


class Ground:
    def __init__(self, settings: Settings, keys: KeyRing, http: HttpSettings, clock: Clock | None = None) -> None:
        self.settings = settings
        self.keys = keys
        self.http = http
        self.clock: Clock = clock or SystemClock()
        self.people = People(settings.security, settings.retention)
        self.wakeups = Wakeups()
        self.metrics = Metrics()
        self.pool = BlockingPool(settings.limits.threads, settings.limits.waiting)
        self.singletons: list[Singleton] = []
        self.streams = StreamHub(most_watchers=settings.limits.watchers)

    @cached_property
    def dialect(self) -> "SqliteDialect | PostgresDialect":
        return storage.dialect_of(self.settings.database)

    @cached_property
    def database(self) -> Database:
        parts = KernelParts(
            clock=self.clock,
            new_id=uuid7,
            standing=self.people.standings,
            audit=self.people.audit_trail,
            wakeups=self.wakeups,
            cursors=CursorKey(self.keys.derive("cursors")),
            workspaces=workspaces.States(),
            consumers=ConsumerRegistry(self.event_consumers()),
            write_deadline_s=self.settings.database.write_deadline_s,
        )
        return Database(self.dialect, parts)

    @cached_property
    def background_database(self) -> Database:
        """For background services: they have connections of their own."""
        return self.database.for_background()

    @cached_property
    def limiter(self) -> Limiter:
        """Counts for this process, or for all instances that share the database."""
        return storage.limiter_for(self.settings.database, self.database, self.clock)

    def begin_stop(self) -> None:
        """Asks what takes long to end soon, and does not wait. An area with such work extends it."""

    def event_consumers(self) -> list[Consumer]:
        """Who reacts to events. An area with such work extends it; handlers are asked after all is composed."""
        return []

    def alone(self, name: str) -> Singleton:
        """What one of all instances holds at a time; given back when the service stops."""
        held = self.background_database.singleton(name)
        self.singletons.append(held)
        return held

    def start_work(self) -> None:
        """Begins work in threads of an area's own, after the background services. An area with such work extends it."""

    def stop_work(self, grace_s: float) -> bool:
        """Ends that work, before the background services. False where it takes longer."""
        del grace_s
        return True

    def background_services(self) -> list[BackgroundService]:
        """What goes on by itself; started and stopped by `ServiceComposition`."""
        database = self.background_database
        return [*self.people.services(database), *upkeep_services(database, self.limiter)]
