"""Delimited text as blocks of records, fast where the text is well formed and careful where it is not.

A block is cut at a line end outside quotes. The csv module cuts it into rows; a regular expression proves that its
quotes are well formed, but only where a cell holds one. Anything odd sends the block to the careful parser. Rows are
numbered as a spreadsheet shows them: a quoted line end does not begin a row, a blank line is one.
"""

import csv
import io
import itertools
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from postroad.recipients.reading.blanks import holds_invisible
from postroad.recipients.reading.careful import CarefulParser
from postroad.recipients.reading.dialect import Dialect, find_dialect
from postroad.recipients.reading.encoding import decoded, find_encoding
from postroad.recipients.reading.records import Block, BrokenRecord, Origin
from postroad.recipients.request import FileInput, ImportLimits
from postroad.vocabulary.errors import AudienceInvalid

SAMPLE_CHARS = 1 << 16
_TAIL_LINES = 2_000
_LONGEST_ROW = 1 << 24
"""Characters. No table has such a row; a file of another kind is one endless line."""


class TextTable:
    columns: Sequence[str] | None = None
    ragged = True

    def __init__(self, source: FileInput, table_format: str, limits: ImportLimits) -> None:
        self._path: Path = source.path
        self._encoding = find_encoding(source.path, source.encoding)
        self._max_cell = limits.max_cell_chars
        delimiter = "\t" if table_format == "tsv" and source.delimiter is None else source.delimiter
        self._dialect: Dialect = find_dialect(self._sample(), delimiter, source.quote)
        self._careful = CarefulParser(self._dialect.delimiter, self._dialect.quote, 4 * limits.max_cell_chars)
        self._well_formed = _well_formed(self._dialect) if self._dialect.quote else None
        self.origin = Origin(
            format=table_format,
            encoding=self._encoding.name,
            encoding_guessed=self._encoding.guessed,
            delimiter=self._dialect.delimiter,
            quote=self._dialect.quote,
        )
        csv.field_size_limit(sys.maxsize)

    def _sample(self) -> str:
        sample = ""
        for piece in decoded(self._path, self._encoding):
            sample += piece
            if len(sample) >= SAMPLE_CHARS:
                return sample[:SAMPLE_CHARS].rpartition("\n")[0] or sample[:SAMPLE_CHARS]
        return sample

    def blocks(self) -> Iterator[Block]:
        row = 1
        held = ""
        skip = self._dialect.skipped_lines
        for piece in decoded(self._path, self._encoding):
            held += piece
            if skip and "\n" in held:
                held = held.partition("\n")[2]
                row, skip = row + 1, 0
            if "\n" not in piece:  # nothing ends in it, so there is nothing to cut
                self._refuse_endless(held, row)
                continue
            block, used = self._cut(held, row, final=False)
            if used:
                held = held[used:]
                row += len(block.numbers) + len(block.broken)
                yield block
        while held:
            block, used = self._cut(held if held.endswith("\n") else held + "\n", row, final=True)
            held = held[used:]
            row += len(block.numbers) + len(block.broken)
            yield block

    def _refuse_endless(self, held: str, row: int) -> None:
        if len(held) > _LONGEST_ROW:
            raise AudienceInvalid(
                f"row {row} has more than {_LONGEST_ROW:,} characters; is it a table, and is a line end missing?",
                field="file",
                row=row,
            )

    def _cut(self, text: str, row: int, *, final: bool) -> tuple[Block, int]:
        """The records of `text` as a block, and how many characters they took."""
        end = self._last_record_end(text)
        if end > 0:
            body = text[:end]
            rows = self._rows(body)
            if rows is not None:
                return self._clean_block(body, rows, row), end
        return self._careful_block(text, row, final=final)

    def _last_record_end(self, text: str) -> int:
        """Just after the last line end outside quotes, if the quotes of `text` are well formed; 0 if none is near."""
        end = text.rfind("\n")
        quote = self._dialect.quote
        if end < 0 or not quote:
            return end + 1
        odd = text.count(quote, 0, end) % 2
        for _ in range(_TAIL_LINES):
            if not odd:
                return end + 1
            before = text.rfind("\n", 0, end)
            if before < 0:
                return 0
            odd = (odd + text.count(quote, before, end)) % 2
            end = before
        return 0

    def _rows(self, body: str) -> list[list[str]] | None:
        """None where the careful parser has to look."""
        delimiter, quote = self._dialect.delimiter, self._dialect.quote
        if not quote:
            return [line.split(delimiter) for line in body[:-1].split("\n")]
        if quote not in body:
            return [line.split(delimiter) if line else [] for line in body[:-1].split("\n")]
        try:
            rows = list(csv.reader(io.StringIO(body, newline="\n"), delimiter=delimiter, quotechar=quote, strict=True))
        except csv.Error:
            return None
        if self._well_formed is not None and self._holds_quote(rows) and not self._well_formed.fullmatch(body):
            return None
        return rows

    def _holds_quote(self, rows: list[list[str]]) -> bool:
        return self._dialect.quote in "".join(itertools.chain.from_iterable(rows))

    def _clean_block(self, body: str, rows: list[list[str]], row: int) -> Block:
        lines: list[str] | None = body[:-1].split("\n")
        if lines is not None and len(lines) == len(rows):
            longest = max(map(len, lines))
            if self._dialect.quote != '"':
                lines = None
        else:
            lines = None
            longest = max((len(cell) for cells in rows for cell in cells), default=0)
        suspicious = longest > self._max_cell or "\0" in body
        invisible = False
        if not body.isascii():
            try:
                invisible = holds_invisible(body, body.encode())
            except UnicodeEncodeError:
                suspicious = invisible = True
        return Block(range(row, row + len(rows)), rows, lines, suspicious=suspicious, invisible=invisible)

    def _careful_block(self, text: str, row: int, *, final: bool) -> tuple[Block, int]:
        numbers: list[int] = []
        rows: list[list[str]] = []
        broken: list[BrokenRecord] = []
        used = 0
        for number, record in enumerate(self._careful.records(text, final=final), row):
            used = record.end
            if record.cells is None:
                assert record.problem is not None
                broken.append(BrokenRecord(number, *record.problem, record.raw))
            else:
                numbers.append(number)
                rows.append([""] if record.cells == [""] else record.cells)
        return Block(numbers, rows, broken=broken, suspicious=True), used


def _well_formed(dialect: Dialect) -> re.Pattern[str]:
    edge, mark = re.escape(dialect.delimiter), re.escape(dialect.quote)
    cell = rf"(?:{mark}(?:[^{mark}]|{mark}{mark})*+{mark}|[^{mark}{edge}\n]*+)"
    return re.compile(rf"(?:{cell}(?:{edge}{cell})*+\n)*+")
