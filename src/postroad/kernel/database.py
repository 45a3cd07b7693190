"""Transactions: the only place where something is committed.

`write` runs the whole of a use case in one transaction. It is committed when the use case returns and rolled back when
it raises. Where the database undid it for the sake of others (serialization failure, deadlock, busy), or the connection
broke before the commit, the whole use case runs again after a short random wait, so it may have no effect but on the
transaction. Over its deadline, or where too many wait, it is refused with Overloaded and nothing was changed.

A crash before the commit leaves nothing, a crash after it everything; hints that were to run after it are lost, which
is why they are only hints. Where the connection dies during the commit nobody knows: CommitUnknown. A use case that
keeps an idempotency key can be repeated safely then; that is what the keys are for.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError

from postroad.foundation.chance import chance
from postroad.kernel.authz import Principal
from postroad.kernel.consumers import ConsumerRegistry, rows
from postroad.kernel.pages import CursorKey
from postroad.kernel.ports import AuditWriter, Dialect, Opened, Singleton, StandingReader, WorkspaceStates
from postroad.kernel.uow import Reading, Setting, UnitOfWork
from postroad.kernel.wakeups import Wakeups
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.events import Causation
from postroad.vocabulary.refusals import CommitUnknown, DatabaseUnavailable, Overloaded

_T = TypeVar("_T")
_LOG = logging.getLogger(__name__)

EVENTS_TOPIC = "events"
"""The topic of `Wakeups` that tells of committed events; the key is the workspace's id."""
MOST_ATTEMPTS = 8
LONGEST_DEADLINE_S = 50.0
"""Shorter than `outbox.SETTLED_AFTER_MS`, which the feed of events relies on."""
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.005, 0.25


@dataclass(frozen=True, slots=True)
class KernelParts:
    clock: Clock
    new_id: Callable[[], str]
    standing: StandingReader
    audit: AuditWriter
    wakeups: Wakeups
    cursors: CursorKey
    workspaces: WorkspaceStates | None = None
    """None asks for no state of a workspace."""
    consumers: ConsumerRegistry = field(default_factory=ConsumerRegistry)
    """Who gets a delivery of each event."""
    write_deadline_s: float = 10.0
    read_deadline_s: float = 10.0
    chance: Callable[[], float] = chance
    """0..1, for the jitter of waits."""

    def __post_init__(self) -> None:
        if not 0 < self.write_deadline_s <= LONGEST_DEADLINE_S:
            raise ValueError(f"write_deadline_s must be at most {LONGEST_DEADLINE_S:g}")


