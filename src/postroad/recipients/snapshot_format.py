"""How a snapshot lies in Parquet: a column `_row`, then one per field, and a note in the footer.

The sequence of a recipient is its place in the file, so it can have no gap and needs no column.

Field names are case-sensitive and free; DuckDB's column names are neither. So the note (key `postroad`) leads each
field to its column, and says which names are aliases and which fields are paths of files.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from postroad.vocabulary.errors import AudienceInvalid

if TYPE_CHECKING:
    import duckdb

NOTE_KEY = "postroad"
VERSION = 1
ROW_GROUP_ROWS = 10_240
ROW = "_row"
SEQUENCE = "file_row_number"
"""What DuckDB calls the place in the file; `scan` offers it."""


@dataclass(frozen=True, slots=True)
class Note:
    fields: tuple[tuple[str, str], ...]
    """(field, column of the file)."""
    aliases: tuple[tuple[str, str], ...]
    """(other name, field)."""
    files: frozenset[str]
    """Fields that hold paths."""

    def to_json(self) -> str:
        return json.dumps(
            {"version": VERSION, "fields": self.fields, "aliases": self.aliases, "files": sorted(self.files)},
            ensure_ascii=False,
        )


def column_names(fields: Sequence[str], reserved: Sequence[str] = (ROW, SEQUENCE)) -> list[str]:
    """A column name for each field, unique without regard to case."""
    taken = set(reserved)
    names = []
    for field in fields:
        name, number = field, 2
        while name.casefold() in taken:
            name, number = f"{field}_{number}", number + 1
        taken.add(name.casefold())
        names.append(name)
    return names


def quoted(identifier: str) -> str:
    return '"' + identifier.replace('"', '""') + '"'


def scan(path: Path) -> str:
    """The snapshot as a table of DuckDB, with its sequence."""
    return f"read_parquet({literal(str(path))}, file_row_number = true)"


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def read_note(connection: "duckdb.DuckDBPyConnection", path: Path) -> tuple[Note, int]:
    """The note and the number of rows. Raises AudienceInvalid where the file is no snapshot."""
    import duckdb

    try:
        found = connection.execute(
            "SELECT decode(value) FROM parquet_kv_metadata(?) WHERE decode(key) = ?", [str(path), NOTE_KEY]
        ).fetchone()
        counted = connection.execute("SELECT num_rows FROM parquet_file_metadata(?)", [str(path)]).fetchone()
    except duckdb.Error as error:
        raise AudienceInvalid(f"{path.name} is no snapshot: {str(error).splitlines()[0]}", field="audience") from None
    if found is None or counted is None:
        raise AudienceInvalid(f"{path.name} is a Parquet file, but no snapshot", field="audience")
    note = json.loads(found[0])
    if note["version"] != VERSION:
        raise AudienceInvalid(
            f"{path.name} is a snapshot of version {note['version']}; this program reads version {VERSION}",
            field="audience",
        )
    pairs = tuple((name, column) for name, column in note["fields"])
    aliases = tuple((name, field) for name, field in note["aliases"])
    return Note(pairs, aliases, frozenset(note["files"])), int(counted[0])
