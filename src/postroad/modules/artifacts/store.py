"""The statements of `artifacts` and `artifact_usages`."""

from typing import Any

from sqlalchemy import ColumnElement, RowMapping, func, insert, select, update

from postroad.kernel.pages import Listing, Page
from postroad.kernel.tables import insert_for
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.artifacts._tables import artifact_usages, artifacts
from postroad.modules.artifacts.model import Artifact, ArtifactFilter, ArtifactState, ArtifactType, Owner

_A = artifacts.c
_U = artifact_usages.c


def add(uow: UnitOfWork, artifact: Artifact) -> None:
    uow.connection.execute(insert(artifacts).values(id=artifact.id, **_values(artifact)))


def save(uow: UnitOfWork, artifact: Artifact) -> None:
    """Replaces what `lock` or `lock_due` returned."""
    uow.connection.execute(update(artifacts).where(_A.id == artifact.id).values(**_values(artifact)))


def find(reading: Reading, workspace_id: str, artifact_id: str) -> Artifact | None:
    statement = select(artifacts).where(_A.workspace_id == workspace_id, _A.id == artifact_id)
    row = reading.connection.execute(statement).mappings().first()
    return _artifact(row) if row else None


def lock(uow: UnitOfWork, workspace_id: str, artifact_id: str) -> Artifact | None:
    """The artifact, held until the end of the transaction."""
    statement = select(artifacts).where(_A.workspace_id == workspace_id, _A.id == artifact_id).with_for_update()
    row = uow.connection.execute(statement).mappings().first()
    return _artifact(row) if row else None


def lock_due(uow: UnitOfWork, state: ArtifactState, limit: int) -> list[Artifact]:
    """What the sweep has to look at now, the longest due first; what another sweep holds is passed over."""
    statement = _due(state, uow.now_ms, limit).with_for_update(skip_locked=True)
    return [_artifact(row) for row in uow.connection.execute(statement).mappings()]


def due(reading: Reading, state: ArtifactState, limit: int) -> list[Artifact]:
    return [_artifact(row) for row in reading.connection.execute(_due(state, reading.now_ms, limit)).mappings()]


def expired(reading: Reading, limit: int) -> list[Artifact]:
    """Whole files whose time is over and that nothing keeps, the oldest first."""
    statement = (
        select(artifacts)
        .where(_A.state == ArtifactState.READY, _A.expires_at_ms <= reading.now_ms)
        .where(_A.pinned.is_(False), _A.legal_hold.is_(False))
        .order_by(_A.expires_at_ms, _A.id)
        .limit(limit)
    )
    return [_artifact(row) for row in reading.connection.execute(statement).mappings()]


def page(reading: Reading, listing: Listing, workspace_id: str, wanted: ArtifactFilter) -> Page[Artifact]:
    """Newest first."""
    statement = listing.newest_first(select(artifacts).where(*_wanted(workspace_id, wanted)), artifacts)
    rows = reading.connection.execute(statement).mappings().all()
    return listing.page([_artifact(row) for row in rows], lambda one: (one.created_at_ms, one.id))


def reserve(uow: UnitOfWork, workspace_id: str, size_bytes: int, quota_bytes: int) -> bool:
    """Sets bytes aside; False where the quota would be passed. Callers at once are served one after the other."""
    empty = insert_for(uow.dialect_name, artifact_usages).values(
        workspace_id=workspace_id, used_bytes=0, reserved_bytes=0
    )
    uow.connection.execute(empty.on_conflict_do_nothing())
    statement = update(artifact_usages).where(_U.workspace_id == workspace_id)
    if quota_bytes:
        statement = statement.where(_U.used_bytes + _U.reserved_bytes + size_bytes <= quota_bytes)
    changed = statement.values(reserved_bytes=_U.reserved_bytes + size_bytes).returning(_U.workspace_id)
    return uow.connection.execute(changed).first() is not None


def change_usage(uow: UnitOfWork, workspace_id: str, *, used_bytes: int = 0, reserved_bytes: int = 0) -> None:
    """Adds to what is used and reserved; negative numbers give back."""
    statement = update(artifact_usages).where(_U.workspace_id == workspace_id)
    uow.connection.execute(
        statement.values(used_bytes=_U.used_bytes + used_bytes, reserved_bytes=_U.reserved_bytes + reserved_bytes)
    )


def usage(reading: Reading, workspace_id: str) -> tuple[int, int]:
    """Bytes used and reserved."""
    statement = select(_U.used_bytes, _U.reserved_bytes).where(_U.workspace_id == workspace_id)
    row = reading.connection.execute(statement).first()
    return (row[0], row[1]) if row else (0, 0)


def stored_bytes(reading: Reading, workspace_id: str) -> int:
    """What the rows say that is stored: the usage must equal it."""
    states = (ArtifactState.READY, ArtifactState.DELETING)
    statement = select(func.coalesce(func.sum(_A.size_bytes), 0)).where(
        _A.workspace_id == workspace_id, _A.state.in_(states)
    )
    return int(reading.connection.execute(statement).scalar_one())


def _due(state: ArtifactState, now_ms: int, limit: int) -> Any:
    return select(artifacts).where(_A.state == state, _A.due_at_ms <= now_ms).order_by(_A.due_at_ms).limit(limit)


def _wanted(workspace_id: str, wanted: ArtifactFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [_A.workspace_id == workspace_id]
    for column, value in (
        (_A.type, wanted.type),
        (_A.state, wanted.state),
        (_A.owner_type, wanted.owner_type),
        (_A.owner_id, wanted.owner_id),
    ):
        if value is not None:
            conditions.append(column == value)
    if wanted.name:
        conditions.append(_A.file_name.contains(wanted.name, autoescape=True))
    if wanted.created_after_ms is not None:
        conditions.append(_A.created_at_ms >= wanted.created_after_ms)
    if wanted.created_before_ms is not None:
        conditions.append(_A.created_at_ms < wanted.created_before_ms)
    return conditions


_SAME = (
    "workspace_id",
    "backend",
    "location",
    "size_bytes",
    "sha256",
    "content_type",
    "file_name",
    "pinned",
    "legal_hold",
    "created_by",
    "expires_at_ms",
    "due_at_ms",
    "attempts",
    "last_error",
    "version",
    "created_at_ms",
    "updated_at_ms",
)


def _values(artifact: Artifact) -> dict[str, Any]:
    return {
        **{name: getattr(artifact, name) for name in _SAME},
        "type": artifact.type.value,
        "state": artifact.state.value,
        "owner_type": artifact.owner.type,
        "owner_id": artifact.owner.id,
    }


def _artifact(row: RowMapping) -> Artifact:
    return Artifact(
        id=row["id"],
        type=ArtifactType(row["type"]),
        state=ArtifactState(row["state"]),
        owner=Owner(row["owner_type"], row["owner_id"]),
        **{name: row[name] for name in _SAME},
    )
