"""A snapshot: one Parquet file that never changes, known by its SHA-256."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from postroad.recipients.durable_files import settle, sha256_of
from postroad.recipients.report_samples import AcceptedSample
from postroad.recipients.safe_cells import safe_cell, safe_cell_sql
from postroad.recipients.snapshot_format import ROW, SEQUENCE, Note, literal, quoted, read_note, scan
from postroad.vocabulary.errors import AudienceInvalid
from postroad.vocabulary.values import FileRef, RecipientValue

if TYPE_CHECKING:
    import duckdb


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
        if not path.is_file():
            raise AudienceInvalid(f"there is no snapshot {path}", field="audience")
        digest = sha256_of(path)
        if sha256 is not None and digest != sha256:
            raise AudienceInvalid(
                f"{path.name} was changed: its SHA-256 is {digest[:12]}…, not {sha256[:12]}…; import it again",
                field="audience",
            )
        with _connected() as connection:
            note, count = read_note(connection, path)
        return Snapshot(path, count, digest, tuple(field for field, _ in note.fields), note.aliases)


@contextmanager
def _connected() -> Iterator["duckdb.DuckDBPyConnection"]:
    import duckdb

    with duckdb.connect(config={"threads": 1, "memory_limit": "150MB"}) as connection:
        yield connection


def selected_fields(note: Note) -> list[tuple[str, str, bool]]:
    """(name a recipient has, column of the file, whether it is a path), aliases last."""
    stored = dict(note.fields)
    named = [(field, column, field in note.files) for field, column in note.fields]
    return named + [(name, stored[field], field in note.files) for name, field in note.aliases]


def as_field(value: RecipientValue, *, is_file: bool) -> RecipientValue:
    if not is_file:
        return value
    return FileRef(str(value)) if value else None


def read_recipients(snapshot: Snapshot, first: int, limit: int) -> list[AcceptedSample]:
    """`limit` recipients from the sequence `first` on, fewer at the end. Reads one or two groups of rows, not the file.

    Raises AudienceInvalid where the file is gone or no snapshot.
    """
    return _selected(snapshot, f"{SEQUENCE} >= ? AND {SEQUENCE} < ?", [first, first + limit])


def find_recipients(snapshot: Snapshot, rows: Sequence[int]) -> list[AcceptedSample]:
    """The recipients of these rows, as the spreadsheet counts, in order of the spreadsheet; those not there are left
    out. Reads one column of the file. Raises AudienceInvalid where the file is gone or no snapshot."""
    return _selected(snapshot, f"{ROW} IN (SELECT unnest(?::BIGINT[]))", [list(rows)])


def _selected(snapshot: Snapshot, condition: str, values: list[object]) -> list[AcceptedSample]:
    with _connected() as connection:
        note, _ = read_note(connection, snapshot.path)
        fields = selected_fields(note)
        columns = ", ".join(quoted(column) for _, column, _ in fields)
        rows = connection.execute(
            f"SELECT {ROW}, {columns} FROM {scan(snapshot.path)} "  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
            f"WHERE {condition} ORDER BY {SEQUENCE}",
            values,
        ).fetchall()
    return [
        AcceptedSample(
            row[0],
            {name: as_field(value, is_file=is_file) for (name, _, is_file), value in zip(fields, row[1:], strict=True)},
        )
        for row in rows
    ]


def export_accepted(snapshot: Snapshot, path: Path) -> int:
    """Writes the snapshot as a formula-safe CSV with `row` first; the number of rows. Written aside, then renamed."""
    temporary = path.with_name(f".{path.name}.part")
    with _connected() as connection:
        note, count = read_note(connection, snapshot.path)
        columns = ", ".join(
            f"{safe_cell_sql(f'{quoted(column)}::VARCHAR')} AS {quoted(safe_cell(column))}" for _, column in note.fields
        )
        connection.execute(
            f"COPY (SELECT {ROW} AS row, {columns} "  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
            f"FROM {scan(snapshot.path)} ORDER BY {SEQUENCE}) "
            f"TO {literal(str(temporary))} (FORMAT csv, HEADER)"
        )
    settle(temporary, path)
    return count
