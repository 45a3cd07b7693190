"""A snapshot: one Parquet file that never changes, known by its SHA-256."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`sequence` counts from 0 without a gap; `row` is the number the spreadsheet shows; the rest are fields."""

    path: Path
    count: int
    sha256: str
    """Of the file's bytes."""
    columns: tuple[str, ...]
    """Fields in the order of the spreadsheet, without `sequence` and `row`."""
    aliases: tuple[tuple[str, str], ...] = ()
    """(name, column): other names under which a recipient carries the same value."""

    @staticmethod
    def open(path: Path, *, sha256: str | None = None) -> "Snapshot":
        """Reads the whole file once to hash it. Raises AudienceInvalid where it is no snapshot or not the one named."""
        raise NotImplementedError


def export_accepted(snapshot: Snapshot, path: Path) -> int:
    """Writes the snapshot as a formula-safe CSV with `row` first; the number of rows. Written aside, then renamed."""
    raise NotImplementedError
