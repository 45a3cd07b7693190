"""Audiences in a running service, without the time that an import takes."""

from pathlib import Path

from postroad.foundation.ids import uuid7
from postroad.kernel.uow import UnitOfWork
from postroad.modules import artifacts
from postroad.modules.audiences import Audience, AudienceStatus, FileSource, ImportCause, Layout, SnapshotRecord
from postroad.modules.audiences.model import SnapshotState, SourceType
from postroad.modules.audiences.store import audience_rows, snapshot_rows
from tests.builders.service import TESTS, RunningService
from tests.builders.tables import import_text


def keep_audience(service: RunningService, folder: Path, text: str = "name\nAnn\nBob\n", name: str = "People") -> str:
    """The id of an audience whose first snapshot holds the rows of `text`."""
    place = folder / uuid7()
    place.mkdir()
    snapshot = import_text(place, text).snapshot
    asked = artifacts.ArtifactAsked(
        workspace_id=service.workspace_id,
        type=artifacts.ArtifactType.SNAPSHOT,
        owner=artifacts.Owner("audience_import", uuid7()),
        file_name="people.parquet",
        content_type="application/vnd.apache.parquet",
    )
    file = service.composition.artifacts.store_file(artifacts.Behalf(TESTS), asked, snapshot.path)

    def add(uow: UnitOfWork) -> str:
        audience_id, snapshot_id = uow.new_id(), uow.new_id()
        record = SnapshotRecord(
            id=snapshot_id,
            workspace_id=service.workspace_id,
            audience_id=audience_id,
            revision=1,
            artifact_id=file.id,
            sha256=snapshot.sha256,
            record_count=snapshot.count,
            columns=snapshot.columns,
            aliases=snapshot.aliases,
            key=(),
            source_type=SourceType.FILE,
            cause=ImportCause.PERSON,
            import_id=uuid7(),
            state=SnapshotState.READY,
            created_by="system:tests",
            created_at_ms=uow.now_ms,
        )
        audience = Audience(
            id=audience_id,
            workspace_id=service.workspace_id,
            name=name,
            source=FileSource("people.csv"),
            layout=Layout(),
            status=AudienceStatus.ACTIVE,
            snapshot_id=snapshot_id,
            snapshot_revision=1,
            record_count=snapshot.count,
            created_by="system:tests",
            version=1,
            created_at_ms=uow.now_ms,
            updated_at_ms=uow.now_ms,
        )
        audience_rows.add(uow, audience)
        snapshot_rows.add(uow, record)
        return audience_id

    return service.database.write(TESTS, add)
