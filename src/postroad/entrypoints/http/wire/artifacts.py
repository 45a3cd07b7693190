"""Artifacts on the wire. Where the bytes are kept is nobody's business."""

from postroad.entrypoints.http.conventions import Asked, Instant, PageShown, Shown, stamp


class OwnerShown(Shown):
    type: str
    id: str


class ArtifactShown(Shown):
    id: str
    workspace_id: str
    type: str
    state: str
    owner: OwnerShown
    file_name: str
    content_type: str
    size_bytes: int
    """Of an upload under way: what is reserved for it."""
    sha256: str
    """Of the content; empty before it is whole."""
    pinned: bool
    legal_hold: bool
    created_by: str
    expires_at: Instant | None = stamp("expires_at_ms")
    version: int
    created_at: Instant = stamp("created_at_ms")
    updated_at: Instant = stamp("updated_at_ms")


class ArtifactPage(Shown):
    items: list[ArtifactShown]
    page: PageShown


class UsageShown(Shown):
    used_bytes: int
    reserved_bytes: int
    """Of uploads under way."""
    quota_bytes: int
    """0: there is none."""


class PinAsked(Asked):
    pinned: bool


class HoldAsked(Asked):
    held: bool


class RetentionAsked(Asked):
    dry_run: bool = True
    """Only counts what would go."""


class ClassCount(Shown):
    type: str
    files: int
    bytes: int


class RetentionShown(Shown):
    dry_run: bool
    expired: list[ClassCount]
    """What may go now, by class; of a run that was no dry run: what might go when it began."""
