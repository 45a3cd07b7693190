"""What was read becomes an audience with its first snapshot, or the next snapshot of an audience."""

from dataclasses import replace

from postroad.kernel.uow import UnitOfWork
from postroad.modules.audiences.model import (
    Audience,
    AudienceStatus,
    Import,
    ImportEvent,
    SnapshotRecord,
    SnapshotState,
    next_import_state,
)
from postroad.modules.audiences.parts.announcing import audience_changed, import_changed, snapshot_committed
from postroad.modules.audiences.store import audience_rows, import_rows, snapshot_rows


def commit_as_new(uow: UnitOfWork, held: Import, name: str) -> Audience:
    """`held` is PARSED and locked. Raises StateConflict, ValidationFailed where the name is taken."""
    snapshot = _snapshot(uow, held, audience_id=uow.new_id(), revision=1)
    audience = Audience(
        id=snapshot.audience_id,
        workspace_id=held.workspace_id,
        name=name,
        source=held.source,
        layout=held.layout,
        status=AudienceStatus.ACTIVE,
        snapshot_id=snapshot.id,
        snapshot_revision=1,
        record_count=snapshot.record_count,
        created_by=uow.principal.actor,
        version=1,
        created_at_ms=uow.now_ms,
        updated_at_ms=uow.now_ms,
    )
    audience_rows.add(uow, audience)
    audience_changed(uow, audience, "audience.created")
    _settle(uow, held, audience, snapshot)
    return audience


def commit_as_next(uow: UnitOfWork, held: Import, audience: Audience) -> Audience:
    """Both are locked, the audience first. Raises StateConflict."""
    snapshot = _snapshot(uow, held, audience_id=audience.id, revision=audience.snapshot_revision + 1)
    grown = replace(
        audience,
        source=held.source,
        layout=held.layout,
        snapshot_id=snapshot.id,
        snapshot_revision=snapshot.revision,
        record_count=snapshot.record_count,
        version=audience.version + 1,
        updated_at_ms=uow.now_ms,
    )
    audience_rows.save(uow, grown)
    _settle(uow, held, grown, snapshot)
    return grown


def _settle(uow: UnitOfWork, held: Import, audience: Audience, snapshot: SnapshotRecord) -> None:
    snapshot_rows.add(uow, snapshot)
    snapshot_committed(uow, audience, snapshot)
    done = replace(
        held,
        audience_id=audience.id,
        state=next_import_state(held.state, ImportEvent.COMMIT),
        snapshot_id=snapshot.id,
        version=held.version + 1,
        updated_at_ms=uow.now_ms,
    )
    import_rows.save(uow, done)
    import_changed(uow, done, "audience_import.committed")


def _snapshot(uow: UnitOfWork, held: Import, *, audience_id: str, revision: int) -> SnapshotRecord:
    next_import_state(held.state, ImportEvent.COMMIT)
    staged = held.staged
    assert staged is not None, "a PARSED import has what reading it left behind"
    return SnapshotRecord(
        id=uow.new_id(),
        workspace_id=held.workspace_id,
        audience_id=audience_id,
        revision=revision,
        artifact_id=staged.artifact_id,
        sha256=staged.sha256,
        record_count=staged.record_count,
        columns=staged.columns,
        aliases=staged.aliases,
        key=staged.key,
        source_type=held.source_type,
        cause=held.cause,
        import_id=held.id,
        state=SnapshotState.READY,
        created_by=held.created_by,
        created_at_ms=uow.now_ms,
    )
