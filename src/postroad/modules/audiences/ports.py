"""What audiences need from others; the composition root hands it in."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from postroad.kernel.uow import Reading, UnitOfWork
from postroad.vocabulary.secret import Secret


class KeptAs(StrEnum):
    """The type of an artifact, which decides how long it is kept."""

    IMPORT = "IMPORT"
    """What was uploaded, and what reading it said: gone after a day."""
    SNAPSHOT = "SNAPSHOT"
    """Kept while this room says that it is needed."""


@dataclass(frozen=True, slots=True)
class FileNote:
    """What is to be known of a file that is kept."""

    workspace_id: str
    import_id: str
    """Whoever may read the import may read the file."""
    kept_as: KeptAs
    file_name: str
    """For display."""


class ArtifactKeeper(Protocol):
    def adopt(self, note: FileNote, path: Path) -> str:
        """Takes a finished file over and returns the id of its READY artifact. Outside any transaction; blocks.

        `path` is not needed afterwards and may be gone. Raises QuotaExceeded, StorageFull, StorageFailed.
        """
        ...

    def opened(self, workspace_id: str, artifact_id: str) -> AbstractContextManager[Path]:
        """A file with the artifact's content, for reading, while the context lasts. Outside any transaction.

        Raises ArtifactNotReady where it is gone.
        """
        ...

    def release(self, uow: UnitOfWork, workspace_id: str, artifact_id: str) -> None:
        """Nobody needs it any more, if this transaction is committed. Unknown ids are fine."""
        ...


@dataclass(frozen=True, slots=True)
class Referrer:
    kind: str
    """`job`, for example."""
    id: str
    name: str


class AudienceUses(Protocol):
    def of_audience(self, uow: UnitOfWork, workspace_id: str, audience_id: str) -> Sequence[Referrer]:
        """What would miss it: jobs that are not archived. The first few are enough."""
        ...

    def needed_snapshots(self, reading: Reading, snapshot_ids: Sequence[str]) -> frozenset[str]:
        """Those of the snapshots that runs still need: they run, may be re-sent or are kept."""
        ...


class Surroundings(Protocol):
    """What reading an import needs from outside. Every call blocks and is made outside any transaction."""

    def secret(self, workspace_id: str, reference: str) -> Secret:
        """Raises SecretMissing."""
        ...

    def recipient_schema(self, provider_id: str) -> Mapping[str, Any]:
        """What a recipient of this provider must have. Raises ProviderNotAvailable."""
        ...

    def resolve_checked(self, host: str, port: int) -> str:
        """The one address a query may connect to. Raises EgressDenied or EgressFailed."""
        ...
