"""What an artifact is: a large object, its states and flags. Pure: it decides and does not do."""

import re
import unicodedata
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from postroad.vocabulary.refusals import ArtifactNotReady, StateConflict, ValidationFailed

LARGEST_BYTES = 5 * 1024**4
LONGEST_FILE_NAME = 200


class ArtifactType(StrEnum):
    """What it is for; also the class that says how long it is kept."""

    IMPORT = "IMPORT"
    """An uploaded file of recipients."""
    SNAPSHOT = "SNAPSHOT"
    """The recipients of an audience, kept while anything refers to them and some time after."""
    RESULT = "RESULT"
    """What became of each recipient of a run."""
    RESPONSES = "RESPONSES"
    """Whole answers of a provider."""
    EXPORT = "EXPORT"
    """What somebody asked for to take away."""
    LOG = "LOG"
    """The log of a run."""


class ArtifactState(StrEnum):
    UPLOADING = "UPLOADING"
    READY = "READY"
    DELETING = "DELETING"
    """Nobody can have it any more; its bytes are being removed."""
    DELETED = "DELETED"
    """Only this row is left, to say what once was there."""
    FAILED = "FAILED"
    """It never became whole."""


_S = ArtifactState

TRANSITIONS: dict[ArtifactState, frozenset[ArtifactState]] = {
    _S.UPLOADING: frozenset({_S.READY, _S.FAILED}),
    _S.READY: frozenset({_S.DELETING}),
    _S.DELETING: frozenset({_S.DELETED}),
    _S.DELETED: frozenset(),
    _S.FAILED: frozenset(),
}


@dataclass(frozen=True, slots=True)
class Owner:
    """What an artifact belongs to: whoever may read that may read the artifact."""

    type: str
    """`run`, `audience`, `audience_import`, `job` or `workspace`."""
    id: str


@dataclass(frozen=True, slots=True)
class Artifact:
    id: str
    workspace_id: str
    type: ArtifactType
    owner: Owner
    backend: str
    location: str
    """Where the store keeps it; never shown and never made of what a person wrote."""
    state: ArtifactState
    size_bytes: int
    """Of an upload under way: what is reserved for it."""
    sha256: str
    content_type: str
    file_name: str
    """For display and for the name of a download; never part of a path."""
    pinned: bool
    legal_hold: bool
    created_by: str
    expires_at_ms: int | None
    due_at_ms: int | None
    """When the sweep looks at it next; None where there is nothing more to do."""
    attempts: int
    """Failed removals."""
    last_error: str
    version: int
    created_at_ms: int
    updated_at_ms: int

    @property
    def is_kept(self) -> bool:
        return self.pinned or self.legal_hold

    def completed(self, now_ms: int, size_bytes: int, sha256: str) -> "Artifact":
        """Whole. When it may go is not said yet."""
        return replace(self._moved(_S.READY, now_ms), size_bytes=size_bytes, sha256=sha256)

    def kept_until(self, expires_at_ms: int, due_at_ms: int) -> "Artifact":
        return replace(self, expires_at_ms=expires_at_ms, due_at_ms=due_at_ms)

    def failed(self, now_ms: int, reason: str) -> "Artifact":
        return replace(self._moved(_S.FAILED, now_ms), last_error=reason, size_bytes=0, due_at_ms=None)

    def marked(self, now_ms: int) -> "Artifact":
        """Given over to removal. Raises StateConflict where a pin or a hold is in the way."""
        if self.legal_hold:
            raise StateConflict("the file is under a legal hold; an administrator must lift it first")
        if self.pinned:
            raise StateConflict("the file is pinned; take the pin off first")
        return replace(self._moved(_S.DELETING, now_ms), due_at_ms=now_ms)

    def removed(self, now_ms: int) -> "Artifact":
        return replace(self._moved(_S.DELETED, now_ms), due_at_ms=None, last_error="")

    def flagged(self, now_ms: int, *, pinned: bool | None = None, legal_hold: bool | None = None) -> "Artifact":
        """With a flag set or taken off; a sweep looks at once whether it may go now."""
        self.require_ready()
        return replace(
            self,
            pinned=self.pinned if pinned is None else pinned,
            legal_hold=self.legal_hold if legal_hold is None else legal_hold,
            due_at_ms=now_ms,
            version=self.version + 1,
            updated_at_ms=now_ms,
        )

    def require_ready(self) -> None:
        """Raises ArtifactNotReady, which says whether waiting helps."""
        if self.state is _S.UPLOADING:
            raise ArtifactNotReady("the file is still being written; try again in a moment", retry_after_s=2.0)
        if self.state is not _S.READY:
            said = "never became whole" if self.state is _S.FAILED else "is gone"
            raise ArtifactNotReady(f"the file {said}; it cannot be had any more")

    def _moved(self, to: ArtifactState, now_ms: int) -> "Artifact":
        if to not in TRANSITIONS[self.state]:
            raise StateConflict(f"the file is {self.state} and cannot become {to}")
        return replace(self, state=to, version=self.version + 1, updated_at_ms=now_ms)


