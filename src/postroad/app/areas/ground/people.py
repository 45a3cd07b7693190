"""People: who comes in, what is remembered of it, and who was refused."""

from contextlib import suppress
from functools import cached_property

from postroad.foundation.service_settings import RetentionSettings, SecuritySettings
from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.kernel.limits import Limiter
from postroad.kernel.service import BackgroundService
from postroad.kernel.uow import UnitOfWork
from postroad.modules import audit, identity, workspaces
from postroad.vocabulary.refusals import StateConflict

_UPKEEP = Principal.system("upkeep")
_FLUSH_S, _SWEEP_S = 20.0, 3600.0
_AT_ONCE = 500


class People:
    def __init__(self, settings: SecuritySettings, retention: RetentionSettings) -> None:
        self.times = identity.SessionTimes(
            idle_ms=round(settings.session_idle_s * 1000), absolute_ms=round(settings.session_absolute_s * 1000)
        )
        self.standings = identity.Standings(self.times)
        self.audit_trail = audit.AuditTrail()
        self._uses = identity.LastUses()
        self._audit_kept_ms = max(round(retention.audit_s * 1000), audit.SHORTEST_KEPT_MS)

    @cached_property
    def _passwords(self) -> identity.Passwords:
        return identity.Passwords()

    def authenticator(self, database: Database) -> identity.Authenticator:
        return identity.Authenticator(database, self.standings, self._uses)

    def doorway(self, database: Database, limiter: Limiter) -> identity.Doorway:
        return identity.Doorway(database, self._passwords, limiter, self.times)

    def begin(self, database: Database) -> str:
        """Makes the first workspace, and the code for the first administrator: empty once there is a user."""
        with suppress(StateConflict):  # another instance may be first
            database.write(_UPKEEP, workspaces.ensure_default_workspace)
        code = database.write(_UPKEEP, identity.new_setup_code)
        return code.secret.reveal() if code else ""

    def services(self, database: Database) -> list[BackgroundService]:
        def sweep() -> bool:
            return database.write(_UPKEEP, lambda uow: identity.forget_ended(uow, _AT_ONCE)) >= _AT_ONCE

        def shorten_audit() -> bool:
            def work(uow: UnitOfWork) -> int:
                return audit.forget_before(uow, uow.now_ms - self._audit_kept_ms, _AT_ONCE)

            return database.write(_UPKEEP, work) >= _AT_ONCE

        return [
            BackgroundService("last-uses", _FLUSH_S, lambda: self._uses.flush(database)),
            BackgroundService("ended-sessions", _SWEEP_S, sweep),
            BackgroundService("audit-retention", _SWEEP_S, shorten_audit),
        ]

    def last_words(self, database: Database) -> None:
        """Writes what is still remembered of uses."""
        self._uses.flush(database)
