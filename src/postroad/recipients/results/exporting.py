"""The door to an export of results."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from postroad.recipients.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class ExportRequest:
    journals: Sequence[Path]
    """Every journal segment of the run: all shards, all epochs."""
    snapshot: Snapshot
    out_dir: Path
    run_id: str = ""
    snapshot_id: str = ""
    """With both ids given, each item carries the id made of them and its sequence."""
    first: int = 0
    end: int | None = None


@dataclass(frozen=True, slots=True)
class ResultCounts:
    total: int
    succeeded: int
    failed: int
    unknown: int
    unsent: int
    skipped: int


@dataclass(frozen=True, slots=True)
class ResultFiles:
    counts: ResultCounts
    results: Path
    """`results.parquet`."""
    results_sha256: str
    tables: dict[str, Path]
    """`succeeded`, `failed`, `unknown`, `unsent`, `skipped` → CSV. All five are always written."""


def export_results(request: ExportRequest, *, on_progress: Callable[[int], None] | None = None) -> ResultFiles:
    """Writes the result files in a child process and blocks until they are there.

    An item with an attempt and no result is UNKNOWN, an item without any record is UNSENT. Doing it again replaces the
    files; a crash leaves the old files or the new ones, never half a file. Raises JournalBroken, AccountingBroken.
    """
    raise NotImplementedError
