"""Moves bytes between the transactions: a row is begun, bytes are written, the row is completed.

    begin (row UPLOADING, bytes reserved) → append … → complete in the store → row READY

A crash leaves a row UPLOADING; when its time is over the sweep removes whatever was written and gives the bytes back.
A crash after the store has the object and before the row is READY ends the same way: nobody could refer to it yet. A
download is authorised and audited in a transaction of its own before the first byte is read.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from postroad.foundation.metrics import ARTIFACTS_REMOVED, UPLOAD_BYTES, Metrics
from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.kernel.service import BackgroundService
from postroad.kernel.uow import UnitOfWork
from postroad.modules.artifacts.commands import delivering, sweeping, uploading
from postroad.modules.artifacts.model import LARGEST_BYTES, Artifact, ArtifactAsked, ArtifactState
from postroad.modules.artifacts.parts.retention import KeepingRules
from postroad.modules.artifacts.ports import ArtifactPolicies, ArtifactReferences, ArtifactStore, ObjectUpload
from postroad.vocabulary.errors import PostroadError, StorageFull
from postroad.vocabulary.refusals import QuotaExceeded, ValidationFailed

_T = TypeVar("_T")
_ME = Principal.system("artifacts")
_BATCH = 100
_STEP_BYTES = 64 * 1024 * 1024
"""How much an upload of unknown size reserves at a time."""
_READ_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Behalf:
    """For whom something is done."""

    principal: Principal
    correlation_id: str = ""
    source_address: str = ""


@dataclass(frozen=True, slots=True)
class Delivery:
    """Part of a file on its way out. Close `chunks` where they are not read to the end."""

    artifact: Artifact
    start: int
    length: int
    chunks: Iterator[bytes]


class ArtifactKeeper:
    """Blocks in all it does; safe to share between threads."""

    def __init__(
        self,
        database: Database,
        store: ArtifactStore,
        *,
        policies: ArtifactPolicies,
        references: ArtifactReferences,
        rules: KeepingRules,
        metrics: Metrics | None = None,
    ) -> None:
        self.database = database
        self.store = store
        self.policies = policies
        self.references = references
        self.rules = rules
        self.metrics = metrics or Metrics()

    def begin(self, behalf: Behalf, ask: ArtifactAsked) -> "ArtifactUpload":
        """Raises QuotaExceeded, StorageFull, ValidationFailed and what authorisation raises; nothing is left then."""
        self.refuse_full_disk(ask.size_bytes or 0)
        artifact = self.write(
            behalf, lambda uow: uploading.begin_upload(uow, ask, self.rules, self.policies, self.store.backend)
        )
        try:
            upload = self.store.begin(artifact.location)
        except PostroadError as error:
            self.give_up(artifact, error.code)
            raise
        return ArtifactUpload(self, behalf, ask, artifact, upload)

    def store_file(self, behalf: Behalf, ask: ArtifactAsked, file: Path) -> Artifact:
        """Takes in a file that is whole and will not change any more; the caller may remove it afterwards.

        It is of our own making: the limit of uploads does not hold for it, quota and disk do. Raises as `begin`,
        ValidationFailed where size or digest are not those that were asked for.
        """
        size, sha256 = _digest(file)
        _refuse_other(ask, size, sha256)
        self.refuse_full_disk(size)
        known, rules = replace(ask, size_bytes=size), replace(self.rules, largest_bytes=LARGEST_BYTES)
        artifact = self.write(
            behalf, lambda uow: uploading.begin_upload(uow, known, rules, self.policies, self.store.backend)
        )
        try:
            self.store.adopt(artifact.location, file)
            return self.complete(behalf, artifact, size, sha256)
        except BaseException as error:
            self.give_up(artifact, _reason(error))
            raise

    def deliver(
        self, behalf: Behalf, at: tuple[str, str], part: Callable[[Artifact], tuple[int, int]] | None = None
    ) -> Delivery:
        """The file at (workspace, artifact), or the (start, length) of it that `part` chooses.

        Authorised as things stand now and audited. Raises ResourceNotFound, ArtifactNotReady, StorageFailed.
        """
        artifact, start, length = self.write(behalf, lambda uow: delivering.hand_out(uow, at, part))
        return Delivery(artifact, start, length, self.store.open(artifact.location, start, length))

    @contextmanager
    def local_copy(self, workspace_id: str, artifact_id: str) -> Iterator[Path]:
        """A file with the content for work of the service itself; the caller has authorised that work."""
        artifact = self.database.read(_ME, lambda reading: delivering.get_ready(reading, workspace_id, artifact_id))
        copy: AbstractContextManager[Path] = self.store.local_copy(artifact.location)
        with copy as path:
            yield path

    def sweep(self) -> bool:
        """One round of retention. True where there is more to do now."""
        full = [self._throw_away_uploads() == _BATCH, self._review() == _BATCH, self._remove() == _BATCH]
        return any(full)

    def service(self, interval_s: float) -> BackgroundService:
        return BackgroundService("artifact-retention", interval_s, self.sweep)

    def write(self, behalf: Behalf, work: Callable[[UnitOfWork], _T]) -> _T:
        return self.database.write(
            behalf.principal, work, correlation_id=behalf.correlation_id, source_address=behalf.source_address
        )

    def complete(self, behalf: Behalf, artifact: Artifact, size: int, sha256: str) -> Artifact:
        """For `ArtifactUpload`: the object is in the store."""
        if self.store.size(artifact.location) != size:
            raise ValidationFailed.of("size", "SIZE_DIFFERS", "the file was not stored whole; send it again")
        ready = self.write(
            behalf,
            lambda uow: uploading.complete_upload(uow, artifact, size, sha256, self.rules, policies=self.policies),
        )
        self.metrics.add(UPLOAD_BYTES, size, type=ready.type.value)
        return ready

    def give_up(self, artifact: Artifact, reason: str) -> None:
        """For uploads that will not be: removes the bytes, then the reservation. What fails here the sweep does."""
        try:
            self.store.delete(artifact.location)
            self._fail(artifact, reason)
        except PostroadError:
            return

    def _fail(self, artifact: Artifact, reason: str) -> None:
        self.database.write(_ME, lambda uow: uploading.fail_upload(uow, artifact, reason))

    def refuse_full_disk(self, size: int) -> None:
        """Raises StorageFull where `size` bytes more would leave too little room."""
        free = self.store.free_bytes()
        if free is not None and free - size < self.rules.free_bytes:
            raise StorageFull("the disk of the files is nearly full; make room or let the retention remove more")

    def _throw_away_uploads(self) -> int:
        found = self._due(ArtifactState.UPLOADING)
        for artifact in found:
            self.store.delete(artifact.location)
            self._fail(artifact, "TIMED_OUT")
        return len(found)

    def _review(self) -> int:
        return self.database.write(_ME, lambda uow: sweeping.review_due(uow, self.references, self.rules, _BATCH))

    def _remove(self) -> int:
        found = self._due(ArtifactState.DELETING)
        for artifact in found:
            self._remove_one(artifact)
        return len(found)

    def _remove_one(self, artifact: Artifact) -> None:
        try:
            self.store.delete(artifact.location)
        except PostroadError as error:
            reason = error.code
            self.database.write(_ME, lambda uow: sweeping.postpone_removal(uow, artifact, reason))
            return
        if self.database.write(_ME, lambda uow: sweeping.finish_removal(uow, artifact)):
            self.metrics.add(ARTIFACTS_REMOVED, type=artifact.type.value)

    def _due(self, state: ArtifactState) -> list[Artifact]:
        return list(self.database.read(_ME, lambda reading: sweeping.list_due(reading, state, _BATCH)))


class ArtifactUpload:
    """One upload under way. `append` in order, then `finish`; `abandon` where it will not be."""

    def __init__(
        self, keeper: ArtifactKeeper, behalf: Behalf, ask: ArtifactAsked, artifact: Artifact, upload: ObjectUpload
    ) -> None:
        self._keeper = keeper
        self._behalf = behalf
        self._ask = ask
        self._artifact = artifact
        self._upload = upload
        self._digest = hashlib.sha256()
        self._size = 0

    @property
    def artifact_id(self) -> str:
        return self._artifact.id

    def append(self, chunk: bytes) -> None:
        """Raises ValidationFailed for more than was announced or allowed, QuotaExceeded, StorageFull."""
        size = self._size + len(chunk)
        announced = self._ask.size_bytes
        if announced is not None and size > announced:
            raise ValidationFailed.of("size", "SIZE_DIFFERS", f"more than the {announced} bytes that were announced")
        if size > self._keeper.rules.largest_bytes:
            said = f"a file has at most {self._keeper.rules.largest_bytes} bytes"
            raise ValidationFailed.of("size", "TOO_LARGE", said)
        if size > self._artifact.size_bytes:
            self._grow(size)
        self._upload.append(chunk)
        self._digest.update(chunk)
        self._size = size

    def finish(self) -> Artifact:
        """Ready and durable when it returns. Raises ValidationFailed where size or digest are not as announced."""
        sha256 = self._digest.hexdigest()
        _refuse_other(self._ask, self._size, sha256)
        self._upload.complete()
        return self._keeper.complete(self._behalf, self._artifact, self._size, sha256)

    def abandon(self, reason: str) -> None:
        """Never raises."""
        self._upload.abort()
        self._keeper.give_up(self._artifact, reason)

    def _grow(self, size: int) -> None:
        keeper, wanted = self._keeper, max(size, self._artifact.size_bytes + _STEP_BYTES)
        try:
            self._artifact = self._grown(wanted)
        except QuotaExceeded:
            self._artifact = self._grown(size)
        keeper.refuse_full_disk(0)

    def _grown(self, to_bytes: int) -> Artifact:
        keeper = self._keeper
        return keeper.write(
            self._behalf, lambda uow: uploading.grow_upload(uow, self._artifact, to_bytes, keeper.policies)
        )


def _digest(file: Path) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    with file.open("rb") as source:
        while chunk := source.read(_READ_BYTES):
            digest.update(chunk)
            size += len(chunk)
    return size, digest.hexdigest()


def _refuse_other(ask: ArtifactAsked, size: int, sha256: str) -> None:
    if ask.size_bytes is not None and size != ask.size_bytes:
        said = f"{ask.size_bytes} bytes were announced and {size} came; send the file again"
        raise ValidationFailed.of("size", "SIZE_DIFFERS", said)
    if ask.sha256 and sha256 != ask.sha256:
        said = "what came is not what was announced: the SHA-256 differs; send the file again"
        raise ValidationFailed.of("sha256", "DIGEST_DIFFERS", said)


def _reason(error: BaseException) -> str:
    return error.code if isinstance(error, PostroadError) else type(error).__name__
