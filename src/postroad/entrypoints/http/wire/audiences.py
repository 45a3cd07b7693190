"""Audiences, snapshots and imports on the wire."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from postroad.entrypoints.http.conventions import Asked, Instant, PageShown, Shown, stamp
from postroad.modules.audiences import (
    KEEP,
    Audience,
    AudienceChange,
    FileSource,
    Import,
    ImportChange,
    InlineSource,
    Layout,
    LayoutChange,
    QuerySource,
    Rows,
    SnapshotRecord,
    Source,
    SyntheticSource,
)

Value = str | int | float | bool | None
_Name = Annotated[str, Field(max_length=500)]


class SecretNamed(Asked):
    secret: str = Field(alias="$secret", max_length=200)


class QueryAsked(Asked):
    """One reading query. The password is a reference to a secret, never its text."""

    database: str = Field(max_length=2000, examples=["postgresql://reader@db.example.com/crm"])
    query: str = Field(max_length=100_000, examples=["SELECT name, phone FROM customers"])
    password: SecretNamed | None = None
    timeout_seconds: int = Field(default=600, ge=1, le=3600)
    max_rows: int | None = Field(default=None, ge=1, le=2**40)

    def source(self) -> QuerySource:
        password = self.password.secret if self.password is not None else None
        return QuerySource(self.database, self.query, password, self.timeout_seconds, self.max_rows)


class FileReadAsked(Asked):
    """How an uploaded file is read. What is null is guessed, and the report says what was guessed."""

    format: str | None = Field(default=None, max_length=10)
    encoding: str | None = Field(default=None, max_length=40)
    delimiter: str | None = Field(default=None, max_length=10)
    quote: str | None = Field(default=None, max_length=10)
    sheet: str | None = Field(default=None, max_length=200)
    header_row: int | None = Field(default=None, ge=0, le=1_000_000)

    def source(self) -> FileSource:
        return FileSource("", self.format, self.encoding, self.delimiter, self.quote, self.sheet, self.header_row)


class LayoutAsked(Asked):
    key: list[_Name] | None = None
    """Columns that name a recipient: a second row with the same is a duplicate."""
    mapping: dict[_Name, _Name] | None = None
    """Field → column."""
    provider_id: str | None = Field(default=None, max_length=100)
    """Rows that this provider could not send to are left out."""

    def layout(self) -> LayoutChange:
        """What was not given is kept."""
        given = "provider_id" in self.model_fields_set
        key = None if self.key is None else tuple(self.key)
        return LayoutChange(key, self.mapping, self.provider_id if given else KEEP)


class ImportAsked(LayoutAsked):
    """Recipients from exactly one of rows, a query or a number. A file is uploaded at `…/audience-imports/files`."""

    audience_id: str | None = Field(default=None, max_length=128)
    """The audience that is to get a new snapshot; null for a new audience."""
    rows: list[dict[_Name, Value]] | None = None
    query: QueryAsked | None = None
    count: int | None = None

    def source(self) -> InlineSource | QuerySource | SyntheticSource | None:
        """None where not exactly one was given."""
        given: list[InlineSource | QuerySource | SyntheticSource] = []
        if self.rows is not None:
            given.append(InlineSource(len(self.rows)))
        if self.query is not None:
            given.append(self.query.source())
        if self.count is not None:
            given.append(SyntheticSource(self.count))
        return given[0] if len(given) == 1 else None


class ImportChanged(LayoutAsked):
    """What is not given stays; `file` and `query` are replaced as a whole."""

    file: FileReadAsked | None = None
    query: QueryAsked | None = None
    count: int | None = None

    def change(self) -> ImportChange:
        given: list[Source] = []
        if self.query is not None:
            given.append(self.query.source())
        if self.count is not None:
            given.append(SyntheticSource(self.count))
        if self.file is not None:
            given.append(self.file.source())
        return ImportChange(given[0] if given else None, self.layout())


class ImportCommitted(Asked):
    name: str | None = Field(default=None, max_length=500)
    """Of the new audience."""
    audience_version: int | None = None
    """For an import into an audience: the version of it that was seen. Stale: 409."""


class AudienceChanged(LayoutAsked):
    """What is not given stays as it is."""

    name: str | None = Field(default=None, max_length=500)
    query: QueryAsked | None = None
    """Only for an audience that comes from a query; it is asked at the next refresh."""

    def change(self) -> AudienceChange:
        return AudienceChange(self.name, self.query.source() if self.query is not None else None, self.layout())


class FileSourceShown(Shown):
    type: Literal["FILE"]
    file_name: str
    format: str | None
    encoding: str | None
    delimiter: str | None
    quote: str | None
    sheet: str | None
    header_row: int | None


class InlineSourceShown(Shown):
    type: Literal["INLINE"]
    count: int


class SecretShown(Shown):
    secret: str = Field(serialization_alias="$secret")


class QuerySourceShown(Shown):
    type: Literal["QUERY"]
    database: str
    query: str
    password: SecretShown | None
    timeout_seconds: int
    max_rows: int | None


class SyntheticSourceShown(Shown):
    type: Literal["SYNTHETIC"]
    count: int


SourceShown = Annotated[
    FileSourceShown | InlineSourceShown | QuerySourceShown | SyntheticSourceShown, Field(discriminator="type")
]


class AudienceShown(Shown):
    id: str
    workspace_id: str
    name: str
    status: str
    source: SourceShown
    key: list[str]
    mapping: dict[str, str]
    provider_id: str | None
    snapshot_id: str
    snapshot_revision: int
    record_count: int
    created_by: str
    version: int
    created_at: Instant = stamp("created_at_ms")
    updated_at: Instant = stamp("updated_at_ms")


class AudiencePage(Shown):
    items: list[AudienceShown]
    page: PageShown
    counters: dict[str, int]
    """Status → how many fit the other filters."""


class SnapshotShown(Shown):
    id: str
    audience_id: str
    revision: int
    state: str
    record_count: int
    sha256: str
    columns: list[str]
    aliases: dict[str, str]
    """Other names for the same value, and their columns."""
    key: list[str]
    source_type: str
    cause: str
    """PERSON, or REFRESH where the query was asked again."""
    import_id: str
    artifact_id: str
    created_by: str
    created_at: Instant = stamp("created_at_ms")


class SnapshotPage(Shown):
    items: list[SnapshotShown]
    page: PageShown


class RowShown(Shown):
    sequence: int
    row: int
    """The number the spreadsheet showed."""
    fields: dict[str, Value]


class RowsShown(Shown):
    total: int
    items: list[RowShown]
    next_first: int | None
    """`first` of the rows behind these; null at the end."""


class ColumnShown(Shown):
    name: str
    also: list[str]
    """Fields that lead to it by the mapping or by a guess."""
    guessed: bool


class TopReasonShown(Shown):
    code: str
    column: str
    count: int
    example_row: int


class ReportShown(Shown):
    rows: int
    accepted: int
    duplicates: int
    rejected: int
    columns: list[ColumnShown]
    key: list[str]
    format: str
    encoding: str
    encoding_guessed: bool
    delimiter: str
    quote: str
    sheet: str
    header_row: int
    warnings: list[str]
    top_reasons: list[TopReasonShown]


class ReasonShown(Shown):
    code: str
    message: str
    row: int | None


class UploadShown(Shown):
    sha256: str
    size_bytes: int


class ImportShown(Shown):
    id: str
    workspace_id: str
    audience_id: str | None
    cause: str
    state: str
    reason: ReasonShown | None
    source: SourceShown
    key: list[str]
    mapping: dict[str, str]
    provider_id: str | None
    rows_read: int
    is_being_read: bool
    upload: UploadShown | None
    report: ReportShown | None
    has_errors_file: bool
    snapshot_id: str | None
    created_by: str
    version: int
    created_at: Instant = stamp("created_at_ms")
    updated_at: Instant = stamp("updated_at_ms")


class ImportPage(Shown):
    items: list[ImportShown]
    page: PageShown


class AcceptedShown(Shown):
    row: int
    fields: dict[str, Value]


class ProblemShown(Shown):
    row: int
    column: str
    code: str
    reason: str
    value: str


class PreviewShown(Shown):
    """The first accepted rows and the first problems, twenty each at most."""

    accepted: list[AcceptedShown]
    problems: list[ProblemShown]


def shown_audience(audience: Audience) -> AudienceShown:
    names = ("id", "workspace_id", "name", "status", "snapshot_id", "snapshot_revision", "record_count", "created_by")
    return AudienceShown.of(
        _some(audience, (*names, "version", "created_at_ms", "updated_at_ms"))
        | {"source": _source(audience.source)}
        | _layout(audience.layout)
    )


def shown_snapshot(snapshot: SnapshotRecord) -> SnapshotShown:
    names = ("id", "audience_id", "revision", "state", "record_count", "sha256", "columns", "key", "source_type")
    more = ("cause", "import_id", "artifact_id", "created_by", "created_at_ms")
    return SnapshotShown.of(_some(snapshot, (*names, *more)) | {"aliases": dict(snapshot.aliases)})


def shown_import(found: Import) -> ImportShown:
    names = ("id", "workspace_id", "audience_id", "cause", "state", "reason", "rows_read", "is_being_read", "upload")
    more = ("report", "snapshot_id", "created_by", "version", "created_at_ms", "updated_at_ms")
    return ImportShown.of(
        _some(found, (*names, *more))
        | {"source": _source(found.source), "has_errors_file": found.errors_artifact_id is not None}
        | _layout(found.layout)
    )


def shown_rows(found: Rows, first: int) -> RowsShown:
    following = first + len(found.rows)
    return RowsShown.of(
        {
            "total": found.total,
            "items": found.rows,
            "next_first": following if found.rows and following < found.total else None,
        }
    )


def _some(view: object, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(view, name) for name in names}


def _layout(layout: Layout) -> dict[str, Any]:
    return {"key": list(layout.key), "mapping": dict(layout.mapping), "provider_id": layout.provider_id}


def _source(source: Source) -> Mapping[str, Any]:
    match source:
        case FileSource():
            names = ("file_name", "format", "encoding", "delimiter", "quote", "sheet", "header_row")
            return {"type": "FILE", **_some(source, names)}
        case QuerySource():
            password = None if source.password is None else {"secret": source.password}
            found = _some(source, ("database", "query", "max_rows"))
            return {"type": "QUERY", **found, "password": password, "timeout_seconds": source.timeout_s}
        case InlineSource(count):
            return {"type": "INLINE", "count": count}
        case SyntheticSource(count):
            return {"type": "SYNTHETIC", "count": count}
