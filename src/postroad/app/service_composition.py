"""Puts the parts of the service together: settings → drivers → kernel → modules → flows → entrypoints.

Each part is made when it is first asked for, and once. What belongs to one area is made in `app/areas/<area>.py`.
"""

from functools import cached_property
from typing import TYPE_CHECKING

from postroad.app.areas import storage
from postroad.app.areas.people import People
from postroad.app.areas.readiness import readiness_checks
from postroad.entrypoints.http.blocking import BlockingPool
from postroad.entrypoints.http.composition import HttpSettings, Presented
from postroad.entrypoints.http.operating.health import Readiness
from postroad.entrypoints.http.routes.system import Limits
from postroad.entrypoints.http.streams import StreamHub
from postroad.foundation.clock import SystemClock
from postroad.foundation.ids import uuid7
from postroad.foundation.keyring import KeyRing
from postroad.foundation.metrics import LIVE_STREAMS, Metrics
from postroad.foundation.service_settings import Settings
from postroad.kernel.authz import Principal
from postroad.kernel.database import Database, KernelParts
from postroad.kernel.limits import Limiter, MemoryLimiter
from postroad.kernel.pages import CursorKey
from postroad.kernel.service import Services, ServiceStatus
from postroad.kernel.wakeups import Wakeups
from postroad.modules import audit
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.refusals import AccessDenied, AuthenticationRequired

if TYPE_CHECKING:
    from postroad.drivers.postgres import PostgresDialect
    from postroad.drivers.sqlite import SqliteDialect
    from postroad.modules.identity import Authenticator, Doorway


class ServiceComposition:
    """Fulfils `entrypoints.http.surface.Surface`. `prepare`, `start`, `begin_stop`, `stop`, `close`: in this order."""

    def __init__(self, settings: Settings, keys: KeyRing, http: HttpSettings, clock: Clock | None = None) -> None:
        self.settings = settings
        self.keys = keys
        self.http = http
        self.clock: Clock = clock or SystemClock()
        self.people = People(settings.security)
        self.wakeups = Wakeups()
        self.metrics = Metrics()
        self.pool = BlockingPool(settings.limits.threads, settings.limits.waiting)
        self.streams = StreamHub(most_watchers=settings.limits.watchers)
        self.mode = "standalone" if settings.is_standalone else "server"
        self.limits = Limits(settings.limits.json_body_bytes, settings.limits.upload_bytes)
        self._requests = MemoryLimiter(self.clock)
        self._between_instances = storage.wakeups_between_instances(settings.database, self.wakeups, uuid7())

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
            write_deadline_s=self.settings.database.write_deadline_s,
        )
        return Database(self.dialect, parts)

    @cached_property
    def background_database(self) -> Database:
        return self.database.for_background()

    @cached_property
    def limiter(self) -> Limiter:
        return storage.limiter_for(self.settings.database, self.database, self.clock)

    @cached_property
    def doorway(self) -> "Doorway":
        return self.people.doorway(self.database, self.limiter)

    @cached_property
    def services(self) -> Services:
        return Services(self.people.services(self.background_database), self.clock)

    @cached_property
    def readiness(self) -> Readiness:
        return Readiness(readiness_checks(self.settings, self.database))

    def authenticate(self, presented: Presented) -> Principal:
        if presented.token is not None:
            return self._authenticator.by_token(presented.token)
        if presented.session is not None:
            return self._authenticator.by_session(presented.session)
        raise AuthenticationRequired("sign in first")

    def throttle(self, who: str) -> None:
        limits = self.settings.limits
        self._requests.take(who, limits.burst, limits.burst / limits.requests_per_second)

    def record_denial(self, principal: Principal, refusal: AccessDenied, trace_id: str, address: str) -> None:
        self._denials.record(principal, refusal, correlation_id=trace_id, source_address=address)

    def background(self) -> tuple[ServiceStatus, ...]:
        return self.services.status()

    def refresh_metrics(self) -> None:
        self.metrics.set(LIVE_STREAMS, self.streams.watchers)

    def prepare(self) -> str:
        """Brings the database up to date and makes what a first start needs.

        Returns the link for the first administrator, empty once there is a user. Raises DatabaseRefused and others.
        """
        storage.bring_up_to_date(self.dialect)
        self.settings.artifacts.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        code = self.people.begin(self.database)
        return f"{self.http.public_base_url}/setup#code={code}" if code else ""

    def start(self) -> None:
        if self._between_instances is not None:
            self._between_instances.start()
        self.services.start()

    def begin_stop(self) -> None:
        """Says that the service is no longer ready, and ends live streams. On the loop's thread."""
        self.readiness.is_stopping = True
        self.streams.close()

    def stop(self, grace_s: float) -> bool:
        """False where a background service still runs after `grace_s`."""
        whole = self.services.stop(grace_s)
        if self._between_instances is not None:
            self._between_instances.stop()
        self.people.last_words(self.background_database)
        return whole

    def close(self) -> None:
        self.pool.close()
        self.streams.pool.close()
        self.readiness.close()
        self.database.close()

    @cached_property
    def _authenticator(self) -> "Authenticator":
        return self.people.authenticator(self.database)

    @cached_property
    def _denials(self) -> audit.Denials:
        return audit.Denials(self.database, self._requests)
