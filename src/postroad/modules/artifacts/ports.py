"""What artifacts need from elsewhere: a place for bytes, the policy of a workspace, who still refers to a file."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from postroad.kernel.uow import Reading


class ObjectUpload(Protocol):
    """One object being written. Exactly one of `complete` and `abort` ends it; both may be called again."""

    def append(self, chunk: bytes) -> None:
        """Raises StorageFull, StorageFailed; nothing of the object can be read after that."""
        ...

    def complete(self) -> None:
        """Makes the object readable, whole and durable. Raises as `append`, also where it was aborted meanwhile."""
        ...

    def abort(self) -> None:
        """Forgets what was written. Never raises."""
        ...


class ArtifactStore(Protocol):
    """Keeps bytes under a location. Objects appear whole or not at all and never change. All of it blocks."""

    @property
    def backend(self) -> str:
        """The name that is stored with each artifact, such as `local`."""
        ...

    def begin(self, location: str) -> ObjectUpload:
        """Raises StorageFull, StorageFailed, also where something is there already."""
        ...

    def adopt(self, location: str, file: Path) -> None:
        """Takes in a file that is whole; it must not change afterwards, but may be removed. Raises as `begin`."""
        ...

    def open(self, location: str, start: int, length: int) -> Iterator[bytes]:
        """The bytes from `start`, in pieces. Raises StorageFailed at once where the object is missing or shorter."""
        ...

    def size(self, location: str) -> int | None:
        """Bytes of a whole object; None where there is none."""
        ...

    def delete(self, location: str) -> None:
        """Removes the object and whatever an upload of it left. Fine where nothing is there. Raises StorageFailed."""
        ...

    def local_copy(self, location: str) -> AbstractContextManager[Path]:
        """A file with the content, to be read only and only inside the context. Raises StorageFailed."""
        ...

    def free_bytes(self) -> int | None:
        """Room that is left; None where nobody can say."""
        ...


@dataclass(frozen=True, slots=True)
class ArtifactPolicy:
    """Of a workspace; 0 means that there is no limit of its own."""

    quota_bytes: int = 0
    retention_ms: int = 0
    """How long results, answers and logs are kept at most."""


class ArtifactPolicies(Protocol):
    def of_workspace(self, reading: Reading, workspace_id: str) -> ArtifactPolicy: ...


class ArtifactReferences(Protocol):
    def referenced(self, reading: Reading, artifact_ids: Sequence[str]) -> frozenset[str]:
        """Those of the artifacts that something still needs: a snapshot of an audience, a run, a re-send."""
        ...
