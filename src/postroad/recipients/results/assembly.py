"""Outcome tables and snapshot into one Parquet file and five CSV files, set-based, in DuckDB.

One narrow row for each sequence of the range, in order, is laid beside the snapshot's rows by position: no join over
wide rows, no sort of them. What the journals leave open is decided here and nowhere else: an attempt without a result
is UNKNOWN; a retry that never came is FAILED if an attempt may have left, else UNSENT; no record at all is UNSENT.
"""

from collections.abc import Sequence
from pathlib import Path

from postroad.recipients.results.outcomes import OutcomeTables
from postroad.recipients.results.record_text import FINAL, read_text, unescaped
from postroad.recipients.safe_cells import safe_cell, safe_cell_sql
from postroad.recipients.snapshot_format import (
    NOTE_KEY,
    ROW,
    ROW_GROUP_ROWS,
    SEQUENCE,
    Note,
    column_names,
    literal,
    quoted,
    read_note,
    scan,
)
from postroad.vocabulary.errors import AccountingBroken
from postroad.vocabulary.outcomes import Outcome

MEMORY = "200MB"
OUR_COLUMNS = (
    "sequence",
    "row",
    "outcome",
    "category",
    "code",
    "request_id",
    "attempts",
    "latency_ms",
    "finished_at_ms",
    "summary",
)
TABLES = {outcome: f"{outcome.value.lower()}.csv" for outcome in Outcome}


_RECORD = {
    "ordinal": "BIGINT",
    "sequence": "BIGINT",
    "attempt": "INTEGER",
    "kind": "VARCHAR",
    "may_have_left": "TINYINT",
    "category": "VARCHAR",
    "code": "VARCHAR",
    "request_id": "VARCHAR",
    "latency_ms": "BIGINT",
    "summary": "VARCHAR",
}


class Assembly:
    def __init__(self, snapshot: Path, first: int, end: int | None, folder: Path) -> None:
        import duckdb

        self._db: duckdb.DuckDBPyConnection = duckdb.connect(
            config={
                "memory_limit": MEMORY,
                "threads": 2,
                "temp_directory": str(folder),
                "preserve_insertion_order": True,
            }
        )
        self._snapshot = snapshot
        note, count = read_note(self._db, snapshot)
        self._first, self._end = first, count if end is None else min(end, count)
        stored = column_names([field for field, _ in note.fields], OUR_COLUMNS)
        self._columns = list(zip((column for _, column in note.fields), stored, strict=True))
        fields = tuple(zip((field for field, _ in note.fields), stored, strict=True))
        self._note = Note(fields, note.aliases, note.files)

    def close(self) -> None:
        self._db.close()

    def settle_items(self, tables: OutcomeTables) -> dict[Outcome, int]:
        """Decides every item of the range. Raises AccountingBroken where the journals speak of other items."""
        self._db.execute(f"CREATE TEMP TABLE finals AS {_finals(tables.finals)}")
        self._db.execute(f"CREATE TEMP TABLE records AS {_records(tables.attempts)}")
        strangers = self._number(
            f"SELECT count(*) FROM (SELECT sequence FROM finals UNION SELECT sequence FROM records) "  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
            f"WHERE sequence < {self._first} OR sequence >= {self._end}"
        )
        if strangers:
            raise AccountingBroken(
                f"the journals hold {strangers} items outside {self._first}–{self._end - 1}; they belong to another run"
            )
        self._db.execute(f"CREATE TEMP TABLE items AS {_decided(self._first, self._end)}")
        counted = dict(self._db.execute("SELECT outcome, count(*) FROM items GROUP BY ALL").fetchall())
        return {outcome: counted.get(outcome.value, 0) for outcome in Outcome}

    def write_results(self, path: Path, run_id: str, snapshot_id: str) -> None:
        ours = ", ".join(f"items.{name}" for name in OUR_COLUMNS if name != "row")
        theirs = ", ".join(f"people.{quoted(column)} AS {quoted(stored)}" for column, stored in self._columns)
        names = ", ".join(quoted(column) for column, _ in self._columns)
        ids = f"run_id: {literal(run_id)}, snapshot_id: {literal(snapshot_id)}"
        self._db.execute(
            f"COPY (SELECT {ours.replace('items.sequence', f'items.sequence, people.{ROW} AS row', 1)}, {theirs} "  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
            f"FROM items POSITIONAL JOIN (SELECT {ROW}, {names} FROM {scan(self._snapshot)} "
            f"WHERE {SEQUENCE} >= {self._first} AND {SEQUENCE} < {self._end}) AS people) "
            f"TO {literal(str(path))} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP_ROWS}, "
            f"KV_METADATA {{{NOTE_KEY}: {literal(self._note.to_json())}, {ids}}})"
        )

    def write_table(self, results: Path, outcome: Outcome, path: Path) -> None:
        """One CSV, in order of sequence, without formulas."""
        columns = safe_columns([stored for _, stored in self._columns])
        self._db.execute(
            f"COPY (SELECT {', '.join(columns)} FROM read_parquet({literal(str(results))}) "  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
            f"WHERE outcome = {literal(outcome.value)}) TO {literal(str(path))} (FORMAT csv, HEADER)"
        )

    def _number(self, query: str) -> int:
        found = self._db.execute(query).fetchone()
        return int(found[0]) if found is not None else 0


