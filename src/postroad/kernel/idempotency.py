"""A request that is repeated under its key is done once and answered the same.

`once` is the first thing a use case asks, `keep` the last thing it does, both in its own transaction: what was done and
the answer are kept together or not at all. A second request with the same key waits for the first. The scope of a key
is workspace, project, actor and action. The answer is kept for a day; the key and the digest of the request as long as
what they created, so that a late repeat creates nothing and only has no kept answer any more.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    cast,
    delete,
    func,
    insert,
    literal,
    select,
    update,
)

from postroad.kernel.tables import canonical_json, id_column, json_column, metadata, millis, workspace_column
from postroad.kernel.uow import UnitOfWork
from postroad.vocabulary.refusals import IdempotencyConflict, ValidationFailed

ANSWER_KEPT_MS = 24 * 3_600_000
LONGEST_KEY = 256

idempotency_records = Table(
    "idempotency_records",
    metadata,
    id_column(),
    workspace_column(),
    Column("project_id", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("key_digest", Text, nullable=False),
    Column("request_digest", Text, nullable=False),
    Column("resource_id", Text, nullable=False),
    Column("status", Integer),
    json_column("body", nullable=True),
    millis("created_at_ms"),
    millis("answer_until_ms"),
    UniqueConstraint("workspace_id", "project_id", "actor", "action", "key_digest"),
    Index("ix_idempotency_records_resource", "resource_id"),
    Index("ix_idempotency_records_answer", "answer_until_ms"),
)
_T = idempotency_records.c


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """Raises ValidationFailed where the key is missing or has not 1..256 printable ASCII characters."""

    workspace_id: str
    action: str
    key: str | None
    project_id: str = ""

    def __post_init__(self) -> None:
        key = self.key or ""
        if not key:
            raise ValidationFailed.of(
                "Idempotency-Key", "REQUIRED", "send an Idempotency-Key header: a new UUID will do"
            )
        if len(key) > LONGEST_KEY or not (key.isascii() and key.isprintable()):
            raise ValidationFailed.of(
                "Idempotency-Key",
                "INVALID",
                f"an Idempotency-Key has 1..{LONGEST_KEY} printable ASCII characters, this one has {len(key)}",
            )


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    status: int | None
    """None once the answer is older than a day: show what `resource_id` is now."""
    body: Any
    resource_id: str


def request_digest(request: object) -> str:
    """SHA-256 of the request as canonical JSON."""
    return hashlib.sha256(canonical_json(request).encode()).hexdigest()


def once(uow: UnitOfWork, key: IdempotencyKey, digest: str) -> KeptAnswer | None:
    """The answer of the first request with this key, or None for the first. Blocks while the first is under way.

    Raises IdempotencyConflict where the first one was another request.
    """
    if uow.dialect_name == "postgresql":
        lock = int.from_bytes(hashlib.sha256("\0".join(_scope(uow, key)).encode()).digest()[:8], "big", signed=True)
        uow.connection.execute(select(func.pg_advisory_xact_lock(cast(literal(lock), BigInteger))))
    row = uow.connection.execute(select(idempotency_records).where(*_same(uow, key))).mappings().first()
    if row is None:
        return None
    if row["request_digest"] != digest:
        raise IdempotencyConflict("this Idempotency-Key was used for another request; use a new one")
    if row["status"] is None or uow.now_ms >= row["answer_until_ms"]:
        return KeptAnswer(None, None, row["resource_id"])
    return KeptAnswer(row["status"], row["body"], row["resource_id"])


def keep(uow: UnitOfWork, key: IdempotencyKey, digest: str, *, status: int, body: object, resource_id: str) -> None:
    """Keeps the answer with what was done. `once` must have returned None in this transaction."""
    workspace_id, project_id, actor, action, key_digest = _scope(uow, key)
    uow.connection.execute(
        insert(idempotency_records).values(
            id=uow.new_id(),
            workspace_id=workspace_id,
            project_id=project_id,
            actor=actor,
            action=action,
            key_digest=key_digest,
            request_digest=digest,
            resource_id=resource_id,
            status=status,
            body=body,
            created_at_ms=uow.now_ms,
            answer_until_ms=uow.now_ms + ANSWER_KEPT_MS,
        )
    )


def forget_answers(uow: UnitOfWork, limit: int) -> int:
    """Drops kept answers older than a day, at most `limit`; keys and digests stay. Returns how many."""
    due = select(_T.id).where(_T.answer_until_ms <= uow.now_ms, _T.status.is_not(None)).limit(limit)
    return uow.connection.execute(
        update(idempotency_records).where(_T.id.in_(due)).values(status=None, body=None)
    ).rowcount


def forget_resource(uow: UnitOfWork, resource_id: str) -> None:
    """Drops the keys of what is deleted for good."""
    uow.connection.execute(delete(idempotency_records).where(_T.resource_id == resource_id))


def _scope(uow: UnitOfWork, key: IdempotencyKey) -> tuple[str, str, str, str, str]:
    digest = hashlib.sha256((key.key or "").encode()).hexdigest()
    actor = uow.principal.user_id or uow.principal.actor
    return key.workspace_id, key.project_id, actor, key.action, digest


def _same(uow: UnitOfWork, key: IdempotencyKey) -> list[Any]:
    workspace_id, project_id, actor, action, digest = _scope(uow, key)
    return [
        _T.workspace_id == workspace_id,
        _T.project_id == project_id,
        _T.actor == actor,
        _T.action == action,
        _T.key_digest == digest,
    ]
