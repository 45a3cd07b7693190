"""The rows of deliveries: one for each event, consumer and generation, written in the transaction of the event.

An event that is committed has its deliveries, and nobody has to look for events that came late. Rows are claimed by the
time they are due and then by event, which is the order they were written in. `aggregate_key` is the type and the id of
the aggregate. A receipt says that a consumer has had the effect of an event; it is written with the effect.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, Connection, ForeignKey, Index, Integer, Table, Text, insert, text

from postroad.kernel.consumers.consumer import ConsumerRegistry
from postroad.kernel.tables import flag, metadata, millis
from postroad.vocabulary.events import Event
from postroad.vocabulary.transitions import DeliveryState

MOST_HOPS = 8
"""An event further from its first cause is delivered to nobody: consumers set each other off in a circle."""
TOO_MANY_HOPS = "TOO_MANY_HOPS"

IS_DUE = "state IN ('PENDING', 'RETRY_WAIT')"
IS_SENDING = "state = 'SENDING'"
IS_OPEN = "is_current AND state NOT IN ('SUCCEEDED', 'SKIPPED')"
"""The conditions of the indexes. Statements say them in the same words, not with parameters, so that they match."""

event_deliveries = Table(
    "event_deliveries",
    metadata,
    Column("event_id", Text, ForeignKey("outbox_events.event_id"), primary_key=True),
    Column("consumer", Text, primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    flag("is_current"),
    Column("workspace_id", Text, nullable=False),
    Column("event_name", Text, nullable=False),
    Column("aggregate_key", Text, nullable=False),
    Column("aggregate_version", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    millis("next_attempt_at_ms"),
    Column("owner", Text),
    millis("lease_until_ms", nullable=True),
    Column("fencing_token", Text),
    Column("last_error", Text),
    millis("created_at_ms"),
    millis("updated_at_ms"),
    Index(
        "ix_event_deliveries_due",
        "consumer",
        "next_attempt_at_ms",
        "event_id",
        sqlite_where=text(IS_DUE),
        postgresql_where=text(IS_DUE),
    ),
    Index(
        "ix_event_deliveries_leased", "lease_until_ms", sqlite_where=text(IS_SENDING), postgresql_where=text(IS_SENDING)
    ),
    Index(
        "ix_event_deliveries_open",
        "consumer",
        "aggregate_key",
        "aggregate_version",
        "event_id",
        sqlite_where=text(IS_OPEN),
        postgresql_where=text(IS_OPEN),
    ),
    Index("ix_event_deliveries_workspace", "workspace_id", "event_id", "consumer", "generation"),
)
event_receipts = Table(
    "event_receipts",
    metadata,
    Column("consumer", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
    millis("received_at_ms"),
)
event_consumers = Table(
    "event_consumers",
    metadata,
    Column("name", Text, primary_key=True),
    flag("required"),
    flag("held"),
    millis("known_since_ms"),
)
_PLAN = insert(event_deliveries)


def plan(connection: Connection, registry: ConsumerRegistry, events: Sequence[Event]) -> None:
    """Writes the deliveries of events into the transaction that emits them."""
    rows = [row_of(event, consumer.name) for event in events for consumer in registry.of(event.name)]
    if rows:
        connection.execute(_PLAN, rows)


def aggregate_key(event: Event) -> str:
    return f"{event.aggregate.type}/{event.aggregate.id}"


def row_of(event: Event, consumer: str) -> dict[str, Any]:
    """The first delivery of an event to a consumer."""
    goes_round = event.hop > MOST_HOPS
    return {
        "event_id": event.event_id,
        "consumer": consumer,
        "generation": 1,
        "is_current": True,
        "workspace_id": event.workspace_id,
        "event_name": event.name.value,
        "aggregate_key": aggregate_key(event),
        "aggregate_version": event.aggregate.version,
        "state": DeliveryState.DEAD.value if goes_round else DeliveryState.PENDING.value,
        "attempts": 0,
        "next_attempt_at_ms": event.occurred_at_ms,
        "owner": None,
        "lease_until_ms": None,
        "fencing_token": None,
        "last_error": TOO_MANY_HOPS if goes_round else None,
        "created_at_ms": event.occurred_at_ms,
        "updated_at_ms": event.occurred_at_ms,
    }
