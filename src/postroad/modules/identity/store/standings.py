"""Who somebody is, by what was shown; and who he still is, under the lock of a write.

A sign-in or a token is good while it is not revoked, not over, not idle for too long, and its user is active. Rights
are read each time: a role that was taken away is gone with the next request.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, Table, select

from postroad.kernel.authz import Principal, PrincipalKind
from postroad.modules.identity._tables import role_bindings, sessions, tokens, users
from postroad.modules.identity.model import SessionTimes, UserStatus
from postroad.vocabulary.roles import Role

_B = role_bindings.c


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
        table, wanted = (sessions, principal.session_id) if by_session else (tokens, principal.token_id)
        row = connection.execute(_holder(table, table.c.id == wanted).with_for_update(read=True)).mappings().first()
        if row is None or not self._is_valid(row, now_ms):
            return None
        bindings = select(_B.workspace_id, _B.role).where(_B.user_id == row["user_id"]).with_for_update(read=True)
        roles = {workspace_id: Role(role) for workspace_id, role in connection.execute(bindings)}
        return _session_principal(row, roles) if by_session else _token_principal(row, roles)

    def by_session(self, connection: Connection, secret_digest: str, now_ms: int) -> Shown | None:
        """One read, no lock."""
        row, roles = self._shown(connection, sessions, secret_digest, now_ms)
        return None if row is None else Shown(_session_principal(row, roles), row["last_seen_at_ms"])

    def by_token(self, connection: Connection, secret_digest: str, now_ms: int) -> Shown | None:
        """One read, no lock."""
        row, roles = self._shown(connection, tokens, secret_digest, now_ms)
        return None if row is None else Shown(_token_principal(row, roles), row["last_used_at_ms"])

    def _shown(
        self, connection: Connection, table: Table, secret_digest: str, now_ms: int
    ) -> tuple[RowMapping | None, Mapping[str, Role]]:
        statement = (
            _holder(table, table.c.secret_digest == secret_digest)
            .add_columns(_B.workspace_id.label("bound_to"), _B.role)
            .outerjoin(role_bindings, _B.user_id == table.c.user_id)
        )
        rows = connection.execute(statement).mappings().all()
        if not rows or not self._is_valid(rows[0], now_ms):
            return None, {}
        return rows[0], {row["bound_to"]: Role(row["role"]) for row in rows if row["role"] is not None}

    def _is_valid(self, row: RowMapping, now_ms: int) -> bool:
        is_over = row["revoked_at_ms"] is not None or row["expires_at_ms"] <= now_ms
        is_idle = "last_seen_at_ms" in row and row["last_seen_at_ms"] + self.times.idle_ms <= now_ms
        return not is_over and not is_idle and row["user_status"] == UserStatus.ACTIVE.value


def _holder(table: Table, condition: ColumnElement[bool]) -> Select[tuple[object, ...]]:
    return (
        select(table, users.c.username, users.c.system_admin, users.c.status.label("user_status"))
        .join(users, users.c.id == table.c.user_id)
        .where(condition)
    )


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
