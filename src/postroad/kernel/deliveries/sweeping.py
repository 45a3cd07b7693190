"""What keeps the rows of deliveries true: leases that ran out, events without a row, consumers switched on again.

All of it goes in slices and passes over rows that others have locked, so it runs in every instance at once. An event
lacks a delivery where an older instance, which did not know the consumer yet, emitted it: during an update of several
instances. What is missing is added for events since the consumer was known, as far back as `_LOOK_BACK_MS`.
"""

from typing import Any

from sqlalchemy import (
    BindParameter,
    Integer,
    Select,
    bindparam,
    case,
    exists,
    select,
    text,
    true,
    update,
)

from postroad.kernel.consumers import Consumer, ConsumerRegistry, DatabaseWork
from postroad.kernel.consumers.rows import event_consumers, event_deliveries, row_of
from postroad.kernel.deliveries.claims import LEASE_LOST
from postroad.kernel.outbox import event_of, outbox_events
from postroad.kernel.tables import among, insert_for
from postroad.kernel.uow import UnitOfWork
from postroad.vocabulary.transitions import DeliveryState

SLICE = 500
_LOOK_BACK_MS = 3_600_000
_D, _E, _C = event_deliveries.c, outbox_events.c, event_consumers.c
_DUE_NOW: dict[str, BindParameter[int]] = {"next_attempt_at_ms": bindparam("now"), "updated_at_ms": bindparam("now")}
_LET_GO = {"owner": None, "lease_until_ms": None, "fencing_token": None}
_LOST = (
    select(_D.event_id)
    .where(
        _D.consumer == bindparam("sweeping"),
        text("event_deliveries.state = 'SENDING'"),
        _D.lease_until_ms <= bindparam("now"),
    )
    .order_by(_D.lease_until_ms)
    .limit(SLICE)
    .with_for_update(skip_locked=True)
)
_GONE_ON = (
    update(event_deliveries)
    .where(
        _D.consumer == bindparam("sweeping"),
        among(_D.event_id, "events"),
        text("event_deliveries.state = 'SENDING'"),
    )
    .values(
        state=case(
            (_D.attempts >= bindparam("most", type_=Integer), DeliveryState.DEAD.value), else_=bindparam("becomes")
        ),
        last_error=LEASE_LOST,
        **_DUE_NOW,
        **_LET_GO,
    )
)
_RELEASED = (
    select(_D.event_id)
    .where(_D.consumer == bindparam("sweeping"), _D.state == DeliveryState.HELD.value, _D.is_current)
    .where(~exists().where(_C.name == bindparam("sweeping"), _C.held == true()))
    .limit(SLICE)
    .with_for_update(skip_locked=True)
)
_RELEASE = (
    update(event_deliveries)
    .where(
        _D.consumer == bindparam("sweeping"),
        among(_D.event_id, "events"),
        _D.state == DeliveryState.HELD.value,
        _D.is_current,
    )
    .values(state=DeliveryState.PENDING.value, **_DUE_NOW)
)


def register(uow: UnitOfWork, registry: ConsumerRegistry) -> None:
    """Notes which consumers there are, and since when. At every start."""
    for consumer in registry.all:
        known = insert_for(uow.dialect_name, event_consumers).values(
            name=consumer.name, required=consumer.required, held=False, known_since_ms=uow.now_ms
        )
        uow.connection.execute(
            known.on_conflict_do_update(index_elements=["name"], set_={"required": consumer.required})
        )


def take_back_lost(uow: UnitOfWork, consumer: Consumer) -> int:
    """Deliveries whose lease is over: again, or UNKNOWN where that could do it twice, or DEAD after too many."""
    lost = uow.connection.execute(_LOST, {"sweeping": consumer.name, "now": uow.now_ms}).scalars().all()
    if lost:
        again = isinstance(consumer.work, DatabaseWork) or consumer.work.repeatable
        asked = {
            "sweeping": consumer.name,
            "events": lost,
            "now": uow.now_ms,
            "most": consumer.backoff.attempts if again else 1_000_000,
            "becomes": (DeliveryState.RETRY_WAIT if again else DeliveryState.UNKNOWN).value,
        }
        uow.connection.execute(_GONE_ON, asked)
    return len(lost)


def release_held(uow: UnitOfWork, consumer: Consumer) -> int:
    """Lets what was held go on once the consumer is switched on."""
    found = uow.connection.execute(_RELEASED, {"sweeping": consumer.name}).scalars().all()
    if found:
        uow.connection.execute(_RELEASE, {"sweeping": consumer.name, "events": found, "now": uow.now_ms})
    return len(found)


def add_missing(uow: UnitOfWork, consumer: Consumer) -> int:
    """Writes the deliveries of events that were emitted without one. How many."""
    since = select(_C.known_since_ms).where(_C.name == consumer.name)
    since_ms = uow.connection.execute(since).scalar()
    if since_ms is None:
        return 0
    begin_ms = max(since_ms, uow.now_ms - _LOOK_BACK_MS)
    found = [event_of(row) for row in uow.connection.execute(_missing(consumer, begin_ms)).mappings()]
    if found:
        adding = insert_for(uow.dialect_name, event_deliveries).on_conflict_do_nothing()
        uow.connection.execute(adding, [row_of(event, consumer.name) for event in found])
    return len(found)


def _missing(consumer: Consumer, begin_ms: int) -> Select[Any]:
    return (
        select(outbox_events)
        .where(
            _E.event_id >= _first_id_at(begin_ms),
            _E.occurred_at_ms >= begin_ms,
            _E.name.in_(sorted(consumer.events)),
            ~exists().where(_D.event_id == _E.event_id, _D.consumer == consumer.name),
        )
        .order_by(_E.event_id)
        .limit(SLICE)
    )


def _first_id_at(ms: int) -> str:
    """No UUIDv7 of that millisecond or later is below it; a minute for clocks that differ."""
    digits = f"{max(0, ms - 60_000):012x}"
    return f"{digits[:8]}-{digits[8:]}"
