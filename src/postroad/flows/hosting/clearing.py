"""Folders of ended runs go when their time is over.

What a run leaves for people are its artifacts, which have times of their own; a re-send is made of those alone. Its
folder holds the journals: the raw record of every attempt, kept as long as logs are. A run that has not ended, or not
made its results, keeps its folder whatever its age, and a folder that no run is known of is left alone.
"""

from typing import Protocol

from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.modules import runs
from postroad.vocabulary.clock import Clock

_ME = Principal.system("run-folders")
_LOOKED_AT, _REMOVED = 500, 20
"""At once."""


class RunFolderStore(Protocol):
    def ids(self) -> list[str]:
        """The runs that have a folder here."""
        ...

    def remove(self, run_id: str) -> None:
        """Raises StorageFailed; what is left then goes the next time."""
        ...


class Clearing:
    def __init__(self, database: Database, store: RunFolderStore, kept_ms: int, clock: Clock) -> None:
        self._database = database
        self._store = store
        self._kept_ms = kept_ms
        self._clock = clock
        self._after = ""

    def tick(self) -> bool:
        """Removes some folders. True where there may be more to do now."""
        names = sorted(self._store.ids())
        some = [name for name in names if name > self._after][:_LOOKED_AT]
        before_ms = self._clock.now_ms() - self._kept_ms
        gone = sorted(self._database.read(_ME, lambda reading: runs.ended_before(reading, some, before_ms)))
        for run_id in gone[:_REMOVED]:
            self._store.remove(run_id)
        if len(gone) > _REMOVED:
            return True
        self._after = some[-1] if len(some) == _LOOKED_AT else ""
        return bool(self._after)
