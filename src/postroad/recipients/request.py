"""What an import is asked to do. Plain values, so that they can cross the pipe to the child process."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from postroad.vocabulary.secret import Secret

TableFormat = Literal["csv", "tsv", "txt", "xlsx", "jsonl"]


@dataclass(frozen=True, slots=True)
class FileInput:
    """A spreadsheet. Everything left at None is guessed, and the report says what was guessed."""

    path: Path
    format: TableFormat | None = None
    """None: by the first bytes, then by the name."""
    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    """The quote character; an empty string means that quotes are plain text."""
    sheet: str | None = None
    """XLSX only. None: the first sheet that is not empty."""
    header_row: int | None = None
    """The row that holds the column names, counted from 1 as the spreadsheet shows it."""


@dataclass(frozen=True, slots=True)
class QueryInput:
    """One reading query. Rows are numbered from 1 in the order the database gives them.

    `database` is `sqlite:///file`, `duckdb:///file` or `postgresql://user@host:port/name`; the password comes apart.
    """

    database: str
    query: str
    password: Secret | None = None
    timeout_s: float = 600.0


@dataclass(frozen=True, slots=True)
class SyntheticInput:
    """`count` made-up rows with the columns `number` (from 1) and `name`, for trials and drills."""

    count: int


AudienceInput = FileInput | QueryInput | SyntheticInput


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Beyond any of these the import ends with AudienceInvalid, except a long cell, which rejects its row."""

    max_file_bytes: int = 4 * 1024**3
    max_rows: int = 50_000_000
    max_columns: int = 2_000
    """Columns with a name. Columns without a name and without a value do not count."""
    max_cell_chars: int = 32_767
    """What a cell of a spreadsheet can hold."""
    max_unpacked_bytes: int = 1024**3
    """XLSX only: the unpacked size of the whole archive."""


@dataclass(frozen=True, slots=True)
class ImportRequest:
    source: AudienceInput
    out_dir: Path
    """Gets `audience.parquet` and, where rows were left out, `errors.csv`."""
    key: tuple[str, ...] = ()
    """Columns that name a recipient. Empty: the schema's `x-postroad-key`; without one nobody is a duplicate."""
    mapping: Mapping[str, str] = field(default_factory=dict)
    """Field of the message or the schema → column of the spreadsheet."""
    recipient_schema: Mapping[str, Any] | None = None
    limits: ImportLimits = ImportLimits()
    write_accepted: bool = False
    """Also writes `accepted.csv`."""
