"""The tables of messages. `content` is canonical JSON as text, so that its digest is the same on every database."""

from sqlalchemy import Column, ForeignKeyConstraint, Index, Integer, Table, Text, UniqueConstraint

from postroad.kernel.tables import id_column, metadata, millis, version_column, workspace_column

messages = Table(
    "messages",
    metadata,
    id_column(),
    workspace_column(),
    Column("provider_id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("current_revision", Integer, nullable=False),
    Column("status", Text, nullable=False),
    version_column(),
    millis("created_at_ms"),
    millis("updated_at_ms"),
)
Index("ix_messages_listed", messages.c.workspace_id, messages.c.created_at_ms, messages.c.id)
_NOT_ARCHIVED = messages.c.status != "ARCHIVED"
Index(
    "uq_messages_name",
    messages.c.workspace_id,
    messages.c.name_key,
    unique=True,
    sqlite_where=_NOT_ARCHIVED,
    postgresql_where=_NOT_ARCHIVED,
)

message_revisions = Table(
    "message_revisions",
    metadata,
    id_column(),
    workspace_column(),
    Column("message_id", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("provider_id", Text, nullable=False),
    Column("schema_version", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("created_by", Text, nullable=False),
    millis("created_at_ms"),
    UniqueConstraint("message_id", "revision"),
    ForeignKeyConstraint(["message_id"], ["messages.id"]),
)
