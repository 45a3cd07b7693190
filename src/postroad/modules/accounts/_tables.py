"""The table of accounts. `config` is canonical JSON as text, so that a digest of it is the same on every database."""

from sqlalchemy import Column, Index, Table, Text

from postroad.kernel.tables import id_column, json_column, metadata, millis, version_column, workspace_column

accounts = Table(
    "accounts",
    metadata,
    id_column(),
    workspace_column(),
    Column("provider_id", Text, nullable=False),
    Column("schema_version", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("config", Text, nullable=False),
    Column("status", Text, nullable=False),
    json_column("last_test", nullable=True),
    Column("trial_run_id", Text),
    version_column(),
    millis("created_at_ms"),
    millis("updated_at_ms"),
)
Index("ix_accounts_listed", accounts.c.workspace_id, accounts.c.created_at_ms, accounts.c.id)
_NOT_ARCHIVED = accounts.c.status != "ARCHIVED"
Index(
    "uq_accounts_name",
    accounts.c.workspace_id,
    accounts.c.name_key,
    unique=True,
    sqlite_where=_NOT_ARCHIVED,
    postgresql_where=_NOT_ARCHIVED,
)