class Database:
    def __init__(self, dialect: Dialect, parts: KernelParts) -> None:
        self._dialect = dialect
        self._parts = parts
        self._errors: tuple[type[Exception], ...] = (SQLAlchemyError, *dialect.errors)
        self._thread = threading.local()

    @property
    def dialect_name(self) -> str:
        return self._dialect.name

    @property
    def consumers(self) -> ConsumerRegistry:
        return self._parts.consumers

    @property
    def wakeups(self) -> Wakeups:
        return self._parts.wakeups

    def read(self, principal: Principal, work: Callable[[Reading], _T]) -> _T:
        """Runs `work` on one snapshot."""
        with self._alone():
            limit_s = self._parts.read_deadline_s
            return self._attempted(lambda left_s: self._read_once(principal, work, left_s), limit_s, writing=False)

    def write(
        self,
        principal: Principal,
        work: Callable[[UnitOfWork], _T],
        *,
        correlation_id: str = "",
        causation: Causation | None = None,
        deadline_s: float | None = None,
        source_address: str = "",
    ) -> _T:
        """Runs `work` in one transaction and commits it. `work` may run more than once; see the top of this file.

        Raises what `work` raises, RuntimeError inside another transaction of this thread, Overloaded,
        DatabaseUnavailable, StorageFull, CommitUnknown.
        """
        about = _About(principal, correlation_id, causation, source_address)
        limit_s = min(deadline_s or self._parts.write_deadline_s, LONGEST_DEADLINE_S)
        with self._alone():
            result, uow = self._attempted(lambda left_s: self._write_once(about, work, left_s), limit_s, writing=True)
        self._tell(uow)
        return result

    def for_background(self) -> "Database":
        """The same database for background services: they have connections of their own."""
        return Database(self._dialect.background(), self._parts)

    def singleton(self, name: str) -> Singleton:
        """The right to do `name` alone among all instances of the service."""
        return self._dialect.singleton(name)

    def close(self) -> None:
        self._dialect.close()

    def _read_once(self, principal: Principal, work: Callable[[Reading], _T], left_s: float) -> _T:
        with self._dialect.reading(left_s) as opened:
            return work(Reading(self._setting(opened, _About(principal))))

    def _write_once(self, about: "_About", work: Callable[[UnitOfWork], _T], left_s: float) -> tuple[_T, UnitOfWork]:
        parts = self._parts
        ends = parts.clock.monotonic() + left_s
        with self._dialect.writing(left_s) as opened:
            uow = UnitOfWork(self._setting(opened, about), parts.new_id, parts.standing, parts.audit)
            result = work(uow)
            rows.plan(opened.connection, parts.consumers, uow.events)
            if parts.clock.monotonic() > ends:
                raise _late()
            try:
                opened.connection.commit()
            except self._errors as error:
                if self._dialect.leaves_unknown(error):
                    raise _unknown() from error
                raise
        return result, uow

    def _setting(self, opened: Opened, about: "_About") -> Setting:
        return Setting(
            connection=opened.connection,
            principal=about.principal,
            now_ms=self._parts.clock.now_ms() if opened.now_ms is None else opened.now_ms,
            dialect_name=self._dialect.name,
            cursors=self._parts.cursors,
            correlation_id=about.correlation_id,
            source_address=about.source_address,
            causation=about.causation,
            workspaces=self._parts.workspaces,
        )

    def _attempted(self, once: Callable[[float], _T], limit_s: float, *, writing: bool) -> _T:
        """Runs `once` with the seconds left, again where the database asks for it, in words of our own where not."""
        clock = self._parts.clock
        ends = clock.monotonic() + limit_s
        attempt = 1
        while True:
            try:
                return once(max(0.0, ends - clock.monotonic()))
            except self._errors as error:
                lost = self._dialect.is_lost(error)
                wait_s = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**attempt) * (0.5 + self._parts.chance())
                again = lost or self._dialect.is_retryable(error)
                if again and attempt < MOST_ATTEMPTS and clock.monotonic() + wait_s < ends:
                    attempt += 1
                    threading.Event().wait(wait_s)
                    continue
                if lost:
                    raise _unavailable() from error
                if again:
                    raise _late() from error
                refusal = self._dialect.refusal(error, writing=writing)
                if refusal is not None:
                    raise refusal from error
                raise

    def _tell(self, uow: UnitOfWork) -> None:
        for workspace_id in {event.workspace_id for event in uow.events}:
            self._parts.wakeups.notify(EVENTS_TOPIC, workspace_id)
        for topic in {consumer.topic for event in uow.events for consumer in self._parts.consumers.of(event.name)}:
            self._parts.wakeups.notify(topic)
        for hint in uow.hints:
            try:
                hint()
            except Exception:  # noqa: BLE001  (kernel: a hint may raise what it likes, the commit stands; until 2028-01-01)
                _LOG.exception("a hint after a commit failed; the commit stands")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if getattr(self._thread, "busy", False):
            raise RuntimeError("a transaction is open in this thread; a use case gets its unit of work handed in")
        self._thread.busy = True
        try:
            yield
        finally:
            self._thread.busy = False


@dataclass(frozen=True, slots=True)
class _About:
    principal: Principal
    correlation_id: str = ""
    causation: Causation | None = None
    source_address: str = ""


def _late() -> Overloaded:
    return Overloaded("the database is busier than it can manage; nothing was changed, try again", retry_after_s=1.0)


def _unavailable() -> DatabaseUnavailable:
    said = "the database cannot be reached; nothing was changed, try again"
    return DatabaseUnavailable(said, retry_after_s=5.0)


def _unknown() -> CommitUnknown:
    return CommitUnknown(
        "the connection to the database broke while the change was being kept: it was made whole or not at all; "
        "repeat with the same Idempotency-Key, or look first",
        retry_after_s=5.0,
    )
