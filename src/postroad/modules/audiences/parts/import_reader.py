"""Reads imports in the background, one at a time, each in a process of its own.

An import is claimed under a lease, read, its files are given to the artifacts, and what was found is written in one
transaction that only the holder of the lease can make. A service that is killed in between leaves an UPLOADED import
whose lease runs out; it is read again from the start. An import that ended the service three times is not tried a
fourth time. A refresh of an audience is committed in the same transaction.
"""

import json
import shutil
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.kernel.uow import UnitOfWork
from postroad.modules.audiences.model import (
    Audience,
    AudienceStatus,
    Import,
    ImportCause,
    ImportEvent,
    Reason,
    Staged,
    next_import_state,
)
from postroad.modules.audiences.parts.announcing import import_changed
from postroad.modules.audiences.parts.committing import commit_as_next
from postroad.modules.audiences.parts.reading_request import longest_reading_s, reading_request
from postroad.modules.audiences.parts.reading_rules import ReadingRules
from postroad.modules.audiences.parts.reading_watch import Ended, ReadingWatch
from postroad.modules.audiences.parts.reports import preview_json, report_json
from postroad.modules.audiences.parts.storable import storable
from postroad.modules.audiences.ports import ArtifactKeeper, FileNote, KeptAs, Surroundings
from postroad.modules.audiences.store import audience_rows, import_rows
from postroad.modules.audiences.store.import_rows import Claimed
from postroad.recipients import ImportReport, import_audience
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.errors import AudienceInvalid, PostroadError

MOST_TRIES = 3
LEASE_MS = 30_000
_READER = Principal.system("audience-reader")


@dataclass(frozen=True, slots=True)
class ReaderParts:
    database: Database
    keeper: ArtifactKeeper
    surroundings: Surroundings
    rules: ReadingRules
    clock: Clock
    work_folder: Path
    """Each reading has a folder of its own below it while it lasts."""
    name: str
    """Of this process: another one after each start."""
    beat_s: float = 1.0
    read: Callable[..., ImportReport] = import_audience
    """Does the reading, in a process of its own; called as `import_audience` is."""


@dataclass(slots=True)
class _Found:
    """What a reading found, as far as it came."""

    staged: Staged | None = None
    report: dict[str, object] | None = None
    errors_artifact_id: str | None = None
    reason: Reason | None = None
    adopted: list[str] = field(default_factory=list)


