"""JSON lines as records: one object a line. Columns are the keys of all objects, in the order they first appear.

Two passes: the first finds the columns, the second reads. Values keep their kind: text, number, boolean, null. A key
that an object leaves out is null.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import orjson

from postroad.recipients.reading.encoding import Encoding, decoded, find_encoding
from postroad.recipients.reading.records import PLAIN_KINDS, Block, BrokenRecord, Cell, CellFault, Origin
from postroad.recipients.request import FileInput, ImportLimits
from postroad.vocabulary.errors import AudienceInvalid

_BLOCK_LINES = 4_096
_ROUNDED = 1e15
_SHOWN = 200
_TOO_LONG = b"\0"
"""Stands for a line nobody should hold in memory; no JSON."""


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
        """A line that is too long is given shortened, so that it is broken; it is one line all the same."""
        if self._encoding.name != "utf-8":
            yield from enumerate(self._other_lines(), 1)
            return
        with self._path.open("rb") as file:
            file.seek(self._encoding.mark_bytes)
            number = 0
            while line := file.readline(self._max_line):
                number += 1
                if len(line) == self._max_line and not line.endswith(b"\n"):
                    while (rest := file.readline(self._max_line)) and not rest.endswith(b"\n"):
                        pass
                    line = _TOO_LONG
                yield number, line

    def _other_lines(self) -> Iterator[bytes]:
        held, is_too_long = "", False
        for piece in decoded(self._path, self._encoding):
            *whole, held = (held + piece).split("\n")
            for line in whole:
                yield _TOO_LONG if is_too_long or len(line) > self._max_line else line.encode("utf-8", "replace")
                is_too_long = False
            if len(held) > self._max_line:
                held, is_too_long = "", True
        if held or is_too_long:
            yield _TOO_LONG if is_too_long else held.encode("utf-8", "replace")

    def blocks(self) -> Iterator[Block]:
        block = Block([], [])
        numbers: list[int] = []
        rows: list[list[Cell]] = []
        names = self.columns or ()
        for number, line in self._lines():
            value = _loaded(line)
            if value is None and not line.strip():
                continue
            if isinstance(value, dict) and not (line.count(b":") > len(value) and _repeats_a_key(line)):
                numbers.append(number)
                rows.append([_cell(value.get(name)) for name in names])
            else:
                block.broken.append(_broken(number, line, value))
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


def _broken(number: int, line: bytes, value: object) -> BrokenRecord:
    if line is _TOO_LONG:
        return BrokenRecord(number, "LINE_TOO_LONG", "the line is longer than a line of an audience may be", "")
    raw = line.decode("utf-8", "replace").strip()
    if isinstance(value, dict):
        return BrokenRecord(number, "KEY_TWICE", "the object has a key twice; leave one", raw)
    return BrokenRecord(number, "NOT_AN_OBJECT", "the line is no JSON object", raw)


def _repeats_a_key(line: bytes) -> bool:
    """Asked only of lines with more colons than keys. orjson would keep the last value without a word."""
    found: list[bool] = []

    def look(pairs: list[tuple[str, object]]) -> None:
        found[:] = [len(pairs) > len({key for key, _ in pairs})]  # the outermost object is the last to be told

    json.loads(line, object_pairs_hook=look)
    return found == [True]


def _cell(value: object) -> Cell:
    if type(value) is float and abs(value) >= _ROUNDED:
        return CellFault("PRECISION_LOST", "the number has more digits than a number keeps; write it as text", "")
    if type(value) in PLAIN_KINDS:
        return cast("Cell", value)
    return CellFault("NESTED_VALUE", "a value is text, a number, true, false or null", str(value)[:_SHOWN])
