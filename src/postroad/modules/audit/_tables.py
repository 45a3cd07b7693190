"""The tables of the audit, and the triggers that keep them append-only against everybody, ourselves included.

No row is ever changed. Rows are removed from the old end only: `audit_horizon` holds the instant before which they may
go, it never moves back, and a DELETE of anything younger is refused by the database itself. A person with the rights of
the database's owner can drop a trigger; that leaves traces this cannot.
"""

from sqlalchemy import CheckConstraint, Column, Connection, Index, Integer, Table, Text, event

from postroad.kernel.tables import id_column, json_column, metadata, millis

audit_events = Table(
    "audit_events",
    metadata,
    id_column(),
    millis("occurred_at_ms"),
    Column("workspace_id", Text, nullable=False),
    Column("actor_kind", Text, nullable=False),
    Column("actor_id", Text, nullable=False),
    Column("actor_name", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("resource_type", Text, nullable=False),
    Column("resource_id", Text, nullable=False),
    Column("result", Text, nullable=False),
    Column("trace_id", Text, nullable=False),
    Column("source_address", Text, nullable=False),
    json_column("details"),
    Index("ix_audit_events_workspace", "workspace_id", "occurred_at_ms", "id"),
    Index("ix_audit_events_actor", "actor_id", "occurred_at_ms"),
    Index("ix_audit_events_occurred", "occurred_at_ms", "id"),
)

audit_horizon = Table(
    "audit_horizon",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    millis("keep_from_ms"),
    CheckConstraint("id = 1", name="single"),
)

_YOUNG = "OLD.occurred_at_ms >= COALESCE((SELECT keep_from_ms FROM audit_horizon WHERE id = 1), 0)"
_SQLITE = (
    """CREATE TRIGGER audit_events_never_change BEFORE UPDATE ON audit_events
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END""",
    f"""CREATE TRIGGER audit_events_never_leave_young BEFORE DELETE ON audit_events WHEN {_YOUNG}
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END""",
    """CREATE TRIGGER audit_horizon_never_moves_back BEFORE UPDATE ON audit_horizon
WHEN NEW.keep_from_ms < OLD.keep_from_ms BEGIN SELECT RAISE(ABORT, 'the horizon of the audit moves forward'); END""",
    """CREATE TRIGGER audit_horizon_stays BEFORE DELETE ON audit_horizon
BEGIN SELECT RAISE(ABORT, 'the horizon of the audit stays'); END""",
)
_POSTGRESQL = (
    """CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the audit is append-only'; END $$""",
    f"""CREATE FUNCTION audit_refuse_young() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN IF {_YOUNG} THEN RAISE EXCEPTION 'the audit is append-only'; END IF; RETURN OLD; END $$""",
    """CREATE FUNCTION audit_horizon_forward() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN IF NEW.keep_from_ms < OLD.keep_from_ms THEN RAISE EXCEPTION 'the horizon of the audit moves forward';
END IF; RETURN NEW; END $$""",
    """CREATE TRIGGER audit_events_never_change BEFORE UPDATE ON audit_events
FOR EACH ROW EXECUTE FUNCTION audit_refuse()""",
    """CREATE TRIGGER audit_events_never_leave_young BEFORE DELETE ON audit_events
FOR EACH ROW EXECUTE FUNCTION audit_refuse_young()""",
    """CREATE TRIGGER audit_events_never_emptied BEFORE TRUNCATE ON audit_events
FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse()""",
    """CREATE TRIGGER audit_horizon_never_moves_back BEFORE UPDATE ON audit_horizon
FOR EACH ROW EXECUTE FUNCTION audit_horizon_forward()""",
    """CREATE TRIGGER audit_horizon_stays BEFORE DELETE ON audit_horizon
FOR EACH ROW EXECUTE FUNCTION audit_refuse()""",
)

TRIGGERS = {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}
"""Statements by the name of the dialect, in order; run once after both tables were made. Migrations run the same."""


@event.listens_for(audit_horizon, "after_create")
def _guard(_table: Table, connection: Connection, **_: object) -> None:
    for statement in TRIGGERS[connection.dialect.name]:
        connection.exec_driver_sql(statement)
