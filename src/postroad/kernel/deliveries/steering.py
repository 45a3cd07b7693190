"""What a person may do about deliveries that did not arrive: replay them, give them up, switch a consumer off and on.

Nobody replays blindly: the same question is asked first with `expected=None`, which only counts, and then with the
number it answered; where the number is another one by then, nothing is done. A replay leaves each row as it is and
writes one of the next generation with the same event, so what went wrong stays readable. What waited behind a delivery
is looked at again at once. Who did what, to which range, and why, is audited.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Row, bindparam, insert, select, update

from postroad.kernel.authz import Action, Resource
from postroad.kernel.consumers.rows import event_consumers, event_deliveries
from postroad.kernel.deliveries.claims import wake_waiters
from postroad.kernel.deliveries.depth import ConsumerState, Depth, consumer_states, depths
from postroad.kernel.deliveries.inspecting import DeliveryFilter, admit, conditions
from postroad.kernel.tables import among
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.vocabulary.refusals import FieldProblem, ResourceNotFound, StateConflict, ValidationFailed
from postroad.vocabulary.transitions import REPLAYABLE, DeliveryState

MOST_AT_ONCE = 1000
LONGEST_REASON = 500
_D, _C = event_deliveries.c, event_consumers.c
_THESE = (among(_D.event_id, "events"), _D.consumer == bindparam("steering"), _D.is_current)
_REPLACED = update(event_deliveries).where(*_THESE).values(is_current=False)
_GIVEN_UP = (
    update(event_deliveries).where(*_THESE).values(state=DeliveryState.SKIPPED.value, updated_at_ms=bindparam("now"))
)
DISCARDABLE = frozenset({DeliveryState.DEAD, DeliveryState.UNKNOWN, DeliveryState.HELD})
_USUAL = frozenset({DeliveryState.DEAD, DeliveryState.UNKNOWN})


@dataclass(frozen=True, slots=True)
class Range:
    """Which deliveries of one consumer; whatever is None or empty does not matter."""

    consumer: str
    states: frozenset[DeliveryState] = _USUAL
    wanted: DeliveryFilter = field(default_factory=DeliveryFilter)
    event_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Order:
    range: Range
    reason: str
    expected: int | None = None
    """None only counts."""


@dataclass(frozen=True, slots=True)
class Steered:
    number: int
    done: bool
    """False where it was only counted."""


@dataclass(frozen=True, slots=True)
class ConsumerView:
    consumer: ConsumerState
    depths: tuple[Depth, ...]


def replay(uow: UnitOfWork, workspace_id: str | None, order: Order) -> Steered:
    """Delivers again, as the next generation. Raises ValidationFailed, StateConflict where the number differs."""
    rows = _chosen(uow, workspace_id, order, REPLAYABLE)
    if order.expected is None or not rows:
        return Steered(len(rows), done=order.expected is not None)
    uow.connection.execute(_REPLACED, _asked(uow, order, rows))
    uow.connection.execute(insert(event_deliveries), [_next_generation(row, uow.now_ms) for row in rows])
    _finish(uow, workspace_id, "deliveries.replay", order, rows)
    return Steered(len(rows), done=True)


def discard(uow: UnitOfWork, workspace_id: str | None, order: Order) -> Steered:
    """Gives up: what comes after them goes on, and their events may be cleaned away. Raises as `replay`."""
    rows = _chosen(uow, workspace_id, order, DISCARDABLE)
    if order.expected is None or not rows:
        return Steered(len(rows), done=order.expected is not None)
    uow.connection.execute(_GIVEN_UP, _asked(uow, order, rows))
    _finish(uow, workspace_id, "deliveries.discard", order, rows)
    return Steered(len(rows), done=True)


def switch_consumer(uow: UnitOfWork, name: str, *, held: bool, reason: str) -> ConsumerView:
    """Off: its deliveries are HELD as they come due. On: they go on. For system administrators; ResourceNotFound."""
    resource = replace(admit(uow, None), id=name)
    _check_reason(reason)
    switched = update(event_consumers).where(_C.name == name).values(held=held)
    if not uow.connection.execute(switched).rowcount:
        raise ResourceNotFound("there is no such consumer of events")
    uow.audit("consumer.hold" if held else "consumer.release", resource, details={"reason": reason})
    return next(view for view in list_consumers(uow) if view.consumer.name == name)


def list_consumers(reading: Reading) -> tuple[ConsumerView, ...]:
    """All that ever were, with what waits for each. For system administrators."""
    admit(reading, None)
    found = depths(reading)
    return tuple(
        ConsumerView(state, tuple(depth for depth in found if depth.consumer == state.name))
        for state in consumer_states(reading)
    )


def _chosen(
    uow: UnitOfWork, workspace_id: str | None, order: Order, possible: frozenset[DeliveryState]
) -> Sequence[Row[Any]]:
    """Locked, in the order of the events."""
    admit(uow, workspace_id, Action.DELIVERIES_WRITE)
    _check_reason(order.reason)
    asked = order.range
    if not asked.states <= possible:
        said = f"only deliveries in these states can be chosen: {', '.join(sorted(possible))}"
        raise ValidationFailed.of("states", "INVALID", said)
    wanted = replace(asked.wanted, consumer=asked.consumer, state=None)
    statement = (
        select(event_deliveries)
        .where(_D.is_current, _D.state.in_(sorted(asked.states)), *conditions(workspace_id, wanted))
        .order_by(_D.event_id)
        .limit(MOST_AT_ONCE + 1)
    )
    if asked.event_ids:
        statement = statement.where(among(_D.event_id, "chosen").params(chosen=list(asked.event_ids)))
    rows = uow.connection.execute(statement.with_for_update()).all()
    if len(rows) > MOST_AT_ONCE:
        said = f"these are more than {MOST_AT_ONCE} deliveries; name a narrower range of time"
        problems = (FieldProblem("occurredBefore", "TOO_MANY", said),)
        raise ValidationFailed(said, problems=problems)
    if order.expected is not None and order.expected != len(rows):
        raise StateConflict(f"it would be {len(rows)} deliveries now, not {order.expected}; count again, then decide")
    return rows


def _check_reason(reason: str) -> None:
    if not 1 <= len(reason.strip()) <= LONGEST_REASON:
        said = f"say why, in 1 to {LONGEST_REASON} characters: it stands in the audit"
        raise ValidationFailed.of("reason", "LENGTH", said)


def _asked(uow: UnitOfWork, order: Order, rows: Sequence[Row[Any]]) -> dict[str, Any]:
    return {"events": [row.event_id for row in rows], "steering": order.range.consumer, "now": uow.now_ms}


def _next_generation(row: Row[Any], now_ms: int) -> dict[str, Any]:
    return {
        **row._mapping,
        "generation": row.generation + 1,
        "is_current": True,
        "state": DeliveryState.PENDING.value,
        "attempts": 0,
        "next_attempt_at_ms": now_ms,
        "owner": None,
        "lease_until_ms": None,
        "fencing_token": None,
        "last_error": None,
        "updated_at_ms": now_ms,
    }


def _finish(uow: UnitOfWork, workspace_id: str | None, action: str, order: Order, rows: Sequence[Row[Any]]) -> None:
    wake_waiters(uow, order.range.consumer, sorted({row.aggregate_key for row in rows}))
    wanted = order.range.wanted
    details = {
        "consumer": order.range.consumer,
        "states": sorted(order.range.states),
        "event": wanted.event,
        "occurredAfterMs": wanted.occurred_after,
        "occurredBeforeMs": wanted.occurred_before,
        "firstEventId": rows[0].event_id,
        "lastEventId": rows[-1].event_id,
        "number": len(rows),
        "reason": order.reason,
    }
    uow.audit(action, Resource(workspace_id or "", "delivery", order.range.consumer), details=details)
