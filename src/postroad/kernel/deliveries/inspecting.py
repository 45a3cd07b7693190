"""Looking at deliveries: of a workspace for its members, of all for system administrators. Newest events first."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, literal, select, tuple_

from postroad.kernel.authz import Action, Resource
from postroad.kernel.consumers.rows import event_deliveries
from postroad.kernel.outbox import event_of, outbox_events
from postroad.kernel.pages import Listing, Page, PageRequest, Position
from postroad.kernel.uow import Reading
from postroad.vocabulary.events import Event, EventName
from postroad.vocabulary.refusals import ResourceNotFound
from postroad.vocabulary.transitions import DeliveryState

_D, _E = event_deliveries.c, outbox_events.c
_ORDER = (_D.event_id, _D.consumer, _D.generation)


@dataclass(frozen=True, slots=True)
class DeliveryFilter:
    consumer: str | None = None
    state: DeliveryState | None = None
    event: EventName | None = None
    occurred_after: int | None = None
    """At or after this instant, in milliseconds."""
    occurred_before: int | None = None


@dataclass(frozen=True, slots=True)
class DeliveryView:
    id: str
    """`<event id>.<generation>.<consumer>`"""
    workspace_id: str
    consumer: str
    event_id: str
    event_name: str
    aggregate_type: str
    aggregate_id: str
    aggregate_version: int
    generation: int
    is_current: bool
    """False once a replay took its place."""
    state: DeliveryState
    attempts: int
    next_attempt_at_ms: int | None
    """Where it waits for one."""
    last_error: str | None
    created_at_ms: int
    updated_at_ms: int


@dataclass(frozen=True, slots=True)
class DeliveryDetail:
    delivery: DeliveryView
    event: Event
    generations: tuple[DeliveryView, ...]
    """All of this event to this consumer, first to last."""


def list_deliveries(
    reading: Reading, workspace_id: str | None, page: PageRequest, wanted: DeliveryFilter
) -> Page[DeliveryView]:
    """What is current. None for the workspace means all of them; system administrators only."""
    resource = admit(reading, workspace_id)
    listing = Listing.open(reading.cursors, page, resource, asdict(wanted))
    statement = select(event_deliveries).where(_D.is_current, *conditions(workspace_id, wanted))
    if listing.position is not None:
        last = (literal(value, key.type) for value, key in zip(listing.position, _ORDER, strict=True))
        statement = statement.where(tuple_(*_ORDER) < tuple_(*last))
    statement = statement.order_by(*(key.desc() for key in _ORDER)).limit(listing.rows_wanted)
    return listing.page([_view(row) for row in reading.connection.execute(statement)], _position)


def get_delivery(reading: Reading, workspace_id: str | None, delivery_id: str) -> DeliveryDetail:
    """Raises ResourceNotFound."""
    admit(reading, workspace_id)
    event_id, _, rest = delivery_id.partition(".")
    generation, _, consumer = rest.partition(".")
    where = [_D.event_id == event_id, _D.consumer == consumer]
    if workspace_id is not None:
        where.append(_D.workspace_id == workspace_id)
    rows = reading.connection.execute(select(event_deliveries).where(*where).order_by(_D.generation))
    generations = tuple(_view(row) for row in rows)
    for view in generations:
        if str(view.generation) == generation:
            event = reading.connection.execute(select(outbox_events).where(_E.event_id == event_id)).mappings().one()
            return DeliveryDetail(view, event_of(event), generations)
    raise ResourceNotFound("there is no such delivery")


def conditions(workspace_id: str | None, wanted: DeliveryFilter) -> tuple[ColumnElement[bool], ...]:
    asked: Mapping[ColumnElement[Any], object] = {
        _D.workspace_id: workspace_id,
        _D.consumer: wanted.consumer,
        _D.state: wanted.state,
        _D.event_name: wanted.event,
    }
    found = [column == value for column, value in asked.items() if value is not None]
    if wanted.occurred_after is not None:
        found.append(_D.created_at_ms >= wanted.occurred_after)
    if wanted.occurred_before is not None:
        found.append(_D.created_at_ms < wanted.occurred_before)
    return tuple(found)


def admit(reading: Reading, workspace_id: str | None, action: Action = Action.DELIVERIES_READ) -> Resource:
    """The deliveries as a resource, for somebody who may do that with them."""
    resource = Resource(workspace_id or "", "delivery")
    reading.authorize(Action.SYSTEM_ADMIN if workspace_id is None else action, resource)
    return resource


def _position(view: DeliveryView) -> Position:
    return (view.event_id, view.consumer, view.generation)


def _view(row: Row[Any]) -> DeliveryView:
    aggregate_type, _, aggregate_id = row.aggregate_key.partition("/")
    waits = row.state in {DeliveryState.PENDING, DeliveryState.RETRY_WAIT}
    return DeliveryView(
        id=f"{row.event_id}.{row.generation}.{row.consumer}",
        workspace_id=row.workspace_id,
        consumer=row.consumer,
        event_id=row.event_id,
        event_name=row.event_name,
        aggregate_type=aggregate_type,
        aggregate_id=aggregate_id,
        aggregate_version=row.aggregate_version,
        generation=row.generation,
        is_current=row.is_current,
        state=DeliveryState(row.state),
        attempts=row.attempts,
        next_attempt_at_ms=row.next_attempt_at_ms if waits else None,
        last_error=row.last_error,
        created_at_ms=row.created_at_ms,
        updated_at_ms=row.updated_at_ms,
    )
