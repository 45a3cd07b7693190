"""Who somebody is, by what was shown; and who he still is, under the lock of a write.

A sign-in or a token is good while it is not revoked, disabled, over or idle for too long, and its user is active.
Rights are read each time: a role that was taken away is gone with the next request. Every request comes through here,
so the statements are made once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sqlalchemy import Column, Connection, RowMapping, Select, Table, bindparam, select

from postroad.kernel.authz import Principal, PrincipalKind
from postroad.modules.identity._tables import role_bindings, sessions, tokens, users
from postroad.modules.identity.model import SessionTimes, UserStatus
from postroad.vocabulary.roles import Role

_B = role_bindings.c
_Statement = Select[tuple[object, ...]]


def _holder(table: Table, key: Column[Any], *own: str) -> _Statement:
    columns = [table.c[name] for name in ("id", "user_id", "revoked_at_ms", "expires_at_ms", *own)]
    return (
        select(*columns, users.c.username, users.c.system_admin, users.c.status.label("user_status"))
        .join_from(table, users, users.c.id == table.c.user_id)
        .where(key == bindparam("wanted"))
    )


def _with_roles(statement: _Statement, table: Table) -> _Statement:
    return statement.add_columns(_B.workspace_id.label("bound_to"), _B.role).outerjoin(
        role_bindings, _B.user_id == table.c.user_id
    )


_OF_SESSION, _OF_TOKEN = ("last_seen_at_ms",), ("last_used_at_ms", "disabled_at_ms", "workspace_id", "scopes")
_SESSION_SHOWN = _with_roles(_holder(sessions, sessions.c.secret_digest, *_OF_SESSION), sessions)
_TOKEN_SHOWN = _with_roles(_holder(tokens, tokens.c.secret_digest, *_OF_TOKEN), tokens)
_SESSION_HELD = _holder(sessions, sessions.c.id, *_OF_SESSION).with_for_update(read=True)
_TOKEN_HELD = _holder(tokens, tokens.c.id, *_OF_TOKEN).with_for_update(read=True)
_BINDINGS_HELD: _Statement = (
    select(_B.workspace_id, _B.role).where(_B.user_id == bindparam("wanted")).with_for_update(read=True)
)


@dataclass(frozen=True, slots=True)
class Shown:
    """Who shows it, and when it was last known to be used."""

    principal: Principal
    last_used_at_ms: int | None


class Standings:
    """The kernel's `StandingReader`. On PostgreSQL the rows that decide are read FOR SHARE."""

    def __init__(self, times: SessionTimes | None = None) -> None:
        self.times = times or SessionTimes()

    def standing(self, connection: Connection, principal: Principal, now_ms: int) -> Principal | None:
        by_session = principal.kind is PrincipalKind.USER
        statement, wanted = (_SESSION_HELD, principal.session_id) if by_session else (_TOKEN_HELD, principal.token_id)
        row = connection.execute(statement, {"wanted": wanted}).mappings().first()
        if row is None or not self._is_valid(row, now_ms):
            return None
        bindings = connection.execute(_BINDINGS_HELD, {"wanted": row["user_id"]})
        roles = {one["workspace_id"]: Role(one["role"]) for one in bindings.mappings()}
        return _session_principal(row, roles) if by_session else _token_principal(row, roles)

    def by_session(self, connection: Connection, secret_digest: str, now_ms: int) -> Shown | None:
        """One read, no lock."""
        row, roles = self._shown(connection, _SESSION_SHOWN, secret_digest, now_ms)
        return None if row is None else Shown(_session_principal(row, roles), row["last_seen_at_ms"])

    def by_token(self, connection: Connection, secret_digest: str, now_ms: int) -> Shown | None:
        """One read, no lock."""
        row, roles = self._shown(connection, _TOKEN_SHOWN, secret_digest, now_ms)
        return None if row is None else Shown(_token_principal(row, roles), row["last_used_at_ms"])

    def _shown(
        self, connection: Connection, statement: _Statement, secret_digest: str, now_ms: int
    ) -> tuple[RowMapping | None, Mapping[str, Role]]:
        rows = connection.execute(statement, {"wanted": secret_digest}).mappings().all()
        if not rows or not self._is_valid(rows[0], now_ms):
            return None, {}
        return rows[0], {row["bound_to"]: Role(row["role"]) for row in rows if row["role"] is not None}

    def _is_valid(self, row: RowMapping, now_ms: int) -> bool:
        is_over = row["revoked_at_ms"] is not None or row["expires_at_ms"] <= now_ms
        is_disabled = row.get("disabled_at_ms") is not None
        is_idle = "last_seen_at_ms" in row and row["last_seen_at_ms"] + self.times.idle_ms <= now_ms
        return not is_over and not is_disabled and not is_idle and row["user_status"] == UserStatus.ACTIVE.value


def _session_principal(row: RowMapping, roles: Mapping[str, Role]) -> Principal:
    return Principal(
        PrincipalKind.USER,
        user_id=row["user_id"],
        username=row["username"],
        session_id=row["id"],
        system_admin=row["system_admin"],
        roles=MappingProxyType(dict(roles)),
    )


def _token_principal(row: RowMapping, roles: Mapping[str, Role]) -> Principal:
    """A token acts in its own workspace alone, as its owner's role there, within its scopes."""
    workspace_id = row["workspace_id"]
    role = Role.ADMIN if row["system_admin"] else roles.get(workspace_id)
    return Principal(
        PrincipalKind.TOKEN,
        user_id=row["user_id"],
        username=row["username"],
        token_id=row["id"],
        roles=MappingProxyType({} if role is None else {workspace_id: role}),
        scopes=frozenset(row["scopes"]),
    )