def safe_columns(stored: Sequence[str]) -> list[str]:
    """What a CSV of results selects: our columns and those of the recipients, without formulas."""
    texts = {"category", "code", "request_id", "summary"}
    ours = [f"{safe_cell_sql(name)} AS {name}" if name in texts else name for name in OUR_COLUMNS]
    return ours + [f"{safe_cell_sql(f'{quoted(name)}::VARCHAR')} AS {quoted(safe_cell(name))}" for name in stored]


def _finals(path: Path) -> str:
    return "SELECT * FROM " + read_text(path, {"ordinal": "BIGINT", **FINAL})  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)


def _records(path: Path) -> str:
    return "SELECT * FROM " + read_text(path, _RECORD)  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)


def _decided(first: int, end: int) -> str:
    """One row an item. `answered` has the last record of the items whose last record is an answer."""
    texts = ", ".join(f"{unescaped(_first_text(name))} AS {name}" for name in ("code", "request_id", "summary"))
    return (
        "WITH tried AS (SELECT sequence, max(attempt) AS attempts, max(ordinal) AS last, "  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
        "bool_or(may_have_left = 1) AS may_have_left FROM records GROUP BY sequence), "
        "answered AS (SELECT * FROM records WHERE kind = 'RETRY' AND ordinal IN (SELECT last FROM tried)), "
        "ended AS (SELECT max(ordinal) AS last FROM finals GROUP BY sequence) "
        "SELECT range AS sequence, "
        "CASE WHEN finals.outcome IS NOT NULL THEN finals.outcome WHEN tried.sequence IS NULL THEN 'UNSENT' "
        "WHEN answered.sequence IS NULL THEN 'UNKNOWN' WHEN tried.may_have_left THEN 'FAILED' ELSE 'UNSENT' "
        "END AS outcome, "
        "coalesce(finals.category, answered.category, CASE WHEN tried.sequence IS NOT NULL THEN 'UNKNOWN' ELSE '' END) "
        f"AS category, {texts}, "
        "greatest(coalesce(tried.attempts, 0), coalesce(finals.attempt, 0)) AS attempts, "
        "coalesce(finals.latency_ms, answered.latency_ms, 0) AS latency_ms, "
        "coalesce(finals.at_ms, 0) AS finished_at_ms "
        f"FROM range({first}, {end}) "
        "LEFT JOIN (SELECT * FROM finals WHERE ordinal IN (SELECT last FROM ended)) AS finals "
        "ON finals.sequence = range "
        "LEFT JOIN tried ON tried.sequence = range LEFT JOIN answered ON answered.sequence = range ORDER BY range"
    )


def _first_text(name: str) -> str:
    return f"coalesce(finals.{name}, answered.{name}, '')"
