"""Items of a finished run, page by page: each page begins after the last sequence of the one before."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from postroad.recipients.results.assembly import OUR_COLUMNS
from postroad.recipients.snapshot import as_field, selected_fields
from postroad.recipients.snapshot_format import literal, quoted, read_note
from postroad.vocabulary.errors import InvalidInput
from postroad.vocabulary.ids import ItemId, RunId, SnapshotId, item_id
from postroad.vocabulary.outcomes import Outcome
from postroad.vocabulary.values import RecipientValue

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class ItemRow:
    sequence: int
    row: int
    outcome: Outcome
    category: str
    code: str
    request_id: str
    attempts: int
    latency_ms: int
    finished_at_ms: int
    """0 where nothing was sent."""
    summary: str
    fields: Mapping[str, RecipientValue]
    item_id: ItemId | None = None
    """None where the results were exported without the ids of run and snapshot."""


@dataclass(frozen=True, slots=True)
class ItemPage:
    items: tuple[ItemRow, ...]
    next_after: int | None
    """Pass it as `after` for the next page; None at the end."""


def list_items(results: Path, *, outcome: Outcome | None = None, after: int = -1, limit: int = 100) -> ItemPage:
    """Items of `results.parquet` in order of sequence. Blocks. Raises InvalidInput where there is no such file."""
    import duckdb

    if not results.is_file():
        raise InvalidInput(f"there are no results at {results}; export them first", field="results")
    with duckdb.connect(config={"threads": 1, "memory_limit": "100MB"}) as connection:
        note, _ = read_note(connection, results)
        fields = selected_fields(note)
        columns = ", ".join([*OUR_COLUMNS, *(quoted(column) for _, column, _ in fields)])
        chosen = f"AND outcome = {literal(outcome.value)}" if outcome is not None else ""
        rows = connection.execute(
            f"SELECT {columns} FROM read_parquet({literal(str(results))}) "  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
            f"WHERE sequence > ? {chosen} ORDER BY sequence LIMIT ?",
            [after, limit + 1],
        ).fetchall()
        run_id, snapshot_id = _ids(connection, results)
    size = len(OUR_COLUMNS)
    items = []
    for row in rows[:limit]:
        values = {
            name: as_field(value, is_file=is_file) for (name, _, is_file), value in zip(fields, row[size:], strict=True)
        }
        identity = item_id(RunId(run_id), SnapshotId(snapshot_id), row[0]) if run_id and snapshot_id else None
        ours = {**dict(zip(OUR_COLUMNS, row[:size], strict=True)), "outcome": Outcome(row[2])}
        items.append(ItemRow(**ours, fields=values, item_id=identity))
    return ItemPage(tuple(items), items[-1].sequence if len(rows) > limit else None)


def _ids(connection: "duckdb.DuckDBPyConnection", results: Path) -> tuple[str, str]:
    found = dict(
        connection.execute("SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [str(results)]).fetchall()
    )
    return found.get("run_id", ""), found.get("snapshot_id", "")
