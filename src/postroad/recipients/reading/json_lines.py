"""JSON lines as records: one object a line. Columns are the keys of all objects, in the order they first appear.

Two passes: the first finds the columns, the second reads. Values keep their kind: text, number, boolean, null. A key
that an object leaves out is null.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import orjson

from postroad.recipients.reading.encoding import Encoding, find_encoding
from postroad.recipients.reading.records import PLAIN_KINDS, Block, BrokenRecord, Cell, CellFault, Origin
from postroad.recipients.request import FileInput, ImportLimits
from postroad.vocabulary.errors import AudienceInvalid

_BLOCK_LINES = 4_096


class JsonLines:
    ragged = False

    def __init__(self, source: FileInput, limits: ImportLimits) -> None:
        self._path: Path = source.path
        self._max_line = 8 * limits.max_cell_chars
        self._encoding: Encoding = find_encoding(source.path, source.encoding)
        self.origin = Origin("jsonl", self._encoding.name, self._encoding.guessed)
        self.columns: Sequence[str] | None = self._find_columns(limits.max_columns)

    def _find_columns(self, most: int) -> list[str]:
        columns: dict[str, None] = {}
        for _, line in self._lines():
            value = _loaded(line)
            if isinstance(value, dict):
                if not value.keys() <= columns.keys():
                    columns.update(dict.fromkeys(value))
                if len(columns) > most:
                    raise AudienceInvalid(f"the objects have more than {most:,} different keys", field="file")
        return list(columns)

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        with self._path.open("rb") as file:
            file.seek(self._encoding.mark_bytes)
            if self._encoding.name != "utf-8":
                text = (line.decode(self._encoding.name, "surrogateescape") for line in file)
                yield from ((n, line.encode("utf-8", "replace")) for n, line in enumerate(text, 1))
            else:
                number = 0
                while line := file.readline(self._max_line):
                    number += 1
                    yield number, line

    def blocks(self) -> Iterator[Block]:
        block = Block([], [])
        numbers: list[int] = []
        rows: list[list[Cell]] = []
        names = self.columns or ()
        for number, line in self._lines():
            value = _loaded(line)
            if value is None and not line.strip():
                continue
            if isinstance(value, dict):
                numbers.append(number)
                rows.append([_cell(value.get(name)) for name in names])
            else:
                raw = line.decode("utf-8", "replace").strip()
                block.broken.append(BrokenRecord(number, "NOT_AN_OBJECT", "the line is no JSON object", raw))
            if len(rows) + len(block.broken) >= _BLOCK_LINES:
                block.numbers, block.rows, block.suspicious = numbers, rows, True
                yield block
                block, numbers, rows = Block([], []), [], []
        block.numbers, block.rows, block.suspicious = numbers, rows, True
        yield block


def _loaded(line: bytes) -> object:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None


def _cell(value: object) -> Cell:
    if type(value) in PLAIN_KINDS:
        return cast("Cell", value)
    return CellFault("NESTED_VALUE", "a value is text, a number, true, false or null", orjson.dumps(value).decode())
