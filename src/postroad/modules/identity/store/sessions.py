"""Sessions of signed-in people."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, RowMapping, bindparam, delete, insert, or_, select, update

from postroad.modules.identity._tables import sessions
from postroad.modules.identity.model import Session

_T = sessions.c


def add(connection: Connection, session: Session, secret_digest: str) -> None:
    connection.execute(
        insert(sessions).values(
            id=session.id,
            user_id=session.user_id,
            secret_digest=secret_digest,
            source_address=session.source_address,
            user_agent=session.user_agent,
            last_seen_at_ms=session.last_seen_at_ms,
            expires_at_ms=session.expires_at_ms,
            created_at_ms=session.created_at_ms,
        )
    )


def list_valid(connection: Connection, user_id: str, now_ms: int, idle_ms: int) -> Sequence[Session]:
    """Those that can still be used, the latest first; the hundred latest where there are more."""
    statement = (
        select(sessions)
        .where(
            _T.user_id == user_id,
            _T.revoked_at_ms.is_(None),
            _T.expires_at_ms > now_ms,
            _T.last_seen_at_ms > now_ms - idle_ms,
        )
        .order_by(_T.created_at_ms.desc(), _T.id.desc())
        .limit(100)
    )
    return [_session(row) for row in connection.execute(statement).mappings()]


def revoke(connection: Connection, user_id: str, session_id: str, now_ms: int) -> bool:
    """Whether there was something to revoke."""
    return _revoked(connection, user_id, now_ms, only=session_id) > 0


def revoke_all(connection: Connection, user_id: str, now_ms: int, *, but: str = "") -> int:
    """How many were revoked; `but` is the id of one that stays."""
    return _revoked(connection, user_id, now_ms, but=but)


def note_seen(connection: Connection, seen: Mapping[str, int]) -> None:
    """Session id → instant; an earlier instant than is kept changes nothing."""
    connection.execute(
        update(sessions)
        .where(_T.id == bindparam("the_id"), _T.last_seen_at_ms < bindparam("seen"))
        .values(last_seen_at_ms=bindparam("seen")),
        [{"the_id": key, "seen": seen[key]} for key in sorted(seen)],
    )


def delete_over(connection: Connection, before_ms: int, limit: int) -> int:
    """Removes sessions that were over before the instant, at most `limit`. Returns how many."""
    over = select(_T.id).where(or_(_T.expires_at_ms < before_ms, _T.revoked_at_ms < before_ms)).limit(limit)
    return connection.execute(delete(sessions).where(_T.id.in_(over))).rowcount


def _revoked(connection: Connection, user_id: str, now_ms: int, *, only: str = "", but: str = "") -> int:
    conditions = [_T.user_id == user_id, _T.revoked_at_ms.is_(None), _T.id != but]
    if only:
        conditions.append(_T.id == only)
    return connection.execute(update(sessions).where(*conditions).values(revoked_at_ms=now_ms)).rowcount


def _session(row: RowMapping) -> Session:
    return Session(
        id=row["id"],
        user_id=row["user_id"],
        created_at_ms=row["created_at_ms"],
        last_seen_at_ms=row["last_seen_at_ms"],
        expires_at_ms=row["expires_at_ms"],
        source_address=row["source_address"],
        user_agent=row["user_agent"],
    )
