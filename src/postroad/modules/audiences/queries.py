"""What can be read of audiences, snapshots and imports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from postroad.kernel.authz import Action, Resource
from postroad.kernel.pages import Listing, Page, PageRequest
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.audiences.model import (
    Audience,
    AudienceFilter,
    AudienceStatus,
    Import,
    ImportFilter,
    ImportState,
    SnapshotRecord,
    SnapshotState,
)
from postroad.modules.audiences.parts.finding import one_audience, one_import, one_snapshot
from postroad.modules.audiences.store import audience_rows, import_rows, snapshot_rows
from postroad.vocabulary.refusals import StateConflict


def get_audience(reading: Reading, workspace_id: str, audience_id: str) -> Audience:
    """Raises ResourceNotFound."""
    reading.authorize(Action.AUDIENCES_READ, Resource(workspace_id, "audience", audience_id))
    return one_audience(audience_rows.find(reading, workspace_id, audience_id))


def list_audiences(reading: Reading, workspace_id: str, request: PageRequest, wanted: AudienceFilter) -> Page[Audience]:
    """Newest first; archived ones only where asked for."""
    listed = Resource(workspace_id, "audience")
    reading.authorize(Action.AUDIENCES_READ, listed)
    filters = {
        "name": wanted.name,
        "status": wanted.status,
        "sourceType": wanted.source_type,
        "after": wanted.created_after_ms,
        "before": wanted.created_before_ms,
    }
    listing = Listing.open(reading.cursors, request, listed, filters)
    return audience_rows.page(reading, listing, workspace_id, wanted)


def count_audiences(reading: Reading, workspace_id: str, wanted: AudienceFilter) -> Mapping[str, int]:
    """How many there are in each status, under the other filters."""
    reading.authorize(Action.AUDIENCES_READ, Resource(workspace_id, "audience"))
    counted = audience_rows.count_by_status(reading, workspace_id, wanted)
    return {status.value: counted.get(status.value, 0) for status in AudienceStatus}


def list_snapshots(reading: Reading, workspace_id: str, audience_id: str, request: PageRequest) -> Page[SnapshotRecord]:
    """The newest revision first. Raises ResourceNotFound."""
    audience = get_audience(reading, workspace_id, audience_id)
    listed = Resource(workspace_id, "audience_snapshot", audience.id)
    return snapshot_rows.page(reading, Listing.open(reading.cursors, request, listed, {}), audience.id)


def get_snapshot(reading: Reading, workspace_id: str, audience_id: str, revision: int) -> SnapshotRecord:
    """Raises ResourceNotFound."""
    reading.authorize(Action.AUDIENCES_READ, Resource(workspace_id, "audience", audience_id))
    return one_snapshot(snapshot_rows.find_revision(reading, workspace_id, audience_id, revision))


def get_import(reading: Reading, workspace_id: str, import_id: str) -> Import:
    """Raises ResourceNotFound."""
    reading.authorize(Action.AUDIENCES_READ, Resource(workspace_id, "audience_import", import_id))
    return one_import(import_rows.find(reading, workspace_id, import_id))


def list_imports(reading: Reading, workspace_id: str, request: PageRequest, wanted: ImportFilter) -> Page[Import]:
    """Newest first."""
    listed = Resource(workspace_id, "audience_import")
    reading.authorize(Action.AUDIENCES_READ, listed)
    filters = {
        "state": wanted.state,
        "audienceId": wanted.audience_id,
        "after": wanted.created_after_ms,
        "before": wanted.created_before_ms,
    }
    listing = Listing.open(reading.cursors, request, listed, filters)
    return import_rows.page(reading, listing, workspace_id, wanted)


def find_audience(reading: Reading, workspace_id: str, audience_id: str) -> Audience | None:
    """For flows that refer to it; authorises nothing."""
    return audience_rows.find(reading, workspace_id, audience_id)


def find_audience_by_name(reading: Reading, workspace_id: str, name: str) -> Audience | None:
    """Of those that are not archived. For flows; authorises nothing."""
    return audience_rows.find_by_name(reading, workspace_id, name)


def refer_to_audience(uow: UnitOfWork, workspace_id: str, audience_id: str) -> Audience | None:
    """The audience, held until the end of the transaction so that nobody archives it meanwhile. For flows."""
    return audience_rows.lock(uow, workspace_id, audience_id, to_change=False)


def snapshot_to_send(reading: Reading, workspace_id: str, audience_id: str) -> SnapshotRecord:
    """The present snapshot of an audience in use. For flows. Raises ResourceNotFound, StateConflict."""
    audience = one_audience(audience_rows.find(reading, workspace_id, audience_id))
    if audience.status is AudienceStatus.ARCHIVED:
        raise StateConflict(f"the audience {audience.name!r} is archived")
    return readable(one_snapshot(snapshot_rows.find(reading, workspace_id, audience.snapshot_id)))


def snapshot_by_id(reading: Reading, workspace_id: str, snapshot_id: str) -> SnapshotRecord:
    """Any snapshot, expired or not. For flows. Raises ResourceNotFound."""
    return one_snapshot(snapshot_rows.find(reading, workspace_id, snapshot_id))


@dataclass(frozen=True, slots=True)
class RefreshState:
    is_over: bool
    reason: str = ""
    """Why the audience could not be read again; empty where its new snapshot stands."""


def refresh_state(reading: Reading, workspace_id: str, import_id: str) -> RefreshState:
    """What has become of a refresh. For flows; authorises nothing. Raises ResourceNotFound."""
    found = one_import(import_rows.find(reading, workspace_id, import_id))
    if found.state is ImportState.COMMITTED:
        return RefreshState(is_over=True)
    if found.state in {ImportState.FAILED, ImportState.DISCARDED}:
        why = f"{found.reason.code}: {found.reason.message}" if found.reason else "the import was discarded"
        return RefreshState(is_over=True, reason=f"the audience could not be read again: {why}")
    return RefreshState(is_over=False)


def artifacts_in_use(reading: Reading, artifact_ids: Sequence[str]) -> frozenset[str]:
    """Those of the artifacts that must not be deleted: snapshots that are kept, and what open imports need."""
    ready = snapshot_rows.ready_artifacts(reading, artifact_ids)
    return ready | import_rows.used_artifacts(reading, [one for one in artifact_ids if one not in ready])


def readable(snapshot: SnapshotRecord) -> SnapshotRecord:
    """Raises StateConflict where its recipients are deleted."""
    if snapshot.state is SnapshotState.EXPIRED:
        raise StateConflict(
            f"the recipients of revision {snapshot.revision} are deleted: nothing needed them for thirty days"
        )
    return snapshot
