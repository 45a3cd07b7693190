"""The index of sends: one small file per frozen send under the home folder.

Its name carries time, hash and run id, so looking for a hash reads no file. An entry is written before the send is
frozen. A crash between the two leaves an entry whose folder holds no such send: nothing left, and it counts for
nothing. A folder that is gone altogether still counts: its messages were sent.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from postroad.flows.local_runs.keeping.folder import SendFolder
from postroad.flows.local_runs.keeping.plan import SendPlan, readable_json
from postroad.foundation.home import Home
from postroad.foundation.whole_files import write_whole


@dataclass(frozen=True, slots=True)
class IndexEntry:
    run_id: str
    folder: Path
    hash: str
    name: str


class SendIndex:
    def __init__(self, home: Home) -> None:
        self._folder = home.make().sends

    @contextmanager
    def changing(self) -> Iterator[None]:
        """One process at a time: between looking for a hash and adding it nobody else adds it."""
        handle = os.open(self._folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def add(self, plan: SendPlan, folder: Path) -> None:
        name = f"{plan.frozen_at_ms:015d}-{plan.hash[:32]}-{plan.run_id}.json"
        entry = {"runId": plan.run_id, "folder": str(folder), "hash": plan.hash, "name": plan.name}
        write_whole(self._folder / name, readable_json(entry), 0o600)

    def find_same(self, hash_hex: str) -> Path | None:
        """The folder of the newest send with this hash."""
        for path in sorted(self._folder.glob(f"*-{hash_hex[:32]}-*.json"), reverse=True):
            entry = _read(path)
            if entry is not None and entry.hash == hash_hex and _counts(entry):
                return entry.folder
        return None

    def folder_of(self, run_id: str) -> Path | None:
        """Where this send was frozen, if it is still there."""
        for path in self._folder.glob(f"*-{run_id}.json"):
            entry = _read(path)
            if entry is not None and entry.run_id == run_id and entry.folder.exists() and _counts(entry):
                return entry.folder
        return None

    def newest(self) -> Iterator[IndexEntry]:
        """Entries, newest first. One that cannot be read is left out."""
        for path in sorted(self._folder.glob("*.json"), reverse=True):
            entry = _read(path)
            if entry is not None:
                yield entry


def _counts(entry: IndexEntry) -> bool:
    if not entry.folder.exists():
        return True
    folder = SendFolder(entry.folder)
    return folder.is_frozen and folder.read(folder.frozen).get("runId") == entry.run_id


def _read(path: Path) -> IndexEntry | None:
    try:
        value = json.loads(path.read_bytes())
        return IndexEntry(value["runId"], Path(value["folder"]), value["hash"], value["name"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
