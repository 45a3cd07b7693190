"""Tables of schedules."""

from sqlalchemy import Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from postroad.kernel.tables import flag, id_column, metadata, millis, version_column, workspace_column

schedules = Table(
    "schedules",
    metadata,
    id_column(),
    workspace_column(),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("job_id", Text, nullable=False),
    Column("cron", Text),
    millis("at_ms", nullable=True),
    Column("timezone", Text, nullable=False),
    Column("misfire_policy", Text, nullable=False),
    Column("catch_up_limit", Integer, nullable=False),
    millis("start_at_ms", nullable=True),
    millis("end_at_ms", nullable=True),
    flag("refresh_audience"),
    Column("status", Text, nullable=False),
    millis("next_fire_at_ms", nullable=True),
    millis("last_fire_at_ms", nullable=True),
    Column("created_by", Text, nullable=False),
    version_column(),
    millis("created_at_ms"),
    millis("updated_at_ms"),
    Index("ix_schedules_due", "status", "next_fire_at_ms", "id"),
    Index("ix_schedules_workspace", "workspace_id", "created_at_ms", "id"),
    Index("ix_schedules_job", "job_id"),
)

schedule_firings = Table(
    "schedule_firings",
    metadata,
    id_column(),
    workspace_column(),
    Column("schedule_id", Text, ForeignKey("schedules.id"), nullable=False),
    millis("fire_at_ms"),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("run_id", Text),
    Column("import_id", Text),
    millis("created_at_ms"),
    millis("updated_at_ms"),
    UniqueConstraint("schedule_id", "fire_at_ms", name="uq_schedule_firings_once"),
    Index("ix_schedule_firings_state", "state", "created_at_ms", "id"),
)
