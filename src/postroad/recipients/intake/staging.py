"""The canonical table into the snapshot: duplicates out, in order, compressed. All set-based, in DuckDB.

Duplicates are found over `_row` and key alone, so the widest table costs no more. The order of rows is the order of the
spreadsheet, and is checked before the file counts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from postroad.recipients.snapshot_format import ROW, ROW_GROUP_ROWS, Note, column_names, literal, quoted
from postroad.vocabulary.errors import PostroadError

if TYPE_CHECKING:
    pass

MEMORY = "160MB"
_BUFFER_BYTES = 16_000_000
_SHORTEST_LIMIT = 100_000
_MOST_BYTES_OF_A_CHARACTER = 4


@dataclass(frozen=True, slots=True)
class Column:
    field: str
    kind: str
    """`text`, `integer`, `number` or `boolean`."""
    is_file: bool = False


@dataclass(frozen=True, slots=True)
class Canonical:
    path: Path
    delimiter: str
    typed: bool
    columns: Sequence[Column]
    longest_line_chars: int


_SQL_KINDS = {"integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN"}


class Staging:
    def __init__(self, canonical: Canonical, folder: Path) -> None:
        import duckdb

        self._canonical = canonical
        self._connection: duckdb.DuckDBPyConnection = duckdb.connect(
            config={
                "memory_limit": MEMORY,
                "threads": 2,
                "temp_directory": str(folder),
                "preserve_insertion_order": True,
            }
        )
        self._has_duplicates = False

    def close(self) -> None:
        self._connection.close()

    def find_duplicates(self, key: Sequence[int]) -> int:
        """Rows whose key, given as column indices, an earlier row has. A row without any key is nobody's duplicate."""
        parts = ", ".join(f"{_folded(f'c{at}')} AS k{number}" for number, at in enumerate(key))
        names = ", ".join(f"k{number}" for number in range(len(key)))
        spelled = ", ".join(f"keys.k{number}" for number in range(len(key)))
        empty = " AND ".join(f"coalesce({name}, '') = ''" for name in names.split(", "))
        self._connection.execute(f"CREATE TEMP TABLE keys AS SELECT _row, {parts} FROM {self._read()}")  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
        self._connection.execute(
            f"CREATE TEMP TABLE duplicates AS SELECT keys._row AS _row, first_row, concat_ws(' ', {spelled}) AS value "  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
            f"FROM keys JOIN ("
            f"SELECT {names}, min(_row) AS first_row FROM keys WHERE NOT ({empty}) GROUP BY ALL HAVING count(*) > 1"
            f") AS firsts ON {' AND '.join(f'keys.k{n} IS NOT DISTINCT FROM firsts.k{n}' for n in range(len(key)))} "
            f"AND keys._row > firsts.first_row"
        )
        self._connection.execute("DROP TABLE keys")
        count = self._number("SELECT count(*) FROM duplicates")
        self._has_duplicates = count > 0
        return count

    def duplicates(self) -> Iterator[tuple[int, int, str]]:
        """(row, the row it repeats, the key as it was compared) in order of rows."""
        cursor = self._connection.execute("SELECT * FROM duplicates ORDER BY _row")
        while rows := cursor.fetchmany(2_000):
            yield from rows

    def write(self, path: Path, aliases: Sequence[tuple[str, str]]) -> Note:
        """Writes the snapshot; raises where the order was not kept, which would be a fault of this program."""
        columns = self._canonical.columns
        fields = [column.field for column in columns]
        stored = column_names(fields)
        note = Note(
            tuple(zip(fields, stored, strict=True)),
            tuple(aliases),
            frozenset(column.field for column in columns if column.is_file),
        )
        chosen = ", ".join(
            f"{_as_kind(f'c{at}', column.kind)} AS {quoted(stored[at])}" for at, column in enumerate(columns)
        )
        where = "WHERE _row NOT IN (SELECT _row FROM duplicates)" if self._has_duplicates else ""
        self._connection.execute(
            f"COPY (SELECT _row AS {ROW}, {chosen} FROM {self._read()} {where}) "  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
            f"TO {literal(str(path))} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP_ROWS}, "
            f"KV_METADATA {{postroad: {literal(note.to_json())}}})"
        )
        shuffled = self._number(
            f"SELECT count(*) FROM (SELECT {ROW} <= lag({ROW}) OVER () AS back "  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
            f"FROM read_parquet({literal(str(path))})) WHERE back"
        )
        if shuffled:
            raise PostroadError(f"the order of {shuffled} rows was lost while writing the snapshot; please report this")
        return note

    def _number(self, query: str) -> int:
        found = self._connection.execute(query).fetchone()
        return int(found[0]) if found is not None else 0

    def _read(self) -> str:
        """DuckDB sizes its buffers by the longest line it is told of, so it is told no more than there is."""
        table = self._canonical
        longest = max(_SHORTEST_LIMIT, _MOST_BYTES_OF_A_CHARACTER * table.longest_line_chars)
        columns = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(len(table.columns)))
        nulls = (
            "allow_quoted_nulls = false"
            if table.typed
            else f"force_not_null = [{', '.join(repr(f'c{at}') for at in range(len(table.columns)))}]"
        )
        return (
            f"read_csv({literal(str(table.path))}, auto_detect = false, header = false, "
            f"delim = {literal(table.delimiter)}, "
            f"quote = '\"', escape = '\"', new_line = '\\n', columns = {{'_row': 'BIGINT', {columns}}}, "
            f"{nulls}, max_line_size = {longest}, buffer_size = {max(_BUFFER_BYTES, 2 * longest)})"
        )


def _folded(column: str) -> str:
    """The key as it is compared: the domain of an e-mail address without regard to case."""
    return (
        f"CASE WHEN contains({column}, '@') AND regexp_full_match({column}, '[^@\\s]+@[^@\\s]+') "
        f"THEN split_part({column}, '@', 1) || '@' || lower(split_part({column}, '@', 2)) ELSE {column} END"
    )


def _as_kind(column: str, kind: str) -> str:
    return f"CAST(nullif({column}, '') AS {_SQL_KINDS[kind]})" if kind in _SQL_KINDS else column
