"""Pages of a run that goes on, from its parts and its snapshot."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postroad.recipients.results.listing import Chosen, ItemRow
from postroad.recipients.results.record_text import FINAL
from postroad.recipients.snapshot import as_field, selected_fields
from postroad.recipients.snapshot_format import ROW, SEQUENCE, Note, literal, quoted, read_note, scan
from postroad.vocabulary.ids import RunId, SnapshotId, item_id
from postroad.vocabulary.outcomes import Outcome
from postroad.vocabulary.values import RecipientValue

if TYPE_CHECKING:
    import duckdb

_TRIES = 4
_COLUMNS = ", ".join(f"items.{name}" for name in FINAL)


@dataclass(frozen=True, slots=True)
class LiveRun:
    """Where a run that goes on is looked at."""

    parts: Path
    snapshot: Path
    run_id: str
    snapshot_id: str


def list_live_items(run: LiveRun, chosen: Chosen, after: int, limit: int) -> tuple[ItemRow, ...]:
    """The chosen items behind `after` that are known to be settled, in order of sequence. Blocks.

    Nothing where no part was written yet, or all are gone because the run has ended.
    """
    import duckdb

    for _ in range(_TRIES):
        parts = sorted(run.parts.glob("*.parquet")) if run.parts.is_dir() else []
        if not parts:
            return ()
        try:
            with duckdb.connect(config={"threads": 1, "memory_limit": "100MB"}) as connection:
                return _listed(connection, run, parts, _Wanted(chosen, after, limit))
        except duckdb.IOException:  # a part was replaced between two lines
            continue
    return ()


@dataclass(frozen=True, slots=True)
class _Wanted:
    chosen: Chosen
    after: int
    limit: int


def _listed(
    connection: "duckdb.DuckDBPyConnection", run: LiveRun, parts: Sequence[Path], wanted: _Wanted
) -> tuple[ItemRow, ...]:
    note, _ = read_note(connection, run.snapshot)
    found = list(_distinct(connection, run, parts, wanted, note))
    recipients = _recipients(connection, run.snapshot, note, [record[0] for record in found])
    return tuple(_item(run, record, *recipients[record[0]]) for record in found if record[0] in recipients)


def _distinct(
    connection: "duckdb.DuckDBPyConnection", run: LiveRun, parts: Sequence[Path], wanted: _Wanted, note: Note
) -> Iterator[tuple[Any, ...]]:
    """Records of the chosen items, each once although two parts may have it."""
    source, condition, values = _query(run, parts, wanted, note)
    after, left = wanted.after, wanted.limit
    while left > 0:
        asked = left + 1
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM {source} WHERE items.sequence > ? AND {condition} "  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
            "ORDER BY items.sequence LIMIT ?",
            [after, *values, asked],
        ).fetchall()
        for row in rows:
            if row[0] > after and left > 0:
                after, left = row[0], left - 1
                yield row
        if len(rows) < asked:
            return


def _query(run: LiveRun, parts: Sequence[Path], wanted: _Wanted, note: Note) -> tuple[str, str, list[int | str]]:
    chosen = wanted.chosen
    source = f"read_parquet([{', '.join(literal(str(part)) for part in parts)}]) AS items"
    conditions, values = ["items.sequence >= ?"], list[int | str]([chosen.first])
    if chosen.end is not None:
        conditions.append("items.sequence < ?")
        values.append(chosen.end)
    if chosen.outcomes:
        conditions.append(f"items.outcome IN ({', '.join(literal(one.value) for one in sorted(chosen.outcomes))})")
    if chosen.text:
        people = f"SELECT {SEQUENCE} FROM {scan(run.snapshot)}"  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
        theirs = _contains([f"{quoted(column)}::VARCHAR" for _, column in note.fields])
        ours = _contains(["items.code", "items.request_id", "items.summary"])
        conditions.append(f"({ours} OR items.sequence IN ({people} WHERE {SEQUENCE} > ? AND {theirs}))")
        values += [chosen.text, wanted.after, chosen.text]
    return source, " AND ".join(conditions), values


def _contains(columns: Sequence[str]) -> str:
    return f"contains(lower(concat_ws(chr(10), {', '.join(columns)})), lower(?))"


def _recipients(
    connection: "duckdb.DuckDBPyConnection", snapshot: Path, note: Note, sequences: Sequence[int]
) -> dict[int, tuple[int, Mapping[str, RecipientValue]]]:
    """Row and fields of each, by sequence."""
    if not sequences:
        return {}
    fields = selected_fields(note)
    columns = "".join(f", {quoted(column)}" for _, column, _ in fields)
    chosen = ", ".join(map(str, sequences))
    rows = connection.execute(
        f"SELECT {SEQUENCE}, {ROW}{columns} FROM {scan(snapshot)} "  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
        f"WHERE {SEQUENCE} BETWEEN {sequences[0]} AND {sequences[-1]} AND {SEQUENCE} IN ({chosen})"
    ).fetchall()
    return {
        row[0]: (
            row[1],
            {name: as_field(value, is_file=is_file) for (name, _, is_file), value in zip(fields, row[2:], strict=True)},
        )
        for row in rows
    }


def _item(run: LiveRun, record: tuple[Any, ...], row: int, fields: Mapping[str, RecipientValue]) -> ItemRow:
    said = dict(zip(FINAL, record, strict=True))
    return ItemRow(
        sequence=said["sequence"],
        row=row,
        outcome=Outcome(said["outcome"]),
        category=said["category"],
        code=said["code"],
        request_id=said["request_id"],
        attempts=said["attempt"],
        latency_ms=said["latency_ms"],
        finished_at_ms=said["at_ms"],
        summary=said["summary"],
        fields=fields,
        item_id=item_id(RunId(run.run_id), SnapshotId(run.snapshot_id), said["sequence"]),
    )
