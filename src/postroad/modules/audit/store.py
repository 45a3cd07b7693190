"""The only SQL that writes the audit: rows are added, and leave at the old end."""

from collections.abc import Sequence

from sqlalchemy import Connection, RowMapping, delete, insert, select, tuple_, update

from postroad.kernel.pages import Position
from postroad.kernel.ports import AuditEntry
from postroad.modules.audit._tables import audit_events, audit_horizon
from postroad.modules.audit.model import AuditEvent, AuditFilter, AuditResult

_T = audit_events.c


class AuditTrail:
    """The kernel's `AuditWriter`: one row in the transaction of the change it tells of."""

    def write(self, connection: Connection, entry: AuditEntry) -> None:
        actor_kind, _, actor_id = entry.actor.partition(":")
        connection.execute(
            insert(audit_events).values(
                id=entry.id,
                occurred_at_ms=entry.occurred_at_ms,
                workspace_id=entry.workspace_id,
                actor_kind=actor_kind,
                actor_id=actor_id,
                actor_name=entry.actor_name,
                action=entry.action,
                resource_type=entry.resource_type,
                resource_id=entry.resource_id,
                result=AuditResult(entry.result).value,
                trace_id=entry.correlation_id,
                source_address=entry.source_address,
                details=dict(entry.details),
            )
        )


def list_newest(
    connection: Connection, workspace_id: str | None, wanted: AuditFilter, before: Position | None, limit: int
) -> Sequence[AuditEvent]:
    """Newest first, below the position (occurred_at_ms, id); of one workspace, or of everything for None."""
    statement = select(audit_events)
    if workspace_id is not None:
        statement = statement.where(_T.workspace_id == workspace_id)
    for column, value in (
        (_T.actor_id, wanted.actor_id),
        (_T.resource_type, wanted.resource_type),
        (_T.resource_id, wanted.resource_id),
        (_T.result, wanted.result),
    ):
        if value is not None:
            statement = statement.where(column == value)
    if wanted.action is not None:
        beginning = wanted.action.removesuffix("*")
        is_whole = beginning == wanted.action
        statement = statement.where(
            _T.action == beginning if is_whole else _T.action.startswith(beginning, autoescape=True)
        )
    if wanted.after_ms is not None:
        statement = statement.where(_T.occurred_at_ms >= wanted.after_ms)
    if wanted.before_ms is not None:
        statement = statement.where(_T.occurred_at_ms < wanted.before_ms)
    if before is not None:
        statement = statement.where(tuple_(_T.occurred_at_ms, _T.id) < tuple_(*before))
    statement = statement.order_by(_T.occurred_at_ms.desc(), _T.id.desc()).limit(limit)
    return [_event(row) for row in connection.execute(statement).mappings()]


def move_horizon(connection: Connection, keep_from_ms: int) -> None:
    """Rows older than this may leave from now on. Moves forward only; an older instant changes nothing."""
    moved = connection.execute(
        update(audit_horizon)
        .where(audit_horizon.c.id == 1, audit_horizon.c.keep_from_ms <= keep_from_ms)
        .values(keep_from_ms=keep_from_ms)
    )
    if moved.rowcount == 0 and connection.execute(select(audit_horizon.c.id)).first() is None:
        connection.execute(insert(audit_horizon).values(id=1, keep_from_ms=keep_from_ms))


def delete_before(connection: Connection, keep_from_ms: int, limit: int) -> int:
    """Removes at most `limit` rows older than the instant; the database refuses it above the horizon."""
    old = select(_T.id).where(_T.occurred_at_ms < keep_from_ms).order_by(_T.occurred_at_ms).limit(limit)
    return connection.execute(delete(audit_events).where(_T.id.in_(old))).rowcount


def _event(row: RowMapping) -> AuditEvent:
    return AuditEvent(
        id=row["id"],
        occurred_at_ms=row["occurred_at_ms"],
        workspace_id=row["workspace_id"],
        actor_kind=row["actor_kind"],
        actor_id=row["actor_id"],
        actor_name=row["actor_name"],
        action=row["action"],
        resource_type=row["resource_type"],
        resource_id=row["resource_id"],
        result=AuditResult(row["result"]),
        trace_id=row["trace_id"],
        source_address=row["source_address"],
        details=row["details"],
    )
