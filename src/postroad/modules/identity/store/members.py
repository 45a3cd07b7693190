"""Who has which role in which workspace."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, RowMapping, Select, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from postroad.kernel.pages import Listing
from postroad.modules.identity._tables import role_bindings, users
from postroad.modules.identity.model import Member, UserFilter, UserStatus
from postroad.vocabulary.names import name_key
from postroad.vocabulary.refusals import StateConflict
from postroad.vocabulary.roles import Role

_T = role_bindings.c


def add(connection: Connection, member: Member) -> None:
    """Raises StateConflict where the user is a member already."""
    try:
        connection.execute(
            insert(role_bindings).values(
                id=member.id,
                workspace_id=member.workspace_id,
                user_id=member.user_id,
                role=member.role.value,
                version=member.version,
                created_at_ms=member.created_at_ms,
                updated_at_ms=member.updated_at_ms,
            )
        )
    except IntegrityError as error:
        said = f"{member.username} is a member of this workspace already; change the role instead"
        raise StateConflict(said, field="username") from error


def save_role(connection: Connection, member: Member) -> None:
    """Writes the role over the row that `lock` gave."""
    connection.execute(
        update(role_bindings)
        .where(_T.id == member.id)
        .values(role=member.role.value, version=member.version, updated_at_ms=member.updated_at_ms)
    )


def remove(connection: Connection, member: Member) -> None:
    connection.execute(delete(role_bindings).where(_T.id == member.id))


def find(connection: Connection, workspace_id: str, user_id: str) -> Member | None:
    return _one(connection, _members(workspace_id).where(_T.user_id == user_id))


def lock(connection: Connection, workspace_id: str, user_id: str) -> Member | None:
    """Others that lock it wait until this transaction ends."""
    return _one(connection, _members(workspace_id).where(_T.user_id == user_id).with_for_update(of=role_bindings))


def roles_of(connection: Connection, user_id: str) -> Mapping[str, Role]:
    """Workspace id → role."""
    rows = connection.execute(select(_T.workspace_id, _T.role).where(_T.user_id == user_id))
    return {workspace_id: Role(role) for workspace_id, role in rows}


def list_page(connection: Connection, listing: Listing, workspace_id: str, wanted: UserFilter) -> Sequence[Member]:
    """At most `listing.rows_wanted`, who came last first."""
    statement = _members(workspace_id)
    if wanted.name:
        statement = statement.where(users.c.username_key.contains(name_key(wanted.name), autoescape=True))
    if wanted.status:
        statement = statement.where(users.c.status == wanted.status)
    rows = connection.execute(listing.newest_first(statement, role_bindings)).mappings()
    return [_member(row) for row in rows]


def _members(workspace_id: str) -> Select[tuple[object, ...]]:
    return (
        select(role_bindings, users.c.username, users.c.display_name, users.c.status)
        .join(users, users.c.id == _T.user_id)
        .where(_T.workspace_id == workspace_id)
    )


def _one(connection: Connection, statement: Select[tuple[object, ...]]) -> Member | None:
    row = connection.execute(statement).mappings().first()
    return None if row is None else _member(row)


def _member(row: RowMapping) -> Member:
    return Member(
        id=row["id"],
        workspace_id=row["workspace_id"],
        user_id=row["user_id"],
        username=row["username"],
        display_name=row["display_name"],
        status=UserStatus(row["status"]),
        role=Role(row["role"]),
        version=row["version"],
        created_at_ms=row["created_at_ms"],
        updated_at_ms=row["updated_at_ms"],
    )
