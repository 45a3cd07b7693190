"""After a rotation: the keys of stored secrets come under the new master key, a few at a time.

No text is read and no version changes. A crash in the middle leaves some under the old key and some under the new one,
which both open; the next round goes on. Only when nothing names an old version any more may it be dropped.
"""

from dataclasses import replace

from postroad.foundation.envelope import rewrap
from postroad.foundation.keyring import KeyRing
from postroad.kernel.authz import Action, Principal, Resource
from postroad.kernel.database import Database
from postroad.kernel.service import BackgroundService
from postroad.kernel.uow import UnitOfWork
from postroad.modules.secrets import store

BATCH = 100
_INTERVAL_S = 60.0
_ME = Principal.system("secrets")


def rewrap_some(uow: UnitOfWork, ring: KeyRing, limit: int = BATCH) -> int:
    """Wraps up to `limit` keys anew and answers how many. Raises SecretUnreadable for a changed record."""
    uow.authorize(Action.SYSTEM_ADMIN, Resource("", "system"))
    records = store.lock_not_wrapped_by(uow, ring.active, limit)
    for record in records:
        store.save_wrapping(uow, replace(record, sealed=rewrap(ring, record.place, record.sealed)))
    return len(records)


def rewrap_service(database: Database, ring: KeyRing) -> BackgroundService:
    def tick() -> bool:
        ring.refresh()
        return database.write(_ME, lambda uow: rewrap_some(uow, ring)) == BATCH

    return BackgroundService("secrets-rewrap", _INTERVAL_S, tick)
