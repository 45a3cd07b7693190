"""The table of workspaces. One name among the active ones; an archived workspace frees its name."""

from sqlalchemy import BigInteger, Column, Index, Table, Text, text

from postroad.kernel.tables import id_column, metadata, millis, version_column

_IS_ACTIVE = text("status = 'ACTIVE'")

workspaces = Table(
    "workspaces",
    metadata,
    id_column(),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("max_concurrent_runs", BigInteger, nullable=False),
    Column("max_total_concurrency", BigInteger, nullable=False),
    Column("artifact_quota_bytes", BigInteger, nullable=False),
    Column("artifact_retention_seconds", BigInteger, nullable=False),
    Column("max_workers", BigInteger, nullable=False),
    version_column(),
    millis("created_at_ms"),
    millis("updated_at_ms"),
    Index("uq_workspaces_active_name", "name_key", unique=True, sqlite_where=_IS_ACTIVE, postgresql_where=_IS_ACTIVE),
    Index("ix_workspaces_created", "created_at_ms", "id"),
)
