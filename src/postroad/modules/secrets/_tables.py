"""The tables of secrets. A nonce, a ciphertext and a wrapped key mean nothing without the key ring."""

from sqlalchemy import (
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

from postroad.kernel.tables import id_column, metadata, millis, version_column, workspace_column

secret_records = Table(
    "secret_records",
    metadata,
    id_column(),
    workspace_column(),
    Column("namespace", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("type", Text, nullable=False),
    version_column(),
    Column("algorithm", Text, nullable=False),
    Column("nonce", LargeBinary, nullable=False),
    Column("ciphertext", LargeBinary, nullable=False),
    Column("key_version", Text, nullable=False),
    Column("wrapped_key", LargeBinary, nullable=False),
    millis("created_at_ms"),
    millis("updated_at_ms"),
    UniqueConstraint("workspace_id", "namespace", "name"),
)
Index("ix_secret_records_listed", secret_records.c.workspace_id, secret_records.c.created_at_ms, secret_records.c.id)
Index("ix_secret_records_key", secret_records.c.key_version, secret_records.c.id)

secret_versions = Table(
    "secret_versions",
    metadata,
    Column("secret_id", Text, ForeignKey("secret_records.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("updated_by", Text, nullable=False),
    millis("updated_at_ms"),
    PrimaryKeyConstraint("secret_id", "version"),
)