class ImportReader:
    def __init__(self, parts: ReaderParts) -> None:
        self._parts = parts
        self._stopping = threading.Event()

    def tick(self) -> bool:
        """Reads the oldest import that waits, from beginning to end. True where there was one."""
        database, name = self._parts.database, self._parts.name
        if self._stopping.is_set() or not database.read(_READER, import_rows.has_waiting):
            return False
        claimed = database.write(_READER, lambda uow: import_rows.claim(uow, name, LEASE_MS))
        if claimed is None:
            return False
        if claimed.tries > MOST_TRIES:
            said = f"reading it ended the service {MOST_TRIES} times; the log of the service has the details"
            self._settle(claimed, _Found(reason=Reason("INTERNAL_ERROR", said)))
            return True
        return self._read(claimed)

    def stop(self) -> None:
        """Ends the reading that is under way; it begins anew with the next start. From any thread; does not wait."""
        self._stopping.set()

    def _read(self, claimed: Claimed) -> bool:
        folder = self._parts.work_folder / f"reading-{claimed.found.id}-{claimed.reader.epoch}"
        folder.mkdir(parents=True)
        found = _Found()
        try:
            with self._watch(claimed) as watch:
                try:
                    report = self._import(claimed.found, folder, watch)
                    self._keep(claimed.found, folder, found, report)
                except PostroadError as error:
                    if watch.ended is Ended.STOPPED:
                        self._give_back(claimed)
                        return False
                    found.reason = _reason(error, watch, longest_reading_s(claimed.found, self._parts.rules))
                    self._keep_errors(claimed.found, folder, found)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        self._settle(claimed, found)
        return True

    def _watch(self, claimed: Claimed) -> ReadingWatch:
        database, import_id, reader = self._parts.database, claimed.found.id, claimed.reader

        def renew(rows: int) -> bool:
            return database.write(_READER, lambda uow: import_rows.renew(uow, import_id, reader, rows, LEASE_MS))

        return ReadingWatch(
            renew,
            self._stopping.is_set,
            self._parts.clock,
            longest_s=longest_reading_s(claimed.found, self._parts.rules),
            beat_s=self._parts.beat_s,
        )

    def _import(self, found: Import, folder: Path, watch: ReadingWatch) -> ImportReport:
        parts = self._parts
        with ExitStack() as opened:
            upload = None
            if found.upload is not None:
                upload = opened.enter_context(parts.keeper.opened(found.workspace_id, found.upload.artifact_id))
            return parts.read(
                reading_request(found, upload, folder, rules=parts.rules, surroundings=parts.surroundings),
                resolve_checked=parts.surroundings.resolve_checked,
                on_progress=watch.progress,
                on_start=watch.started,
            )

    def _keep(self, imported: Import, folder: Path, found: _Found, report: ImportReport) -> None:
        """Gives the files to the artifacts. What was given before something was refused is in `found.adopted`."""
        preview = folder / "preview.json"
        preview.write_text(json.dumps(preview_json(report), ensure_ascii=False), encoding="utf-8")
        preview_id = self._adopt(imported, found, preview, KeptAs.IMPORT)
        snapshot_id = self._adopt(imported, found, report.snapshot_path, KeptAs.SNAPSHOT)
        self._keep_errors(imported, folder, found)
        found.report = report_json(report)
        found.staged = Staged(
            artifact_id=snapshot_id,
            sha256=report.sha256,
            record_count=report.snapshot.count,
            columns=tuple(storable(list(report.snapshot.columns))),
            aliases=tuple((name, column) for name, column in storable(list(report.snapshot.aliases))),
            key=tuple(storable(list(report.key))),
            preview_artifact_id=preview_id,
        )

    def _keep_errors(self, imported: Import, folder: Path, found: _Found) -> None:
        errors = folder / "out" / "errors.csv"
        if found.errors_artifact_id is not None or not errors.is_file():
            return
        try:
            found.errors_artifact_id = self._adopt(imported, found, errors, KeptAs.IMPORT)
        except PostroadError as error:
            found.reason = found.reason or Reason(error.code, error.message)

    def _adopt(self, imported: Import, found: _Found, path: Path, kept_as: KeptAs) -> str:
        artifact_id = self._parts.keeper.adopt(FileNote(imported.workspace_id, imported.id, kept_as, path.name), path)
        found.adopted.append(artifact_id)
        return artifact_id

    def _give_back(self, claimed: Claimed) -> None:
        self._parts.database.write(_READER, lambda uow: import_rows.give_back(uow, claimed.found.id, claimed.reader))

    def _settle(self, claimed: Claimed, found: _Found) -> None:
        self._parts.database.write(_READER, lambda uow: self._settled(uow, claimed, found))

    def _settled(self, uow: UnitOfWork, claimed: Claimed, found: _Found) -> None:
        """Writes what was found, if this reading still counts; else drops what it made."""
        audience = _audience_to_refresh(uow, claimed.found)
        held = import_rows.lock_read(uow, claimed.found.id, claimed.reader)
        if held is None:
            self._drop(uow, claimed.found, found.adopted)
            return
        reason = found.reason or _no_longer_wanted(held, audience)
        kept = {found.errors_artifact_id} if reason else set(found.adopted)
        self._drop(uow, held, [one for one in found.adopted if one not in kept])
        settled = replace(
            held,
            state=next_import_state(held.state, ImportEvent.UNREADABLE if reason else ImportEvent.READ),
            reason=reason,
            rows_read=_rows(found, held),
            is_being_read=False,
            staged=None if reason else found.staged,
            errors_artifact_id=found.errors_artifact_id,
            report=None if reason else found.report,
            version=held.version + 1,
            updated_at_ms=uow.now_ms,
        )
        import_rows.save(uow, settled)
        import_changed(uow, settled, "audience_import.failed" if reason else "audience_import.read")
        if audience is not None and reason is None:
            commit_as_next(uow, settled, audience)

    def _drop(self, uow: UnitOfWork, imported: Import, artifact_ids: list[str]) -> None:
        for artifact_id in artifact_ids:
            self._parts.keeper.release(uow, imported.workspace_id, artifact_id)


def _audience_to_refresh(uow: UnitOfWork, imported: Import) -> Audience | None:
    if imported.cause is not ImportCause.REFRESH or imported.audience_id is None:
        return None
    return audience_rows.lock(uow, imported.workspace_id, imported.audience_id)


def _no_longer_wanted(held: Import, audience: Audience | None) -> Reason | None:
    """Why a refresh that could be read is not committed all the same."""
    if held.cause is not ImportCause.REFRESH:
        return None
    if audience is None or audience.status is AudienceStatus.ARCHIVED:
        return Reason("STATE_CONFLICT", "the audience was archived while it was read again")
    if (audience.source, audience.layout) != (held.source, held.layout):
        return Reason("STATE_CONFLICT", "the audience was changed while it was read again; refresh it once more")
    return None


def _reason(error: PostroadError, watch: ReadingWatch, longest_s: float) -> Reason:
    if watch.ended is Ended.TOO_LONG:
        said = f"reading took longer than {longest_s:,.0f} seconds and was ended; ask for less, or allow more time"
        error = AudienceInvalid(said)
    return Reason(error.code, storable(error.message), error.row)


def _rows(found: _Found, held: Import) -> int:
    rows = found.report.get("rows") if found.report else None
    return rows if isinstance(rows, int) else held.rows_read
