"""What audiences, snapshots and imports are, and what may become of them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any

from postroad.vocabulary.refusals import StateConflict


class AudienceStatus(StrEnum):
    ACTIVE = "ACTIVE"
    ARCHIVED = "ARCHIVED"
    """Kept for its runs; its name is free."""


class SourceType(StrEnum):
    FILE = "FILE"
    INLINE = "INLINE"
    """Rows that came in the request."""
    QUERY = "QUERY"
    SYNTHETIC = "SYNTHETIC"
    """Made-up rows for trials."""


class SnapshotState(StrEnum):
    READY = "READY"
    EXPIRED = "EXPIRED"
    """Its recipients are deleted; what is left is how many there were, and their digest."""


class ImportState(StrEnum):
    UPLOADED = "UPLOADED"
    """Waits to be read, or is being read."""
    PARSED = "PARSED"
    """Read: what became of every row can be looked at, and committed."""
    FAILED = "FAILED"
    """Could not be read. The reason says why; changing how it is read tries again."""
    COMMITTED = "COMMITTED"
    DISCARDED = "DISCARDED"


class ImportEvent(StrEnum):
    READ = "READ"
    UNREADABLE = "UNREADABLE"
    CHANGE = "CHANGE"
    COMMIT = "COMMIT"
    DISCARD = "DISCARD"


_S, _E = ImportState, ImportEvent

IMPORT: Mapping[ImportState, Mapping[ImportEvent, ImportState]] = {
    _S.UPLOADED: {
        _E.READ: _S.PARSED,
        _E.UNREADABLE: _S.FAILED,
        _E.CHANGE: _S.UPLOADED,
        _E.DISCARD: _S.DISCARDED,
    },
    _S.PARSED: {_E.CHANGE: _S.UPLOADED, _E.COMMIT: _S.COMMITTED, _E.DISCARD: _S.DISCARDED},
    _S.FAILED: {_E.CHANGE: _S.UPLOADED, _E.DISCARD: _S.DISCARDED},
    _S.COMMITTED: {},
    _S.DISCARDED: {},
}
"""`IMPORT[state][event]` is the next state; a missing cell is refused. COMMITTED and DISCARDED are never left."""

IMPORT_OPEN = frozenset(state for state, cells in IMPORT.items() if cells)


def next_import_state(state: ImportState, event: ImportEvent) -> ImportState:
    """Raises StateConflict for what the state does not allow."""
    following = IMPORT[state].get(event)
    if following is None:
        raise StateConflict(f"the import is {state}; {_SAID[event]}")
    return following


_SAID = {
    _E.READ: "it cannot be read any more",
    _E.UNREADABLE: "it cannot be read any more",
    _E.CHANGE: "how it is read cannot be changed any more; upload again",
    _E.COMMIT: "only a PARSED import can be committed",
    _E.DISCARD: "it is over already",
}


class ImportCause(StrEnum):
    PERSON = "PERSON"
    REFRESH = "REFRESH"
    """The query of an audience is asked again; the snapshot is committed without a further word."""


@dataclass(frozen=True, slots=True)
class FileSource:
    """A spreadsheet that was uploaded. What is None is guessed, and the report says what was guessed."""

    file_name: str = ""
    """For display; never a path."""
    format: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    sheet: str | None = None
    header_row: int | None = None


@dataclass(frozen=True, slots=True)
class InlineSource:
    count: int = 0


@dataclass(frozen=True, slots=True)
class QuerySource:
    """Source of a reading query. `password` is a reference to a secret (`name` or `namespace/name`), never its text."""

    database: str
    query: str
    password: str | None = None
    timeout_s: int = 600
    max_rows: int | None = None


@dataclass(frozen=True, slots=True)
class SyntheticSource:
    count: int


Source = FileSource | InlineSource | QuerySource | SyntheticSource


@dataclass(frozen=True, slots=True)
class Layout:
    """How rows become recipients, whatever they come from."""

    key: tuple[str, ...] = ()
    """Columns that name a recipient: a second row with the same is a duplicate."""
    mapping: Mapping[str, str] = field(default_factory=dict)
    """Field → column."""
    provider_id: str | None = None
    """Rows that this provider could not send to are left out."""


class Keep(Enum):
    KEEP = "KEEP"


KEEP = Keep.KEEP


@dataclass(frozen=True, slots=True)
class LayoutChange:
    """What is None or KEEP stays as it is."""

    key: tuple[str, ...] | None = None
    mapping: Mapping[str, str] | None = None
    provider_id: str | Keep | None = KEEP

    def over(self, kept: Layout) -> Layout:
        return Layout(
            kept.key if self.key is None else self.key,
            kept.mapping if self.mapping is None else self.mapping,
            kept.provider_id if isinstance(self.provider_id, Keep) else self.provider_id,
        )


@dataclass(frozen=True, slots=True)
class Audience:
    id: str
    workspace_id: str
    name: str
    source: Source
    """Where the present snapshot came from."""
    layout: Layout
    status: AudienceStatus
    snapshot_id: str
    """The present snapshot."""
    snapshot_revision: int
    record_count: int
    """Of the present snapshot."""
    created_by: str
    version: int
    created_at_ms: int
    updated_at_ms: int

    @property
    def source_type(self) -> SourceType:
        return type_of(self.source)


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    id: str
    workspace_id: str
    audience_id: str
    revision: int
    artifact_id: str
    sha256: str
    """Of the Parquet file."""
    record_count: int
    columns: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...]
    """(name, column): other names for the same value."""
    key: tuple[str, ...]
    source_type: SourceType
    cause: ImportCause
    import_id: str
    state: SnapshotState
    created_by: str
    created_at_ms: int


@dataclass(frozen=True, slots=True)
class Upload:
    """What was received for an import: a file, or rows written as one."""

    artifact_id: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Staged:
    """What reading an import left behind."""

    artifact_id: str
    sha256: str
    record_count: int
    columns: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...]
    key: tuple[str, ...]
    preview_artifact_id: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an import failed."""

    code: str
    message: str
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Import:
    id: str
    workspace_id: str
    audience_id: str | None
    """The audience that gets a new snapshot; None where a new audience is to be made."""
    cause: ImportCause
    source: Source
    layout: Layout
    state: ImportState
    reason: Reason | None
    rows_read: int
    """Progress while it is being read."""
    is_being_read: bool
    upload: Upload | None
    staged: Staged | None
    errors_artifact_id: str | None
    report: Mapping[str, Any] | None
    """Counts and guesses of the reading, as JSON; no recipient stands in it."""
    snapshot_id: str | None
    """What it was committed as."""
    created_by: str
    version: int
    """Grows with each change of state or options; not with progress."""
    created_at_ms: int
    updated_at_ms: int

    @property
    def source_type(self) -> SourceType:
        return type_of(self.source)


@dataclass(frozen=True, slots=True)
class AudienceFilter:
    name: str | None = None
    status: str | None = None
    """None: every status but ARCHIVED."""
    source_type: str | None = None
    created_after_ms: int | None = None
    created_before_ms: int | None = None


@dataclass(frozen=True, slots=True)
class ImportFilter:
    state: str | None = None
    audience_id: str | None = None
    created_after_ms: int | None = None
    created_before_ms: int | None = None


_TYPES: Mapping[type, SourceType] = {
    FileSource: SourceType.FILE,
    InlineSource: SourceType.INLINE,
    QuerySource: SourceType.QUERY,
    SyntheticSource: SourceType.SYNTHETIC,
}
SOURCES: Mapping[SourceType, type] = {source_type: kind for kind, source_type in _TYPES.items()}


def type_of(source: Source) -> SourceType:
    return _TYPES[type(source)]
