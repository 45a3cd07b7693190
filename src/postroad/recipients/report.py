"""What an import says at its end: `rows = accepted + duplicates + rejected`, what was guessed, and samples."""

from dataclasses import dataclass
from pathlib import Path

from postroad.recipients.report_samples import AcceptedSample
from postroad.recipients.snapshot import Snapshot

__all__ = ["AcceptedSample", "ColumnReport", "ImportReport", "RowProblem", "TopReason"]


@dataclass(frozen=True, slots=True)
class ColumnReport:
    name: str
    """The field name in the snapshot."""
    also: tuple[str, ...] = ()
    """Other names for the same value: fields that the mapping, or a guess, leads to this column."""
    guessed: bool = False
    """At least one of `also` was guessed from the words of the header."""


@dataclass(frozen=True, slots=True)
class RowProblem:
    """Why a row was left out. `row` is the number the spreadsheet shows; `column` is empty for the whole row."""

    row: int
    column: str
    code: str
    reason: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class TopReason:
    code: str
    column: str
    count: int
    example_row: int


@dataclass(frozen=True, slots=True)
class ImportReport:
    snapshot: Snapshot
    rows: int
    """Rows below the header that hold anything. Always accepted + duplicates + rejected."""
    accepted: int
    duplicates: int
    rejected: int
    columns: tuple[ColumnReport, ...]
    key: tuple[str, ...]
    format: str
    encoding: str
    """Empty where the input has none. `encoding_guessed` is False where it was given or marked by the file."""
    encoding_guessed: bool
    delimiter: str
    quote: str
    sheet: str
    header_row: int
    """0 where the input has no header row (JSONL, queries)."""
    warnings: tuple[str, ...]
    top_reasons: tuple[TopReason, ...]
    accepted_samples: tuple[AcceptedSample, ...]
    """The first 20."""
    problem_samples: tuple[RowProblem, ...]
    """The first 20, rejected rows and duplicates alike."""
    errors_path: Path | None
    """`errors.csv`, where a row was left out."""
    accepted_path: Path | None

    @property
    def snapshot_path(self) -> Path:
        return self.snapshot.path

    @property
    def sha256(self) -> str:
        return self.snapshot.sha256
