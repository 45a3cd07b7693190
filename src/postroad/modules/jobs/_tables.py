"""The table of jobs. What a job refers to belongs to other owners, so no foreign key binds it: the commands look."""

from sqlalchemy import Column, Index, Integer, Table, Text

from postroad.kernel.tables import (
    flag,
    id_column,
    json_column,
    metadata,
    millis,
    version_column,
    workspace_column,
)

jobs = Table(
    "jobs",
    metadata,
    id_column(),
    workspace_column(),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("account_id", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("message_revision", Integer),
    Column("audience_id", Text, nullable=False),
    json_column("policies"),
    flag("open_api_enabled"),
    Column("open_api_recipient_cap", Integer, nullable=False),
    Column("status", Text, nullable=False),
    version_column(),
    millis("created_at_ms"),
    millis("updated_at_ms"),
)
Index("ix_jobs_listed", jobs.c.workspace_id, jobs.c.created_at_ms, jobs.c.id)
Index("ix_jobs_account", jobs.c.account_id)
Index("ix_jobs_message", jobs.c.message_id)
Index("ix_jobs_audience", jobs.c.audience_id)
_NOT_ARCHIVED = jobs.c.status != "ARCHIVED"
Index(
    "uq_jobs_name",
    jobs.c.workspace_id,
    jobs.c.name_key,
    unique=True,
    sqlite_where=_NOT_ARCHIVED,
    postgresql_where=_NOT_ARCHIVED,
)
