"""The events and audit rows of audiences and imports. No recipient and no query stands in them."""

import hashlib

from postroad.kernel.authz import Resource
from postroad.kernel.tables import canonical_json
from postroad.kernel.uow import Aggregate, UnitOfWork
from postroad.modules.audiences.model import Audience, Import, SnapshotRecord
from postroad.modules.audiences.store.documents import source_to_json
from postroad.vocabulary.events import EventName


def audience_changed(uow: UnitOfWork, audience: Audience, action: str) -> None:
    uow.emit(
        EventName.AUDIENCE_CHANGED,
        Aggregate("audience", audience.id, audience.version),
        {"audienceId": audience.id, "status": audience.status.value, "snapshotId": audience.snapshot_id},
        workspace_id=audience.workspace_id,
    )
    uow.audit(
        action,
        Resource(audience.workspace_id, "audience", audience.id),
        details={
            "name": audience.name,
            "sourceType": audience.source_type.value,
            "sourceDigest": hashlib.sha256(canonical_json(source_to_json(audience.source)).encode()).hexdigest(),
            "version": audience.version,
        },
    )


def snapshot_committed(uow: UnitOfWork, audience: Audience, snapshot: SnapshotRecord) -> None:
    uow.emit(
        EventName.AUDIENCE_COMMITTED,
        Aggregate("audience", audience.id, audience.version),
        {
            "audienceId": audience.id,
            "snapshotId": snapshot.id,
            "revision": snapshot.revision,
            "recordCount": snapshot.record_count,
            "sha256": snapshot.sha256,
            "cause": snapshot.cause.value,
            "importId": snapshot.import_id,
        },
        workspace_id=audience.workspace_id,
    )
    uow.audit(
        "audience.committed",
        Resource(audience.workspace_id, "audience", audience.id),
        details={
            "revision": snapshot.revision,
            "recordCount": snapshot.record_count,
            "sha256": snapshot.sha256,
            "importId": snapshot.import_id,
        },
    )


def import_changed(uow: UnitOfWork, changed: Import, action: str) -> None:
    uow.emit(
        EventName.AUDIENCE_IMPORT_CHANGED,
        Aggregate("audience_import", changed.id, changed.version),
        {
            "importId": changed.id,
            "audienceId": changed.audience_id,
            "state": changed.state.value,
            "cause": changed.cause.value,
            "reasonCode": changed.reason.code if changed.reason else None,
        },
        workspace_id=changed.workspace_id,
    )
    uow.audit(
        action,
        Resource(changed.workspace_id, "audience_import", changed.id),
        details={
            "audienceId": changed.audience_id,
            "sourceType": changed.source_type.value,
            "state": changed.state.value,
            "sha256": changed.upload.sha256 if changed.upload else None,
            "version": changed.version,
        },
    )
