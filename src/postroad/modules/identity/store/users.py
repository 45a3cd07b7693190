"""Users."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, RowMapping, exists, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from postroad.kernel.pages import Listing
from postroad.modules.identity._tables import users
from postroad.modules.identity.model import User, UserFilter, UserStatus
from postroad.vocabulary.names import name_key
from postroad.vocabulary.refusals import StateConflict

_T = users.c


@dataclass(frozen=True, slots=True)
class SignInRow:
    """What a sign-in is decided by."""

    user: User
    password_hash: str | None


def add(connection: Connection, user: User, username_key: str, password_hash: str | None) -> None:
    """Raises StateConflict where the username, or the subject, belongs to somebody."""
    values = {"id": user.id, "username_key": username_key, "password_hash": password_hash, **_values(user)}
    try:
        connection.execute(insert(users).values(values))
    except IntegrityError as error:
        raise _taken(user) from error


def save(connection: Connection, user: User) -> None:
    """Writes what may change of a user over the row that `lock` gave; the username never changes."""
    try:
        connection.execute(update(users).where(_T.id == user.id).values(_values(user)))
    except IntegrityError as error:
        raise _taken(user) from error


def set_password(connection: Connection, user_id: str, password_hash: str) -> None:
    connection.execute(update(users).where(_T.id == user_id).values(password_hash=password_hash))


def note_sign_in(connection: Connection, user_id: str, now_ms: int) -> None:
    """No change of the user in the sense of a version."""
    connection.execute(update(users).where(_T.id == user_id).values(last_sign_in_at_ms=now_ms))


def find(connection: Connection, user_id: str) -> User | None:
    row = find_row(connection, user_id)
    return None if row is None else row.user


def find_row(connection: Connection, user_id: str) -> SignInRow | None:
    return _sign_in_row(connection.execute(select(users).where(_T.id == user_id)).mappings().first())


def lock(connection: Connection, user_id: str) -> SignInRow | None:
    """Others that lock the user wait until this transaction ends."""
    return _sign_in_row(connection.execute(select(users).where(_T.id == user_id).with_for_update()).mappings().first())


def find_by_key(connection: Connection, username_key: str) -> SignInRow | None:
    return _sign_in_row(connection.execute(select(users).where(_T.username_key == username_key)).mappings().first())


def has_any(connection: Connection) -> bool:
    return bool(connection.execute(select(exists(select(_T.id)))).scalar())


def lock_active_system_admins(connection: Connection) -> Sequence[str]:
    """Their ids. Of two transactions that ask at once the second one sees what the first one left."""
    statement = select(_T.id).where(_T.system_admin.is_(True), _T.status == UserStatus.ACTIVE.value).order_by(_T.id)
    return connection.execute(statement.with_for_update()).scalars().all()


def list_page(connection: Connection, listing: Listing, wanted: UserFilter) -> Sequence[User]:
    """At most `listing.rows_wanted`, newest first. A name is looked for in usernames and in names to show."""
    statement = select(users)
    if wanted.name:
        part = name_key(wanted.name)
        statement = statement.where(
            or_(_T.username_key.contains(part, autoescape=True), _T.display_name.icontains(part, autoescape=True))
        )
    if wanted.status:
        statement = statement.where(_T.status == wanted.status)
    return [user_of(row) for row in connection.execute(listing.newest_first(statement, users)).mappings()]


def user_of(row: RowMapping) -> User:
    return User(
        id=row["id"],
        username=row["username"],
        display_name=row["display_name"],
        status=UserStatus(row["status"]),
        system_admin=row["system_admin"],
        has_password=row["password_hash"] is not None,
        external_subject=row["external_subject"],
        last_sign_in_at_ms=row["last_sign_in_at_ms"],
        version=row["version"],
        created_at_ms=row["created_at_ms"],
        updated_at_ms=row["updated_at_ms"],
    )


def _sign_in_row(row: RowMapping | None) -> SignInRow | None:
    return None if row is None else SignInRow(user_of(row), row["password_hash"])


def _values(user: User) -> dict[str, object]:
    return {
        "username": user.username,
        "display_name": user.display_name,
        "status": user.status.value,
        "system_admin": user.system_admin,
        "external_subject": user.external_subject,
        "last_sign_in_at_ms": user.last_sign_in_at_ms,
        "version": user.version,
        "created_at_ms": user.created_at_ms,
        "updated_at_ms": user.updated_at_ms,
    }


def _taken(user: User) -> StateConflict:
    return StateConflict(f"somebody is called {user.username} already; choose another username", field="username")
