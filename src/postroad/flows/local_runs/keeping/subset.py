"""Some recipients of an ended send as a snapshot of their own.

They keep the row numbers of the spreadsheet and are counted anew from 0. Beside it lies `origins.bin`, which leads each
UNKNOWN item to the item whose idempotency key it carries: of the source, or of the send that the source goes back to.
"""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from postroad.flows.local_runs.keeping.folder import SendFolder
from postroad.flows.local_runs.keeping.origins import ENTRY, MAX_RUNS, OWN, Origins
from postroad.foundation.whole_files import sync_file, sync_folder
from postroad.recipients import Snapshot
from postroad.recipients.snapshot_format import ROW, ROW_GROUP_ROWS, SEQUENCE, literal, quoted, read_note, scan
from postroad.vocabulary.errors import InvalidInput
from postroad.vocabulary.outcomes import Outcome

if TYPE_CHECKING:
    import duckdb

_BATCH = 10_000
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {"threads": 1, "memory_limit": "300MB"}


@dataclass(frozen=True, slots=True)
class SubsetSource:
    """The ended send that recipients are taken from. `name` is for messages."""

    name: str
    snapshot: Path
    results: Path
    origins: Origins


def write_subset(
    source: SubsetSource, only: Collection[Outcome], target: SendFolder
) -> tuple[Snapshot, tuple[str, ...]]:
    """Writes snapshot and origins of `target`; the runs that the origins count.

    Raises InvalidInput where nobody of the source came to one of `only`.
    """
    import duckdb

    with duckdb.connect(config=_SETTINGS) as connection:
        chosen = _chosen(source, only)
        found = connection.execute(f"SELECT count(*) {chosen}").fetchone()
        if found is None or found[0] == 0:
            names = " or ".join(sorted(outcome.value.lower() for outcome in only))
            raise InvalidInput(f"nobody of {source.name} is {names}; see its summary.json", field="only")
        _write_snapshot(connection, source, chosen, target.snapshot)
        runs = _write_origins(connection, source, chosen, target.origins)
    sync_file(target.snapshot)
    sync_file(target.origins)
    sync_folder(target.path)
    return Snapshot.open(target.snapshot), runs


def _chosen(source: SubsetSource, only: Collection[Outcome]) -> str:
    outcomes = ", ".join(literal(outcome.value) for outcome in sorted(only))
    return (
        f"FROM {scan(source.snapshot)} AS s "
        f"JOIN read_parquet({literal(str(source.results))}) AS r ON r.sequence = s.{SEQUENCE} "
        f"WHERE r.outcome IN ({outcomes})"
    )


def _write_snapshot(connection: "duckdb.DuckDBPyConnection", source: SubsetSource, chosen: str, path: Path) -> None:
    note, _ = read_note(connection, source.snapshot)
    columns = "".join(f", s.{quoted(column)} AS {quoted(column)}" for _, column in note.fields)
    form = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP_ROWS}"
    connection.execute(
        f"COPY (SELECT s.{ROW} AS {ROW}{columns} {chosen} ORDER BY s.{SEQUENCE}) TO {literal(str(path))} "
        f"({form}, KV_METADATA {{postroad: {literal(note.to_json())}}})"
    )


def _write_origins(
    connection: "duckdb.DuckDBPyConnection", source: SubsetSource, chosen: str, path: Path
) -> tuple[str, ...]:
    runs: dict[str, int] = {}
    rows = connection.execute(f"SELECT s.{SEQUENCE}, r.outcome {chosen} ORDER BY s.{SEQUENCE}")
    with path.open("wb") as file:
        while batch := rows.fetchmany(_BATCH):
            for sequence, outcome in batch:
                if outcome != Outcome.UNKNOWN.value:
                    file.write(ENTRY.pack(OWN, 0))
                    continue
                run_id, origin = source.origins.origin_of(sequence)
                number = runs.setdefault(run_id, len(runs))
                if number > MAX_RUNS:
                    raise InvalidInput(f"{source.name} goes back to more than {MAX_RUNS} runs; start a new send")
                file.write(ENTRY.pack(number, origin))
    return tuple(runs)
