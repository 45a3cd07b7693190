"""How often somebody may do something.

A key may be used `limit` times at once and then once every `per_s / limit` seconds (the generic cell rate algorithm:
one instant per key says when the key will be unused again). `MemoryLimiter` is for one process, `DatabaseLimiter` for
several instances on one database; both refuse the same requests.
"""

import threading
from collections import OrderedDict
from typing import Protocol

from sqlalchemy import BigInteger, Column, Table, Text, case, delete, literal, select

from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.kernel.tables import insert_for, metadata
from postroad.kernel.uow import UnitOfWork
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.refusals import RateLimited

rate_limits = Table(
    "rate_limits",
    metadata,
    Column("key", Text, primary_key=True),
    Column("unused_at_us", BigInteger, nullable=False, index=True),
)
_T = rate_limits.c
_ME = Principal.system("limits")


class Limiter(Protocol):
    def take(self, key: str, limit: int, per_s: float, n: int = 1) -> None:
        """Uses the key `n` times. Raises RateLimited, which says when `n` would be free; nothing is used then."""
        ...


class MemoryLimiter:
    """Keeps at most `most_keys`; the key that was used longest ago is forgotten first."""

    def __init__(self, clock: Clock, most_keys: int = 100_000) -> None:
        self._clock = clock
        self._most = most_keys
        self._lock = threading.Lock()
        self._unused_at: OrderedDict[str, float] = OrderedDict()

    def take(self, key: str, limit: int, per_s: float, n: int = 1) -> None:
        now = self._clock.monotonic()
        with self._lock:
            unused_at = max(self._unused_at.get(key, now), now) + n * per_s / limit
            if unused_at - now > per_s * (1 + 1e-9):
                raise _refused(unused_at - now - per_s)
            self._unused_at[key] = unused_at
            self._unused_at.move_to_end(key)
            while len(self._unused_at) > self._most:
                self._unused_at.popitem(last=False)


class DatabaseLimiter:
    """One short write for each use, in a transaction of its own: never call it inside another."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, key: str, limit: int, per_s: float, n: int = 1) -> None:
        wait_s = self._database.write(_ME, lambda uow: _taken(uow, key, round(n * per_s * 1e6 / limit), per_s))
        if wait_s is not None:
            raise _refused(wait_s)

    def sweep(self, limit: int = 10_000) -> int:
        """Drops keys that are unused by now, at most `limit`. Returns how many."""

        def work(uow: UnitOfWork) -> int:
            unused = select(_T.key).where(_T.unused_at_us < uow.now_ms * 1000).limit(limit)
            return uow.connection.execute(delete(rate_limits).where(_T.key.in_(unused))).rowcount

        return self._database.write(_ME, work)


def _taken(uow: UnitOfWork, key: str, cost_us: int, per_s: float) -> float | None:
    """None where it was taken, else the seconds to wait. One statement, so two callers cannot take the same place."""
    now_us, period_us = uow.now_ms * 1000, round(per_s * 1e6)
    if cost_us > period_us:
        return per_s
    later = case((_T.unused_at_us < now_us, now_us), else_=_T.unused_at_us) + literal(cost_us, BigInteger)
    statement = (
        insert_for(uow.dialect_name, rate_limits)
        .values(key=key, unused_at_us=now_us + cost_us)
        .on_conflict_do_update(index_elements=[_T.key], set_={"unused_at_us": later}, where=later <= now_us + period_us)
        .returning(_T.unused_at_us)
    )
    if uow.connection.execute(statement).first() is not None:
        return None
    unused_at_us = uow.connection.execute(select(_T.unused_at_us).where(_T.key == key)).scalar_one()
    return max(0.0, (int(unused_at_us) + cost_us - now_us - period_us) / 1e6)


def _refused(wait_s: float) -> RateLimited:
    return RateLimited("too many requests; wait a little", retry_after_s=wait_s)