@dataclass(frozen=True, slots=True)
class ArtifactAsked:
    """What is to be stored. `size_bytes` None: not known before its end."""

    workspace_id: str
    type: ArtifactType
    owner: Owner
    file_name: str
    content_type: str = "application/octet-stream"
    size_bytes: int | None = None
    sha256: str = ""
    """Expected, in hexadecimal; empty: whatever comes."""


@dataclass(frozen=True, slots=True)
class ArtifactFilter:
    type: str | None = None
    state: str | None = None
    owner_type: str | None = None
    owner_id: str | None = None
    name: str | None = None
    created_after_ms: int | None = None
    created_before_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes of a workspace. `quota_bytes` 0: there is none."""

    used_bytes: int
    reserved_bytes: int
    quota_bytes: int


_SEGMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_CONTENT_TYPE = re.compile(r"[\w.+-]{1,60}/[\w.+-]{1,60}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def location_of(workspace_id: str, kind: ArtifactType, artifact_id: str, now_ms: int) -> str:
    """`workspaces/<w>/<type>/<yyyy>/<mm>/<id>`. Source: spec wepush §29.3."""
    if not (_SEGMENT.fullmatch(workspace_id) and _SEGMENT.fullmatch(artifact_id)):
        raise ValidationFailed.of("workspaceId", "ID_UNFIT", "the id of the workspace cannot be part of a place")
    month = datetime.fromtimestamp(now_ms / 1000, UTC)
    return f"workspaces/{workspace_id}/{kind.value.lower()}/{month:%Y}/{month:%m}/{artifact_id}"


def shown_file_name(text: str) -> str:
    """What a person called the file, without folders and without what cannot be seen; never empty."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", text))[-1]
    seen = "".join(letter for letter in last if letter.isprintable()).strip(" .")
    return seen[-LONGEST_FILE_NAME:] or "file"


def known_content_type(text: str) -> str:
    """The type without parameters; `application/octet-stream` for anything that is none."""
    plain = text.partition(";")[0].strip().lower()
    return plain if _CONTENT_TYPE.fullmatch(plain) else "application/octet-stream"


def refuse_ask(ask: ArtifactAsked, largest_bytes: int) -> None:
    """Raises ValidationFailed for a size or a digest that cannot be."""
    if ask.size_bytes is not None and not 0 <= ask.size_bytes <= min(largest_bytes, LARGEST_BYTES):
        said = f"a file has at most {min(largest_bytes, LARGEST_BYTES)} bytes, this one has {ask.size_bytes}"
        raise ValidationFailed.of("size", "TOO_LARGE", said)
    if ask.sha256 and not _SHA256.fullmatch(ask.sha256):
        raise ValidationFailed.of("sha256", "DIGEST_UNFIT", "sha256 must be 64 small hexadecimal digits")
