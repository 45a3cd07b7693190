"""The statements of the table `audience_snapshots`. Its rows never change, except that their recipients expire."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, RowMapping, and_, delete, insert, or_, select, update

from postroad.kernel.pages import Listing, Page
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.audiences._tables import audience_snapshots, audiences
from postroad.modules.audiences.model import (
    AudienceStatus,
    ImportCause,
    SnapshotRecord,
    SnapshotState,
    SourceType,
)

_S = audience_snapshots.c


def add(uow: UnitOfWork, snapshot: SnapshotRecord) -> None:
    uow.connection.execute(
        insert(audience_snapshots).values(
            id=snapshot.id,
            workspace_id=snapshot.workspace_id,
            audience_id=snapshot.audience_id,
            revision=snapshot.revision,
            artifact_id=snapshot.artifact_id,
            sha256=snapshot.sha256,
            record_count=snapshot.record_count,
            columns=list(snapshot.columns),
            aliases=[list(alias) for alias in snapshot.aliases],
            key=list(snapshot.key),
            source_type=snapshot.source_type.value,
            cause=snapshot.cause.value,
            import_id=snapshot.import_id,
            state=snapshot.state.value,
            unneeded_since_ms=None,
            created_by=snapshot.created_by,
            created_at_ms=snapshot.created_at_ms,
        )
    )


def find(reading: Reading, workspace_id: str, snapshot_id: str) -> SnapshotRecord | None:
    return _one(reading, _S.workspace_id == workspace_id, _S.id == snapshot_id)


def find_revision(reading: Reading, workspace_id: str, audience_id: str, revision: int) -> SnapshotRecord | None:
    return _one(reading, _S.workspace_id == workspace_id, _S.audience_id == audience_id, _S.revision == revision)


def all_of(reading: Reading, audience_id: str) -> tuple[SnapshotRecord, ...]:
    statement = select(audience_snapshots).where(_S.audience_id == audience_id).order_by(_S.revision)
    return tuple(_snapshot(row) for row in reading.connection.execute(statement).mappings())


def page(reading: Reading, listing: Listing, audience_id: str) -> Page[SnapshotRecord]:
    """The newest revision first."""
    statement = select(audience_snapshots).where(_S.audience_id == audience_id)
    if listing.position is not None:
        statement = statement.where(_S.revision < listing.position[0])
    statement = statement.order_by(_S.revision.desc()).limit(listing.rows_wanted)
    rows = reading.connection.execute(statement).mappings().all()
    return listing.page([_snapshot(row) for row in rows], lambda one: (one.revision,))


def remove_all_of(uow: UnitOfWork, audience_id: str) -> None:
    uow.connection.execute(delete(audience_snapshots).where(_S.audience_id == audience_id))


def ready_artifacts(reading: Reading, artifact_ids: Sequence[str]) -> frozenset[str]:
    """Those of the artifacts that hold a snapshot whose recipients are kept."""
    statement = select(_S.artifact_id).where(_S.artifact_id.in_(artifact_ids), _S.state == SnapshotState.READY)
    return frozenset(reading.connection.execute(statement).scalars())


def list_replaced(reading: Reading, after: str, limit: int) -> tuple[str, ...]:
    """Ids behind `after` of READY snapshots that are not the present one of an audience in use, in order."""
    statement = (
        select(_S.id)
        .join(audiences, audiences.c.id == _S.audience_id)
        .where(_S.state == SnapshotState.READY, _S.id > after)
        .where(or_(audiences.c.snapshot_id != _S.id, audiences.c.status == AudienceStatus.ARCHIVED))
        .order_by(_S.id)
        .limit(limit)
    )
    return tuple(reading.connection.execute(statement).scalars())


def note_needed(uow: UnitOfWork, snapshot_ids: Sequence[str]) -> None:
    """Forgets since when they were not needed."""
    uow.connection.execute(
        update(audience_snapshots)
        .where(_S.id.in_(snapshot_ids), _S.unneeded_since_ms.is_not(None))
        .values(unneeded_since_ms=None)
    )


def note_unneeded(uow: UnitOfWork, snapshot_ids: Sequence[str]) -> None:
    """Remembers this moment for those that were needed so far."""
    uow.connection.execute(
        update(audience_snapshots)
        .where(_S.id.in_(snapshot_ids), _S.unneeded_since_ms.is_(None))
        .values(unneeded_since_ms=uow.now_ms)
    )


def expire(uow: UnitOfWork, snapshot_ids: Sequence[str], unneeded_before_ms: int) -> tuple[SnapshotRecord, ...]:
    """Marks those EXPIRED that were not needed since before then, and returns them."""
    due = and_(_S.id.in_(snapshot_ids), _S.state == SnapshotState.READY, _S.unneeded_since_ms <= unneeded_before_ms)
    rows = uow.connection.execute(select(audience_snapshots).where(due).with_for_update()).mappings().all()
    uow.connection.execute(
        update(audience_snapshots)
        .where(_S.id.in_([row["id"] for row in rows]))
        .values(state=SnapshotState.EXPIRED.value)
    )
    return tuple(_snapshot(row) for row in rows)


def _one(reading: Reading, *conditions: ColumnElement[bool]) -> SnapshotRecord | None:
    row = reading.connection.execute(select(audience_snapshots).where(*conditions)).mappings().first()
    return _snapshot(row) if row else None


def _snapshot(row: RowMapping) -> SnapshotRecord:
    return SnapshotRecord(
        id=row["id"],
        workspace_id=row["workspace_id"],
        audience_id=row["audience_id"],
        revision=row["revision"],
        artifact_id=row["artifact_id"],
        sha256=row["sha256"],
        record_count=row["record_count"],
        columns=tuple(row["columns"]),
        aliases=tuple((name, column) for name, column in row["aliases"]),
        key=tuple(row["key"]),
        source_type=SourceType(row["source_type"]),
        cause=ImportCause(row["cause"]),
        import_id=row["import_id"],
        state=SnapshotState(row["state"]),
        created_by=row["created_by"],
        created_at_ms=row["created_at_ms"],
    )
