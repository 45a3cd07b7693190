"""What reading results needs from elsewhere; the composition root fills it in."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.modules.runs import Run
from postroad.recipients import Chosen, ItemRow


@dataclass(frozen=True, slots=True)
class KeptExport:
    artifact_id: str
    size_bytes: int
    sha256: str


class RunFiles(Protocol):
    """The files of runs. Every call blocks and is made outside any transaction."""

    def opened(self, workspace_id: str, artifact_id: str) -> AbstractContextManager[Path]:
        """A file with the content, for reading, while the context lasts. Raises ArtifactNotReady where it is gone."""
        ...

    def scratch(self) -> AbstractContextManager[Path]:
        """A folder for a file that is being made; removed at the end. Raises StorageFailed, StorageFull."""
        ...

    def keep_export(self, principal: Principal, run: Run, path: Path, file_name: str) -> KeptExport:
        """Takes a finished file over for a day. Raises AccessDenied, QuotaExceeded, StorageFull."""
        ...


class LiveItems(Protocol):
    def page(self, run: Run, chosen: Chosen, after: int, limit: int) -> tuple[ItemRow, ...]:
        """Of a run that has no results yet: the items behind sequence `after` that are known to be settled, in order,
        at most `limit`. Blocks, outside any transaction."""
        ...


class NothingLive:
    """Knows nothing of a run before it ends."""

    def page(self, _run: Run, _chosen: Chosen, _after: int, _limit: int) -> tuple[ItemRow, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class ResultsNeeds:
    """Made once by the composition root."""

    database: Database
    files: RunFiles
    live: LiveItems
