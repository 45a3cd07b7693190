"""The tables of artifacts: the truth about what is stored; a listing of the store is for finding orphans only."""

from sqlalchemy import BigInteger, Column, Index, Integer, Table, Text

from postroad.kernel.tables import flag, id_column, metadata, millis, version_column, workspace_column

artifacts = Table(
    "artifacts",
    metadata,
    id_column(),
    workspace_column(),
    Column("type", Text, nullable=False),
    Column("owner_type", Text, nullable=False),
    Column("owner_id", Text, nullable=False),
    Column("backend", Text, nullable=False),
    Column("location", Text, nullable=False, unique=True),
    Column("state", Text, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("content_type", Text, nullable=False),
    Column("file_name", Text, nullable=False),
    flag("pinned"),
    flag("legal_hold"),
    Column("created_by", Text, nullable=False),
    millis("expires_at_ms", nullable=True),
    millis("due_at_ms", nullable=True),
    Column("attempts", Integer, nullable=False),
    Column("last_error", Text, nullable=False),
    version_column(),
    millis("created_at_ms"),
    millis("updated_at_ms"),
)
Index("ix_artifacts_listed", artifacts.c.workspace_id, artifacts.c.created_at_ms, artifacts.c.id)
Index("ix_artifacts_owner", artifacts.c.workspace_id, artifacts.c.owner_type, artifacts.c.owner_id)
Index("ix_artifacts_due", artifacts.c.state, artifacts.c.due_at_ms)

artifact_usages = Table(
    "artifact_usages",
    metadata,
    Column("workspace_id", Text, primary_key=True),
    Column("used_bytes", BigInteger, nullable=False),
    Column("reserved_bytes", BigInteger, nullable=False),
)
