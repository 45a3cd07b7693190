"""Tables of audiences. Recipients never stand in them: they lie in files."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from postroad.kernel.tables import flag, id_column, json_column, metadata, millis, version_column, workspace_column

audiences = Table(
    "audiences",
    metadata,
    id_column(),
    workspace_column(),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("source_type", Text, nullable=False),
    json_column("source"),
    json_column("layout"),
    Column("status", Text, nullable=False),
    Column("snapshot_id", Text, nullable=False),
    Column("snapshot_revision", Integer, nullable=False),
    Column("record_count", BigInteger, nullable=False),
    Column("created_by", Text, nullable=False),
    version_column(),
    millis("created_at_ms"),
    millis("updated_at_ms"),
)
Index("ix_audiences_listed", audiences.c.workspace_id, audiences.c.created_at_ms, audiences.c.id)
_NOT_ARCHIVED = audiences.c.status != "ARCHIVED"
Index(
    "uq_audiences_name",
    audiences.c.workspace_id,
    audiences.c.name_key,
    unique=True,
    sqlite_where=_NOT_ARCHIVED,
    postgresql_where=_NOT_ARCHIVED,
)

audience_snapshots = Table(
    "audience_snapshots",
    metadata,
    id_column(),
    workspace_column(),
    Column("audience_id", Text, ForeignKey("audiences.id"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("artifact_id", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("record_count", BigInteger, nullable=False),
    json_column("columns"),
    json_column("aliases"),
    json_column("key"),
    Column("source_type", Text, nullable=False),
    Column("cause", Text, nullable=False),
    Column("import_id", Text, nullable=False),
    Column("state", Text, nullable=False),
    millis("unneeded_since_ms", nullable=True),
    Column("created_by", Text, nullable=False),
    millis("created_at_ms"),
    UniqueConstraint("audience_id", "revision"),
    Index("ix_audience_snapshots_artifact", "artifact_id"),
    Index("ix_audience_snapshots_state", "state", "id"),
)

audience_imports = Table(
    "audience_imports",
    metadata,
    id_column(),
    workspace_column(),
    Column("audience_id", Text, ForeignKey("audiences.id")),
    Column("cause", Text, nullable=False),
    Column("source_type", Text, nullable=False),
    json_column("source"),
    json_column("layout"),
    Column("state", Text, nullable=False),
    json_column("reason", nullable=True),
    Column("rows_read", BigInteger, nullable=False),
    flag("is_being_read"),
    Column("reader", Text, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("tries", Integer, nullable=False),
    millis("lease_until_ms"),
    json_column("upload", nullable=True),
    json_column("staged", nullable=True),
    Column("errors_artifact_id", Text),
    json_column("report", nullable=True),
    Column("snapshot_id", Text),
    Column("created_by", Text, nullable=False),
    version_column(),
    millis("created_at_ms"),
    millis("updated_at_ms"),
    Index("ix_audience_imports_listed", "workspace_id", "created_at_ms", "id"),
    Index("ix_audience_imports_state", "state", "lease_until_ms", "id"),
    Index("ix_audience_imports_audience", "audience_id"),
)
