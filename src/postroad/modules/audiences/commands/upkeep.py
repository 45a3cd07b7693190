"""What nobody needs any more goes: forgotten imports after a day, snapshots thirty days after their last use.

One tick does a bounded piece and remembers where it was, so that the next one goes on. What a process that died left in
the work folder goes too.
"""

import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from postroad.kernel.authz import Principal, Resource
from postroad.kernel.database import Database
from postroad.kernel.uow import UnitOfWork
from postroad.modules.audiences.commands.settle_import import discarded
from postroad.modules.audiences.model import IMPORT_OPEN, Reason
from postroad.modules.audiences.ports import ArtifactKeeper, AudienceUses
from postroad.modules.audiences.store import import_rows, snapshot_rows
from postroad.vocabulary.clock import Clock

FORGOTTEN_AFTER_MS = 24 * 3_600_000
KEPT_AFTER_USE_MS = 30 * 24 * 3_600_000
_PAGE = 100
_UPKEEP = Principal.system("audience-upkeep")


@dataclass(frozen=True, slots=True)
class UpkeepParts:
    database: Database
    keeper: ArtifactKeeper
    uses: AudienceUses
    clock: Clock
    work_folder: Path
    imports_kept_ms: int = FORGOTTEN_AFTER_MS
    snapshots_kept_ms: int = KEPT_AFTER_USE_MS


class Upkeep:
    def __init__(self, parts: UpkeepParts) -> None:
        self._parts = parts
        self._after = ""

    def tick(self) -> bool:
        """True where there is more to do now."""
        forgotten = self._discard_forgotten()
        more = self._expire_snapshots()
        self._clear_work_folder()
        return forgotten or more

    def _discard_forgotten(self) -> bool:
        parts = self._parts
        stale = parts.database.read(
            _UPKEEP, lambda reading: import_rows.list_stale(reading, reading.now_ms - parts.imports_kept_ms, _PAGE)
        )
        for workspace_id, import_id in stale:
            parts.database.write(_UPKEEP, partial(self._discard_one, workspace_id, import_id))
        return len(stale) == _PAGE

    def _discard_one(self, workspace_id: str, import_id: str, uow: UnitOfWork) -> None:
        held = import_rows.lock(uow, workspace_id, import_id)
        unchanged_since = uow.now_ms - self._parts.imports_kept_ms
        if held is None or held.state not in IMPORT_OPEN or held.updated_at_ms > unchanged_since:
            return
        reason = held.reason or Reason("FORGOTTEN", "nobody committed it in time, so it was dropped")
        discarded(uow, held, self._parts.keeper, "audience_import.forgotten", reason)

    def _expire_snapshots(self) -> bool:
        parts, after = self._parts, self._after
        replaced = parts.database.read(_UPKEEP, lambda reading: snapshot_rows.list_replaced(reading, after, _PAGE))
        if replaced:
            parts.database.write(_UPKEEP, partial(self._expire, replaced))
        self._after = replaced[-1] if len(replaced) == _PAGE else ""
        return len(replaced) == _PAGE

    def _expire(self, snapshot_ids: tuple[str, ...], uow: UnitOfWork) -> None:
        needed = self._parts.uses.needed_snapshots(uow, snapshot_ids)
        unneeded = [one for one in snapshot_ids if one not in needed]
        snapshot_rows.note_needed(uow, sorted(needed))
        snapshot_rows.note_unneeded(uow, unneeded)
        for snapshot in snapshot_rows.expire(uow, unneeded, uow.now_ms - self._parts.snapshots_kept_ms):
            self._parts.keeper.release(uow, snapshot.workspace_id, snapshot.artifact_id)
            uow.audit(
                "audience_snapshot.expired",
                Resource(snapshot.workspace_id, "audience", snapshot.audience_id),
                details={"revision": snapshot.revision, "sha256": snapshot.sha256},
            )

    def _clear_work_folder(self) -> None:
        folder = self._parts.work_folder
        if not folder.is_dir():
            return
        before_s = (self._parts.clock.now_ms() - FORGOTTEN_AFTER_MS) / 1000
        for left in folder.iterdir():
            try:
                is_old = left.lstat().st_mtime < before_s
            except FileNotFoundError:
                continue
            if is_old and left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            elif is_old:
                left.unlink(missing_ok=True)
