"""The tables of people: who they are, what they may be where, and what they have shown or may show of themselves.

Nothing that opens a door is kept as it is: passwords as argon2id, sessions, tokens and codes as SHA-256.
"""

from sqlalchemy import Column, ForeignKey, Index, Table, Text, UniqueConstraint, text

from postroad.kernel.tables import flag, id_column, json_column, metadata, millis, version_column, workspace_column

users = Table(
    "users",
    metadata,
    id_column(),
    Column("username", Text, nullable=False),
    Column("username_key", Text, nullable=False, unique=True),
    Column("display_name", Text, nullable=False),
    Column("status", Text, nullable=False),
    flag("system_admin"),
    Column("password_hash", Text),
    Column("external_subject", Text, unique=True),
    millis("last_sign_in_at_ms", nullable=True),
    version_column(),
    millis("created_at_ms"),
    millis("updated_at_ms"),
    Index("ix_users_created", "created_at_ms", "id"),
)

role_bindings = Table(
    "role_bindings",
    metadata,
    id_column(),
    workspace_column(),
    Column("user_id", Text, ForeignKey("users.id"), nullable=False),
    Column("role", Text, nullable=False),
    version_column(),
    millis("created_at_ms"),
    millis("updated_at_ms"),
    UniqueConstraint("user_id", "workspace_id"),
    Index("ix_role_bindings_workspace", "workspace_id", "created_at_ms", "id"),
)

sessions = Table(
    "sessions",
    metadata,
    id_column(),
    Column("user_id", Text, ForeignKey("users.id"), nullable=False),
    Column("secret_digest", Text, nullable=False, unique=True),
    Column("source_address", Text, nullable=False),
    Column("user_agent", Text, nullable=False),
    millis("last_seen_at_ms"),
    millis("expires_at_ms"),
    millis("revoked_at_ms", nullable=True),
    millis("created_at_ms"),
    Index("ix_sessions_user", "user_id", "created_at_ms", "id"),
    Index("ix_sessions_expiry", "expires_at_ms"),
)

tokens = Table(
    "tokens",
    metadata,
    id_column(),
    workspace_column(),
    Column("user_id", Text, ForeignKey("users.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("shown", Text, nullable=False),
    Column("secret_digest", Text, nullable=False, unique=True),
    json_column("scopes"),
    millis("expires_at_ms"),
    millis("last_used_at_ms", nullable=True),
    millis("revoked_at_ms", nullable=True),
    millis("disabled_at_ms", nullable=True),
    json_column("open_failures"),
    version_column(),
    millis("created_at_ms"),
    millis("updated_at_ms"),
    Index("ix_tokens_workspace", "workspace_id", "created_at_ms", "id"),
    Index("ix_tokens_user", "user_id"),
)

_IS_OPEN = text("consumed_at_ms IS NULL")

one_time_codes = Table(
    "one_time_codes",
    metadata,
    id_column(),
    Column("purpose", Text, nullable=False),
    Column("user_id", Text, ForeignKey("users.id")),
    Column("secret_digest", Text, nullable=False, unique=True),
    millis("expires_at_ms"),
    millis("consumed_at_ms", nullable=True),
    millis("created_at_ms"),
    Index("ix_one_time_codes_open", "purpose", sqlite_where=_IS_OPEN, postgresql_where=_IS_OPEN),
)
