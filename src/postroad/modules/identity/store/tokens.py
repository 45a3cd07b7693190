"""API tokens."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, RowMapping, Select, bindparam, func, insert, or_, select, update

from postroad.kernel.pages import Listing
from postroad.modules.identity._tables import tokens, users
from postroad.modules.identity.model import Token, TokenFilter, TokenStatus
from postroad.vocabulary.names import name_key

_T = tokens.c


def add(connection: Connection, token: Token, secret_digest: str) -> None:
    connection.execute(
        insert(tokens).values(
            id=token.id,
            workspace_id=token.workspace_id,
            user_id=token.user_id,
            name=token.name,
            name_key=name_key(token.name),
            shown=token.shown,
            secret_digest=secret_digest,
            scopes=list(token.scopes),
            open_failures=[],
            expires_at_ms=token.expires_at_ms,
            version=token.version,
            created_at_ms=token.created_at_ms,
            updated_at_ms=token.updated_at_ms,
        )
    )


def take_turn(connection: Connection, user_id: str) -> None:
    """On PostgreSQL lets one transaction after the other make tokens for a user; on SQLite there is only one writer.

    A lock of its own: the user's row is shared by every write of the user, and two that hold it would wait for ever.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"tokens:{user_id}", 0))))


def count_active(connection: Connection, user_id: str, now_ms: int) -> int:
    """Of all workspaces. After `take_turn` two cannot both be the last."""
    statement = (
        select(func.count())
        .select_from(tokens)
        .where(_T.user_id == user_id, _T.revoked_at_ms.is_(None), _T.expires_at_ms > now_ms)
    )
    return int(connection.execute(statement).scalar_one())


def find(connection: Connection, workspace_id: str, token_id: str) -> Token | None:
    return _one(connection, _tokens(workspace_id).where(_T.id == token_id))


def lock(connection: Connection, workspace_id: str, token_id: str) -> Token | None:
    """Others that lock it wait until this transaction ends."""
    return _one(connection, _tokens(workspace_id).where(_T.id == token_id).with_for_update(of=tokens))


def lock_active_of(connection: Connection, workspace_id: str, user_id: str, now_ms: int) -> Sequence[Token]:
    statement = _tokens(workspace_id).where(
        _T.user_id == user_id, _T.revoked_at_ms.is_(None), _T.expires_at_ms > now_ms
    )
    rows = connection.execute(statement.order_by(_T.id).with_for_update(of=tokens)).mappings()
    return [_token(row) for row in rows]


def save_revoked(connection: Connection, token: Token) -> None:
    """Writes the end of a token over the row that `lock` gave."""
    connection.execute(
        update(tokens)
        .where(_T.id == token.id)
        .values(revoked_at_ms=token.revoked_at_ms, version=token.version, updated_at_ms=token.updated_at_ms)
    )


def lock_failures(connection: Connection, token_id: str) -> tuple[Token, Sequence[int]] | None:
    """The token, held, and when its latest calls of the open API were refused."""
    statement = select(tokens, users.c.username).join(users, users.c.id == _T.user_id).where(_T.id == token_id)
    row = connection.execute(statement.with_for_update(of=tokens)).mappings().first()
    return None if row is None else (_token(row), row["open_failures"])


def save_failures(connection: Connection, token: Token, failures: Sequence[int]) -> None:
    """Writes refusals, and with them whether the token is disabled, over the row that is held."""
    connection.execute(
        update(tokens)
        .where(_T.id == token.id)
        .values(
            open_failures=list(failures),
            disabled_at_ms=token.disabled_at_ms,
            version=token.version,
            updated_at_ms=token.updated_at_ms,
        )
    )


def note_used(connection: Connection, used: Mapping[str, int]) -> None:
    """Token id → instant; an earlier instant than is kept changes nothing."""
    connection.execute(
        update(tokens)
        .where(
            _T.id == bindparam("the_id"),
            or_(_T.last_used_at_ms.is_(None), _T.last_used_at_ms < bindparam("used")),
        )
        .values(last_used_at_ms=bindparam("used")),
        [{"the_id": key, "used": used[key]} for key in sorted(used)],
    )


def list_page(
    connection: Connection, listing: Listing, workspace_id: str, wanted: TokenFilter, now_ms: int
) -> Sequence[Token]:
    """At most `listing.rows_wanted`, newest first."""
    statement = _tokens(workspace_id)
    if wanted.user_id:
        statement = statement.where(_T.user_id == wanted.user_id)
    if wanted.name:
        statement = statement.where(_T.name_key.contains(name_key(wanted.name), autoescape=True))
    match wanted.status:
        case TokenStatus.REVOKED:
            statement = statement.where(_T.revoked_at_ms.is_not(None))
        case TokenStatus.EXPIRED:
            statement = statement.where(_T.revoked_at_ms.is_(None), _T.expires_at_ms <= now_ms)
        case TokenStatus.ACTIVE:
            statement = statement.where(
                _T.revoked_at_ms.is_(None), _T.expires_at_ms > now_ms, _T.disabled_at_ms.is_(None)
            )
        case TokenStatus.DISABLED:
            statement = statement.where(
                _T.revoked_at_ms.is_(None), _T.expires_at_ms > now_ms, _T.disabled_at_ms.is_not(None)
            )
        case None:
            pass
    return [_token(row) for row in connection.execute(listing.newest_first(statement, tokens)).mappings()]


def _tokens(workspace_id: str) -> Select[tuple[object, ...]]:
    return select(tokens, users.c.username).join(users, users.c.id == _T.user_id).where(_T.workspace_id == workspace_id)


def _one(connection: Connection, statement: Select[tuple[object, ...]]) -> Token | None:
    row = connection.execute(statement).mappings().first()
    return None if row is None else _token(row)


def _token(row: RowMapping) -> Token:
    return Token(
        id=row["id"],
        workspace_id=row["workspace_id"],
        user_id=row["user_id"],
        username=row["username"],
        name=row["name"],
        shown=row["shown"],
        scopes=tuple(row["scopes"]),
        created_at_ms=row["created_at_ms"],
        updated_at_ms=row["updated_at_ms"],
        expires_at_ms=row["expires_at_ms"],
        last_used_at_ms=row["last_used_at_ms"],
        revoked_at_ms=row["revoked_at_ms"],
        disabled_at_ms=row["disabled_at_ms"],
        version=row["version"],
    )
