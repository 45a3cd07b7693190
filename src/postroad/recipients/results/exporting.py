"""The door to an export of results."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from postroad.foundation.whole_files import storage_refusals
from postroad.recipients.children import run_child
from postroad.recipients.snapshot import Snapshot
from postroad.vocabulary.errors import AccountingBroken

RESULTS_NAME = "results.parquet"
TABLE_NAMES = ("succeeded.csv", "failed.csv", "unknown.csv", "unsent.csv", "skipped.csv")


@dataclass(frozen=True, slots=True)
class ExportRequest:
    journals: Sequence[Path]
    """Every journal segment of the run, as `journal.list_segments` gives them: all shards, all epochs, oldest first."""
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


def export_results(
    request: ExportRequest,
    *,
    on_progress: Callable[[int], None] | None = None,
    on_start: Callable[[Callable[[], None]], None] | None = None,
) -> ResultFiles:
    """Writes the result files in a child process and blocks until they are there.

    An item with an attempt and no result is UNKNOWN, an item without any record is UNSENT: ask when the run has ended.
    Doing it again replaces the files; a crash leaves the old files or the new ones, never half a file. `on_start` gets
    a function that ends the export from any thread. Raises JournalBroken, AccountingBroken.
    """
    with storage_refusals(request.out_dir):
        request.out_dir.mkdir(parents=True, exist_ok=True)
    wire = {
        "journals": [str(path) for path in request.journals],
        "snapshot": str(request.snapshot.path),
        "out_dir": str(request.out_dir),
        "run_id": request.run_id,
        "snapshot_id": request.snapshot_id,
        "first": request.first,
        "end": request.end,
    }
    answer = run_child("postroad.recipients.results.export_child", wire, on_progress, on_start)
    counts = ResultCounts(sum(answer["counts"].values()), **answer["counts"])
    expected = min(request.end or request.snapshot.count, request.snapshot.count) - request.first
    if counts.total != expected:
        raise AccountingBroken(f"{counts.total} items have an outcome, but the run has {expected}; please report this")
    return ResultFiles(
        counts,
        request.out_dir / RESULTS_NAME,
        answer["sha256"],
        {name.removesuffix(".csv"): request.out_dir / name for name in TABLE_NAMES},
    )
