"""Codes that are valid once: for the first administrator, for a new password."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, or_, select, text, update

from postroad.modules.identity._tables import one_time_codes
from postroad.modules.identity.model import CodePurpose

_T = one_time_codes.c


@dataclass(frozen=True, slots=True)
class OpenCode:
    id: str
    user_id: str | None
    secret_digest: str
    expires_at_ms: int


@dataclass(frozen=True, slots=True)
class NewCode:
    id: str
    purpose: CodePurpose
    user_id: str | None
    secret_digest: str
    expires_at_ms: int
    created_at_ms: int


def add(connection: Connection, code: NewCode) -> None:
    connection.execute(
        insert(one_time_codes).values(
            id=code.id,
            purpose=code.purpose.value,
            user_id=code.user_id,
            secret_digest=code.secret_digest,
            expires_at_ms=code.expires_at_ms,
            created_at_ms=code.created_at_ms,
        )
    )


def list_open(
    connection: Connection, purpose: CodePurpose, now_ms: int, user_id: str | None = None
) -> Sequence[OpenCode]:
    """Codes that were not used and are not over; those of one user where one is named."""
    statement = select(_T.id, _T.user_id, _T.secret_digest, _T.expires_at_ms).where(
        _T.purpose == purpose.value, _T.consumed_at_ms.is_(None), _T.expires_at_ms > now_ms
    )
    if user_id is not None:
        statement = statement.where(_T.user_id == user_id)
    return [OpenCode(*row) for row in connection.execute(statement)]


def find_open(connection: Connection, purpose: CodePurpose, secret_digest: str, now_ms: int) -> OpenCode | None:
    statement = select(_T.id, _T.user_id, _T.secret_digest, _T.expires_at_ms).where(
        _T.secret_digest == secret_digest,
        _T.purpose == purpose.value,
        _T.consumed_at_ms.is_(None),
        _T.expires_at_ms > now_ms,
    )
    row = connection.execute(statement).first()
    return None if row is None else OpenCode(*row)


def consume(connection: Connection, code_id: str, now_ms: int) -> bool:
    """Whether this transaction is the one that used it."""
    statement = update(one_time_codes).where(_T.id == code_id, _T.consumed_at_ms.is_(None))
    return connection.execute(statement.values(consumed_at_ms=now_ms)).rowcount == 1


def close_open(connection: Connection, purpose: CodePurpose, now_ms: int, user_id: str | None = None) -> None:
    """Makes all open codes of a purpose, or those of one user, worthless."""
    statement = update(one_time_codes).where(_T.purpose == purpose.value, _T.consumed_at_ms.is_(None))
    if user_id is not None:
        statement = statement.where(_T.user_id == user_id)
    connection.execute(statement.values(consumed_at_ms=now_ms))


def stand_alone(connection: Connection) -> None:
    """On PostgreSQL lets one transaction after the other touch the codes; on SQLite there is only one writer."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("LOCK TABLE one_time_codes IN SHARE ROW EXCLUSIVE MODE"))


def delete_over(connection: Connection, before_ms: int, limit: int) -> int:
    """Removes codes that were over or used before the instant, at most `limit`. Returns how many."""
    over = select(_T.id).where(or_(_T.expires_at_ms < before_ms, _T.consumed_at_ms < before_ms)).limit(limit)
    return connection.execute(delete(one_time_codes).where(_T.id.in_(over))).rowcount
