"""Rows of audiences for those who look at a message: from the latest snapshot, read as a file after the transaction."""

from collections.abc import Sequence
from pathlib import Path

from postroad.flows.message_preview import RowReader
from postroad.kernel.uow import Reading
from postroad.modules import audiences
from postroad.modules.artifacts import ArtifactKeeper
from postroad.modules.audiences import SnapshotRecord
from postroad.recipients import AcceptedSample, Snapshot, find_recipients, read_recipients
from postroad.spi import Recipient
from postroad.vocabulary.refusals import ValidationFailed


class SnapshotRows:
    """`flows.message_preview.AudienceRows`."""

    def __init__(self, files: ArtifactKeeper) -> None:
        self._files = files

    def reader(self, reading: Reading, workspace_id: str, audience_id: str) -> RowReader:
        record = audiences.snapshot_to_send(reading, workspace_id, audience_id)

        def read(rows: Sequence[int], limit: int) -> Sequence[Recipient]:
            with self._files.local_copy(workspace_id, record.artifact_id) as path:
                found = _found(path, record, rows, limit)
            return [Recipient(number, dict(one.fields), one.row) for number, one in enumerate(found)]

        return read


def _found(path: Path, record: SnapshotRecord, rows: Sequence[int], limit: int) -> Sequence[AcceptedSample]:
    snapshot = Snapshot(path, record.record_count, record.sha256, record.columns, record.aliases)
    if not rows:
        return read_recipients(snapshot, 0, limit)
    by_row = {one.row: one for one in find_recipients(snapshot, rows)}
    for row in rows:
        if row not in by_row:
            said = f"the audience has no row {row}: it was left out, or is not there"
            raise ValidationFailed.of("audience.rows", "NOT_FOUND", f"audience.rows: {said}")
    return [by_row[row] for row in rows]
