"""Events wait here, in the database of the change they tell of, until everybody who must know has been told.

A row is written in the transaction of the change. On PostgreSQL transactions commit in another order than they began,
so nobody may read `position > last seen`: a late commit would never be seen. The feed therefore orders by (transaction,
position) and shows only transactions below the oldest one still open (`pg_snapshot_xmin`), or older than any write may
last. On SQLite one writer commits after the other, the transaction number is 0, and the order is that of the positions.

The cursor of the feed is an opaque text, `<transaction>.<position>`, good as the id of a server-sent event.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Index,
    Integer,
    RowMapping,
    Table,
    Text,
    UniqueConstraint,
    insert,
    literal,
    literal_column,
    or_,
    select,
    tuple_,
    update,
)

from postroad.kernel.tables import json_column, metadata, millis
from postroad.vocabulary.events import Aggregate, Event, EventName
from postroad.vocabulary.refusals import ValidationFailed

SETTLED_AFTER_MS = 60_000
"""No write of ours is still open after this: deadlines are shorter, and the driver ends what passes them."""

outbox_events = Table(
    "outbox_events",
    metadata,
    Column(
        "position", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True, nullable=False
    ),
    Column("transaction", BigInteger, nullable=False),
    Column("event_id", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("schema_version", Integer, nullable=False),
    Column("workspace_id", Text, nullable=False),
    Column("project_id", Text),
    Column("aggregate_type", Text, nullable=False),
    Column("aggregate_id", Text, nullable=False),
    Column("aggregate_version", Integer, nullable=False),
    Column("actor", Text, nullable=False),
    Column("correlation_id", Text, nullable=False),
    Column("causation_id", Text),
    Column("hop", Integer, nullable=False),
    Column("idempotency_key", Text, nullable=False),
    Column("payload_digest", Text, nullable=False),
    millis("occurred_at_ms"),
    json_column("payload"),
    UniqueConstraint("aggregate_type", "aggregate_id", "aggregate_version", "name"),
    Index("ix_outbox_events_feed", "workspace_id", "transaction", "position"),
    sqlite_autoincrement=True,
)
_T = outbox_events.c
_NUMBER = re.compile(r"[0-9]{1,18}")
_APPEND = {
    "sqlite": insert(outbox_events).values(transaction=literal(0)),
    "postgresql": insert(outbox_events).values(transaction=literal_column("pg_current_xact_id()::text::bigint")),
}


class Snapshot(Protocol):
    """What a `uow.Reading` has."""

    @property
    def connection(self) -> Connection: ...

    @property
    def dialect_name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class FeedItem:
    cursor: str
    event: Event


def append(connection: Connection, dialect_name: str, event: Event) -> None:
    values: dict[str, Any] = {
        "event_id": event.event_id,
        "name": event.name.value,
        "schema_version": event.schema_version,
        "workspace_id": event.workspace_id,
        "project_id": event.project_id,
        "aggregate_type": event.aggregate.type,
        "aggregate_id": event.aggregate.id,
        "aggregate_version": event.aggregate.version,
        "actor": event.actor,
        "correlation_id": event.correlation_id,
        "causation_id": event.causation_id,
        "hop": event.hop,
        "idempotency_key": event.idempotency_key,
        "payload_digest": event.payload_digest,
        "occurred_at_ms": event.occurred_at_ms,
        "payload": dict(event.payload),
    }
    connection.execute(_APPEND[dialect_name], values)


def feed(reading: Snapshot, workspace_id: str, after: str, limit: int) -> tuple[FeedItem, ...]:
    """What happened in a workspace after a cursor (empty: from the beginning), oldest first, at most `limit`.

    Raises ValidationFailed for a text that is no cursor.
    """
    statement = (
        select(outbox_events)
        .where(_T.workspace_id == workspace_id, *_settled(reading.dialect_name))
        .order_by(_T.transaction, _T.position)
        .limit(limit)
    )
    if after:
        statement = statement.where(
            tuple_(_T.transaction, _T.position) > tuple_(*(literal(n, BigInteger) for n in _parsed(after)))
        )
    return tuple(
        FeedItem(f"{row['transaction']}.{row['position']}", event_of(row))
        for row in reading.connection.execute(statement).mappings()
    )


def feed_head(reading: Snapshot, workspace_id: str) -> str:
    """The cursor behind the newest event that the feed shows; empty where there is none."""
    statement = (
        select(_T.transaction, _T.position)
        .where(_T.workspace_id == workspace_id, *_settled(reading.dialect_name))
        .order_by(_T.transaction.desc(), _T.position.desc())
        .limit(1)
    )
    row = reading.connection.execute(statement).first()
    return f"{row[0]}.{row[1]}" if row else ""


def adopt_restored(connection: Connection) -> int:
    """After a restore into another PostgreSQL server: its transactions have other numbers, so those of the events that
    came along begin before all others. To be called while nobody writes; does nothing otherwise. Returns how many.
    """
    newest = select(_T.transaction).order_by(_T.position.desc()).limit(1000).subquery()
    ahead = literal_column("pg_snapshot_xmax(pg_current_snapshot())::text::bigint", BigInteger)
    if not connection.execute(select(select(newest).where(newest.c.transaction > ahead).exists())).scalar_one():
        return 0
    return connection.execute(update(outbox_events).where(_T.transaction > ahead).values(transaction=0)).rowcount


def _settled(dialect_name: str) -> tuple[ColumnElement[bool], ...]:
    if dialect_name != "postgresql":
        return ()
    horizon = literal_column("pg_snapshot_xmin(pg_current_snapshot())::text::bigint", BigInteger)
    age = literal_column("(extract(epoch from clock_timestamp()) * 1000)::bigint", BigInteger) - SETTLED_AFTER_MS
    return (or_(_T.transaction < horizon, _T.occurred_at_ms < age),)


def _parsed(cursor: str) -> tuple[int, int]:
    transaction, dot, position = cursor.partition(".")
    if not (dot and _NUMBER.fullmatch(transaction) and _NUMBER.fullmatch(position)):
        raise ValidationFailed.of("after", "CURSOR_INVALID", "this is no cursor of the feed; start without one")
    return int(transaction), int(position)


def event_of(row: RowMapping | Mapping[str, Any]) -> Event:
    """From a row that has the columns of `outbox_events`."""
    return Event(
        event_id=row["event_id"],
        name=EventName(row["name"]),
        schema_version=row["schema_version"],
        workspace_id=row["workspace_id"],
        project_id=row["project_id"],
        aggregate=Aggregate(row["aggregate_type"], row["aggregate_id"], row["aggregate_version"]),
        actor=row["actor"],
        correlation_id=row["correlation_id"],
        causation_id=row["causation_id"],
        hop=row["hop"],
        idempotency_key=row["idempotency_key"],
        payload_digest=row["payload_digest"],
        occurred_at_ms=row["occurred_at_ms"],
        payload=row["payload"],
    )
