"""Puts the parts of the service together: settings → drivers → kernel → modules → flows → entrypoints."""

from functools import cached_property
from typing import TYPE_CHECKING

from postroad.app.areas.configuration import ConfigurationArea
from postroad.app.areas.deliveries import DeliveriesArea
from postroad.app.areas.files import FilesArea
from postroad.app.areas.ground import storage
from postroad.app.areas.ground.readiness import readiness_checks
from postroad.app.areas.ground.ticks import count_ticks
from postroad.app.areas.hosting import HostingArea
from postroad.app.areas.open_api import OpenApiArea
from postroad.app.areas.schedules import SchedulesArea
from postroad.app.areas.vault import VaultArea
from postroad.entrypoints.http.composition import HttpSettings, Presented
from postroad.entrypoints.http.operating.health import Readiness
from postroad.entrypoints.http.routes.system import Limits
from postroad.foundation.ids import uuid7
from postroad.foundation.keyring import KeyRing
from postroad.foundation.metrics import LIVE_STREAMS
from postroad.foundation.service_settings import Settings
from postroad.kernel.authz import Principal
from postroad.kernel.limits import MemoryLimiter
from postroad.kernel.service import Services, ServiceStatus
from postroad.modules import audit
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.refusals import AccessDenied, AuthenticationRequired

if TYPE_CHECKING:
    from postroad.modules.identity import Authenticator, Doorway


class ServiceComposition(
    HostingArea, ConfigurationArea, SchedulesArea, FilesArea, VaultArea, OpenApiArea, DeliveriesArea
):
    """Fulfils `entrypoints.http.surface.Surface`. `prepare`, `start`, `begin_stop`, `stop`, `close`: in this order.

    An area adds itself to the bases.
    """

    def __init__(self, settings: Settings, keys: KeyRing, http: HttpSettings, clock: Clock | None = None) -> None:
        super().__init__(settings, keys, http, clock)
        self.mode = "standalone" if settings.is_standalone else "server"
        self.limits = Limits(settings.limits.json_body_bytes, settings.limits.upload_bytes)
        self._requests = MemoryLimiter(self.clock)
        self._between_instances = storage.wakeups_between_instances(settings.database, self.wakeups, uuid7())

    @cached_property
    def doorway(self) -> "Doorway":
        return self.people.doorway(self.database, self.limiter)

    @cached_property
    def services(self) -> Services:
        return Services(self.background_services(), self.clock, self.wakeups)

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
        count_ticks(self.metrics, self.services.status())

    def prepare(self) -> str:
        """Brings the database up to date, then `begin`. Raises DatabaseRefused, KeysUnusable, StorageFull …"""
        storage.bring_up_to_date(self.dialect)
        return self.begin()

    def begin(self) -> str:
        """Makes what a first start needs. The link for the first administrator, empty once there is a user."""
        self.check_keys()
        self.settings.artifacts.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.deliveries.begin()
        code = self.people.begin(self.database)
        return f"{self.http.public_base_url}/setup#code={code}" if code else ""

    def start(self) -> None:
        if self._between_instances is not None:
            self._between_instances.start()
        self.services.start()
        self.start_work()

    def begin_stop(self) -> None:
        """Says that the service is no longer ready, and ends live streams. On the loop's thread."""
        self.readiness.is_stopping = True
        self.streams.close()
        super().begin_stop()

    def stop(self, grace_s: float) -> bool:
        """False where a background service or work of an area still goes on after `grace_s`."""
        ends = self.clock.monotonic() + grace_s
        worked = self.stop_work(grace_s)
        whole = self.services.stop(max(0.0, ends - self.clock.monotonic())) and worked
        for held in self.singletons:
            held.release()
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
