"""Recipients are shown: some rows of a snapshot, the preview of an import, whole tables to take away.

Who may see them is asked in a transaction; files are read after it. Whole tables leave formula-safe and are audited.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, BinaryIO, TypeVar

from postroad.kernel.authz import Action, Resource
from postroad.kernel.database import Database
from postroad.kernel.uow import UnitOfWork
from postroad.modules.audiences.commands.receiving import INCOMING, Sender
from postroad.modules.audiences.model import Import, SnapshotRecord, Staged
from postroad.modules.audiences.parts.reports import shown
from postroad.modules.audiences.ports import ArtifactKeeper
from postroad.modules.audiences.queries import get_import, get_snapshot, readable
from postroad.recipients import Snapshot, export_accepted, read_recipients
from postroad.vocabulary.refusals import Overloaded, ResourceNotFound, StateConflict, ValidationFailed

MOST_ROWS_SHOWN = 500
_TABLES_AT_ONCE = 2
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ShownRow:
    sequence: int
    """Its place in the snapshot, from 0."""
    row: int
    """The number the spreadsheet showed."""
    fields: Mapping[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True)
class Rows:
    total: int
    rows: tuple[ShownRow, ...]


@dataclass(frozen=True, slots=True)
class Showing:
    database: Database
    keeper: ArtifactKeeper
    work_folder: Path
    new_id: Callable[[], str]
    tables: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(_TABLES_AT_ONCE))
    """Whole tables that may be written at once: each costs up to 200 MB for a while."""
    longest_wait_s: float = 20.0

    def rows(self, sender: Sender, audience_id: str, revision: int, *, first: int = 0, limit: int = 50) -> Rows:
        """`limit` recipients from the sequence `first` on. Blocks.

        Raises ValidationFailed, ResourceNotFound, StateConflict where they are deleted.
        """
        if not 1 <= limit <= MOST_ROWS_SHOWN or first < 0:
            said = f"first must be 0 or more, and limit 1 to {MOST_ROWS_SHOWN}"
            raise ValidationFailed.of("limit", "OUT_OF_RANGE", said)
        kept = self.database.read(
            sender.principal,
            lambda reading: readable(get_snapshot(reading, sender.workspace_id, audience_id, revision)),
        )
        with self.keeper.opened(kept.workspace_id, kept.artifact_id) as path:
            found = read_recipients(_snapshot(path, kept), first, limit)
        return Rows(
            kept.record_count,
            tuple(
                ShownRow(first + place, one.row, {name: shown(value) for name, value in one.fields.items()})
                for place, one in enumerate(found)
            ),
        )

    def preview(self, sender: Sender, import_id: str) -> dict[str, Any]:
        """`{"accepted": […], "problems": […]}`, up to twenty each. Blocks. Raises ResourceNotFound, StateConflict."""
        found = self.database.read(
            sender.principal, lambda reading: get_import(reading, sender.workspace_id, import_id)
        )
        with self.keeper.opened(found.workspace_id, _staged(found).preview_artifact_id) as path:
            preview: dict[str, Any] = json.loads(path.read_bytes())
        return preview

    def errors_csv(self, sender: Sender, import_id: str) -> BinaryIO:
        """Every row that was left out and why, opened; the caller closes it. Blocks.

        Raises ResourceNotFound where no row was, ArtifactNotReady.
        """

        def asked(uow: UnitOfWork) -> Import:
            found = get_import(uow, sender.workspace_id, import_id)
            _note_export(uow, sender, Resource(sender.workspace_id, "audience_import", found.id), "errors.csv")
            return found

        found = self._written(sender, asked)
        if found.errors_artifact_id is None:
            raise ResourceNotFound("no row was left out, so there is no file of errors")
        with self.keeper.opened(found.workspace_id, found.errors_artifact_id) as path:
            return path.open("rb")

    def accepted_csv(self, sender: Sender, import_id: str) -> BinaryIO:
        """The accepted rows of an import, opened. Blocks.

        Raises ResourceNotFound, StateConflict, ArtifactNotReady, Overloaded.
        """

        def asked(uow: UnitOfWork) -> Import:
            found = get_import(uow, sender.workspace_id, import_id)
            _note_export(uow, sender, Resource(sender.workspace_id, "audience_import", found.id), "accepted.csv")
            return found

        staged = _staged(self._written(sender, asked))
        return self._exported(sender.workspace_id, staged)

    def snapshot_csv(self, sender: Sender, audience_id: str, revision: int) -> BinaryIO:
        """All recipients of a snapshot, opened. Blocks.

        Raises ResourceNotFound, StateConflict where they are deleted.
        """

        def asked(uow: UnitOfWork) -> SnapshotRecord:
            found = readable(get_snapshot(uow, sender.workspace_id, audience_id, revision))
            _note_export(uow, sender, Resource(sender.workspace_id, "audience", audience_id), f"revision {revision}")
            return found

        return self._exported(sender.workspace_id, self._written(sender, asked))

    def _exported(self, workspace_id: str, kept: SnapshotRecord | Staged) -> BinaryIO:
        """A CSV of a snapshot. It has no name any more when it is handed out, so that nothing is left of it."""
        if not self.tables.acquire(timeout=self.longest_wait_s):
            raise Overloaded("other tables are being written; try again in a moment", retry_after_s=10)
        try:
            return self._written_aside(workspace_id, kept)
        finally:
            self.tables.release()

    def _written_aside(self, workspace_id: str, kept: SnapshotRecord | Staged) -> BinaryIO:
        self.work_folder.mkdir(parents=True, exist_ok=True)
        made = self.work_folder / f"{INCOMING}{self.new_id()}.csv"
        try:
            with self.keeper.opened(workspace_id, kept.artifact_id) as path:
                export_accepted(_snapshot(path, kept), made)
            return made.open("rb")
        finally:
            made.unlink(missing_ok=True)

    def _written(self, sender: Sender, work: Callable[[UnitOfWork], _T]) -> _T:
        return self.database.write(
            sender.principal,
            work,
            correlation_id=sender.correlation_id,
            source_address=sender.source_address,
        )


def _snapshot(path: Path, kept: SnapshotRecord | Staged) -> Snapshot:
    return Snapshot(path, kept.record_count, kept.sha256, kept.columns, kept.aliases)


def _staged(found: Import) -> Staged:
    if found.staged is None:
        raise StateConflict(f"the import is {found.state}; there is something to see once it is PARSED")
    return found.staged


def _note_export(uow: UnitOfWork, sender: Sender, resource: Resource, what: str) -> None:
    uow.authorize(Action.AUDIENCES_READ, Resource(sender.workspace_id, resource.type, resource.id))
    uow.audit(f"{resource.type}.exported", resource, details={"what": what})
