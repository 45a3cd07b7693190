"""Who takes which deliveries in hand: what is due longest first.

`look` locks what may go now, and others pass over it: for effects that are committed in the same transaction that is
enough. `claim` also writes a lease with a fencing token of its own, for what goes on after the transaction.

A delivery waits while an earlier one of its aggregate is neither done nor in the same claim. Those that must wait are
put off to just after the one they wait for, so that a long queue behind one failing delivery never hides the others.
Whoever held a delivery and vanished may have died of it: such a one is claimed alone, so that it takes no others with
it the next time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Integer, Row, and_, bindparam, select, text, tuple_, update

from postroad.kernel.consumers import Consumer, Order, OutsideWork
from postroad.kernel.consumers.rows import IS_OPEN, event_consumers, event_deliveries
from postroad.kernel.outbox import event_of, outbox_events
from postroad.kernel.tables import among
from postroad.kernel.uow import UnitOfWork
from postroad.vocabulary.events import Event
from postroad.vocabulary.transitions import DeliveryState

LEASE_LOST = "LEASE_LOST"
_SOON_MS = 50
_BLOCKED_MS = 600_000
"""A person must act before it goes on, and what he does wakes those that wait."""

_D = event_deliveries.c
_EARLIER = event_deliveries.alias("earlier")
_IS_EARLIER = and_(
    _EARLIER.c.consumer == _D.consumer,
    _EARLIER.c.aggregate_key == _D.aggregate_key,
    text("earlier.is_current AND earlier.state NOT IN ('SUCCEEDED', 'SKIPPED')"),
    tuple_(_EARLIER.c.aggregate_version, _EARLIER.c.event_id) < tuple_(_D.aggregate_version, _D.event_id),
)
_NEAREST = (_EARLIER.c.aggregate_version.desc(), _EARLIER.c.event_id.desc())
_BEFORE = select(_EARLIER.c.event_id).where(_IS_EARLIER).order_by(*_NEAREST).limit(1)
_BEFORE_ALIVE = _BEFORE.where(text("earlier.state NOT IN ('DEAD', 'UNKNOWN')"))
_HELD = select(event_consumers.c.held).where(event_consumers.c.name == _D.consumer).scalar_subquery()
_CANDIDATES = (
    select(outbox_events, _D.generation, _D.attempts, _D.last_error, _D.aggregate_key, _HELD.label("held"))
    .join_from(event_deliveries, outbox_events, _D.event_id == outbox_events.c.event_id)
    .where(
        _D.consumer == bindparam("claiming"),
        text("event_deliveries.state IN ('PENDING', 'RETRY_WAIT')"),
        _D.next_attempt_at_ms <= bindparam("now"),
    )
    .order_by(_D.next_attempt_at_ms, _D.event_id)
    .limit(bindparam("most", type_=Integer))
    .with_for_update(skip_locked=True, of=event_deliveries)
)
_UNORDERED = _CANDIDATES
_ORDERED = _CANDIDATES.add_columns(_BEFORE.scalar_subquery().label("before"))
_ORDERED_ALIVE = _CANDIDATES.add_columns(_BEFORE_ALIVE.scalar_subquery().label("before"))
_MINE = (
    _D.consumer == bindparam("claiming"),
    among(_D.event_id, "events"),
    _D.is_current,
)
_TAKE = (
    update(event_deliveries)
    .where(*_MINE)
    .values(
        state=DeliveryState.SENDING.value,
        attempts=_D.attempts + 1,
        owner=bindparam("holder"),
        fencing_token=bindparam("fence"),
        lease_until_ms=bindparam("until"),
        updated_at_ms=bindparam("now"),
    )
)
_HOLD = update(event_deliveries).where(*_MINE).values(state=DeliveryState.HELD.value, updated_at_ms=bindparam("now"))
_WAITED_FOR = select(_D.event_id, _D.state, _D.next_attempt_at_ms).where(*_MINE, text(IS_OPEN))
_PUT_OFF = (
    update(event_deliveries)
    .where(
        _D.consumer == bindparam("claiming"),
        _D.event_id == bindparam("waiting"),
        text("event_deliveries.state IN ('PENDING', 'RETRY_WAIT')"),
    )
    .values(next_attempt_at_ms=bindparam("due"))
)
_WAITERS = (
    update(event_deliveries)
    .where(
        _D.consumer == bindparam("claiming"),
        among(_D.aggregate_key, "keys"),
        text("event_deliveries.is_current AND event_deliveries.state IN ('PENDING', 'RETRY_WAIT')"),
        _D.attempts == 0,
        _D.next_attempt_at_ms > bindparam("now"),
    )
    .values(next_attempt_at_ms=bindparam("now"))
)


@dataclass(frozen=True, slots=True)
class Claimed:
    event: Event
    generation: int
    attempt: int
    """With this one."""
    aggregate_key: str


@dataclass(frozen=True, slots=True)
class Found:
    deliveries: tuple[Claimed, ...]
    has_more: bool
    """Whether it is worth looking again at once."""


@dataclass(frozen=True, slots=True)
class Claim:
    fence: str
    """Proves that a result comes from this claim."""
    deliveries: tuple[Claimed, ...]
    has_more: bool


def look(uow: UnitOfWork, consumer: Consumer, most: int) -> Found:
    """Locks up to `most` deliveries of a consumer that are due and may go, until the transaction ends."""
    statement = _UNORDERED if consumer.order is Order.NONE else _ORDERED_ALIVE if consumer.skip_dead else _ORDERED
    asked = {"claiming": consumer.name, "now": uow.now_ms, "most": most}
    rows = uow.connection.execute(statement, asked).all()
    if rows and rows[0].held:
        uow.connection.execute(_HOLD, {**asked, "events": [row.event_id for row in rows]})
        return Found((), len(rows) == most)
    admitted, waiting = _admit(rows, consumer)
    if waiting:
        _put_off(uow, consumer, waiting)
    taken = (Claimed(event_of(row._mapping), row.generation, row.attempts + 1, row.aggregate_key) for row in admitted)
    return Found(tuple(taken), len(rows) == most or len(admitted) + len(waiting) < len(rows))


def claim(uow: UnitOfWork, consumer: Consumer, owner: str, most: int) -> Claim:
    """Takes what `look` finds under a lease. `owner` names this start of the process."""
    found = look(uow, consumer, most)
    fence = uow.new_id()
    if found.deliveries:
        asked = {
            "claiming": consumer.name,
            "events": [one.event.event_id for one in found.deliveries],
            "holder": owner,
            "fence": fence,
            "until": uow.now_ms + round(lease_s(consumer) * 1000),
            "now": uow.now_ms,
        }
        uow.connection.execute(_TAKE, asked)
    return Claim(fence, found.deliveries, found.has_more)


def lease_s(consumer: Consumer) -> float:
    """For a batch that fails in its transaction and is then tried one by one, too."""
    work = consumer.work
    return work.lease_s if isinstance(work, OutsideWork) else work.deadline_s * (consumer.at_once + 2)


def _admit(rows: Sequence[Row[Any]], consumer: Consumer) -> tuple[list[Row[Any]], list[Row[Any]]]:
    """Those that may go now, in the order of their aggregates, and those that wait for an earlier one."""
    if rows and rows[0].last_error == LEASE_LOST:
        chosen = rows[:1]
    else:
        chosen = [row for row in rows if row.last_error != LEASE_LOST]
    if consumer.order is Order.NONE:
        return list(chosen), []
    one_each = isinstance(consumer.work, OutsideWork)
    admitted: dict[str, Row[Any]] = {}
    waiting = []
    for row in sorted(chosen, key=lambda row: (row.aggregate_version, row.event_id)):
        if row.before is None or (row.before in admitted and not one_each):
            admitted[row.event_id] = row
        else:
            waiting.append(row)
    return list(admitted.values()), waiting


def _put_off(uow: UnitOfWork, consumer: Consumer, waiting: Sequence[Row[Any]]) -> None:
    asked = {"claiming": consumer.name, "events": list({row.before for row in waiting})}
    found = {row[0]: (row[1], row[2]) for row in uow.connection.execute(_WAITED_FOR, asked)}
    due: dict[str, int] = {}
    for row in waiting:
        state, next_ms = found.get(row.before, ("", uow.now_ms))
        due[row.event_id] = max(due.get(row.before, 0), _due_after(state, next_ms, uow.now_ms)) + 1
    putting = [{"claiming": consumer.name, "waiting": event_id, "due": at} for event_id, at in due.items()]
    uow.connection.execute(_PUT_OFF, putting)


def _due_after(state: str, next_ms: int, now_ms: int) -> int:
    """When to look again at what waits for a delivery that is like this."""
    if state in {DeliveryState.DEAD, DeliveryState.UNKNOWN, DeliveryState.HELD}:
        return now_ms + _BLOCKED_MS
    return max(next_ms, now_ms + _SOON_MS)


def wake_waiters(uow: UnitOfWork, consumer: str, aggregate_keys: Sequence[str]) -> None:
    """Lets what was put off behind deliveries of these aggregates be looked at again now."""
    uow.connection.execute(_WAITERS, {"claiming": consumer, "keys": list(aggregate_keys), "now": uow.now_ms})
