"""Items of a finished run, chosen by outcome, text and range: page by page, or as one CSV.

Each page begins after the last sequence of the one before.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from postroad.foundation.whole_files import sync_file
from postroad.recipients.durable_files import storage_errors
from postroad.recipients.results.assembly import OUR_COLUMNS, safe_columns
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


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which items. `text` stands, in any case, in a field of the recipient, the code, the request id or the summary."""

    outcomes: frozenset[Outcome] = frozenset()
    """Empty: all."""
    text: str = ""
    first: int = 0
    end: int | None = None
    """Sequences `first` to before `end`."""


ALL = Chosen()


def list_items(
    results: Path, *, outcome: Outcome | None = None, chosen: Chosen = ALL, after: int = -1, limit: int = 100
) -> ItemPage:
    """Items of `results.parquet` in order of sequence. Blocks. Raises InvalidInput where there is no such file."""
    if outcome is not None:
        chosen = replace(chosen, outcomes=frozenset({outcome}))
    with _opened(results) as connection:
        note, _ = read_note(connection, results)
        fields = selected_fields(note)
        columns = ", ".join([*OUR_COLUMNS, *(quoted(column) for _, column, _ in fields)])
        where, given = _where(chosen, [column for _, column, _ in fields])
        rows = connection.execute(
            f"SELECT {columns} FROM read_parquet({literal(str(results))}) "  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
            f"WHERE sequence > ? AND {where} ORDER BY sequence LIMIT ?",
            [after, *given, limit + 1],
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


def write_items(results: Path, target: Path, chosen: Chosen = ALL) -> int:
    """The chosen items as a CSV without formulas, in order of sequence; how many. Blocks.

    `target` must not exist; a crash leaves part of it. Raises InvalidInput where there are no such results.
    """
    with _opened(results) as connection, storage_errors(target.parent):
        note, _ = read_note(connection, results)
        stored = [column for _, column in note.fields]
        where, values = _where(chosen, stored)
        written = connection.execute(
            f"COPY (SELECT {', '.join(safe_columns(stored))} FROM read_parquet({literal(str(results))}) "  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
            f"WHERE {where} ORDER BY sequence) TO {literal(str(target))} (FORMAT csv, HEADER)",
            values,
        ).fetchone()
    sync_file(target)
    return int(written[0]) if written is not None else 0


@contextmanager
def _opened(results: Path) -> Iterator["duckdb.DuckDBPyConnection"]:
    import duckdb

    if not results.is_file():
        raise InvalidInput(f"there are no results at {results}; export them first", field="results")
    with duckdb.connect(config={"threads": 1, "memory_limit": "100MB"}) as connection:
        yield connection


def _where(chosen: Chosen, columns: Sequence[str]) -> tuple[str, list[str | int]]:
    conditions, values = ["sequence >= ?"], list[str | int]([chosen.first])
    if chosen.end is not None:
        conditions.append("sequence < ?")
        values.append(chosen.end)
    if chosen.outcomes:
        conditions.append(f"outcome IN ({', '.join(literal(one.value) for one in sorted(chosen.outcomes))})")
    if chosen.text:
        searched = ["code", "request_id", "summary", *(f"{quoted(column)}::VARCHAR" for column in columns)]
        conditions.append(f"contains(lower(concat_ws(chr(10), {', '.join(searched)})), lower(?))")
        values.append(chosen.text)
    return " AND ".join(conditions), values


def _ids(connection: "duckdb.DuckDBPyConnection", results: Path) -> tuple[str, str]:
    found = dict(
        connection.execute("SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [str(results)]).fetchall()
    )
    return found.get("run_id", ""), found.get("snapshot_id", "")
