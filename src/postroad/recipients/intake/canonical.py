"""Records into one canonical table: trimmed, checked, numbered, in UTF-8 with the row number first.

Works on a whole block at a time. A block that is clean in every respect is written as the lines it came as; only rows
that stand out are looked at one by one. A row is never repaired by moving its cells: with a wrong number of cells in
delimited text it is rejected.
"""

import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import cast

from postroad.recipients.intake.checks import Checker, stored_text
from postroad.recipients.intake.header import Header
from postroad.recipients.intake.problems import ProblemLog
from postroad.recipients.intake.tables import OtherTables
from postroad.recipients.reading.blanks import trimmed
from postroad.recipients.reading.records import Block, Cell, CellFault
from postroad.recipients.report import RowProblem

_FEW = "the row has {} cells, the header {}; a delimiter or a quote is missing"
_MANY = "the row has {} cells, the header {}; a cell with a delimiter inside needs quotes"
_BEYOND_64_BITS = 1 << 63
_BEYOND_A_FLOAT = 1 << 53


class LongNumber(int):
    """Marks a column in `kinds_seen`: a whole number of 64 bits that a float would round."""


class _LineLengths:
    """Writes lines and knows the longest."""

    def __init__(self, write: Callable[[str], int]) -> None:
        self._write = write
        self.longest = 0

    def write(self, line: str) -> None:
        """For `csv.writer`, which hands over one record at a time."""
        self.longest = max(self.longest, len(line))
        self._write(line)

    def write_all(self, lines: list[str]) -> None:
        self.longest = max(self.longest, max(map(len, lines), default=0))
        self._write("".join(lines))


class CanonicalTable:
    """`typed` tables keep the kind of their values: text is quoted, null is an empty cell without quotes."""

    def __init__(
        self,
        path: Path,
        header: Header,
        checker: Checker | None,
        problems: ProblemLog,
        *,
        delimiter: str,
        typed: bool,
        ragged: bool,
        max_cell_chars: int,
    ) -> None:
        self.header = header
        self._checker = checker
        self._problems = problems
        self.delimiter = delimiter
        self.typed = typed
        self._ragged = ragged
        self._max_cell = max_cell_chars
        self._file = path.open("w", encoding="utf-8", newline="")
        self._lines = _LineLengths(self._file.write)
        self._writer = csv.writer(self._lines, delimiter=delimiter, lineterminator="\n")
        self._tables = OtherTables(header.names)
        self._booleans = [
            at for at in range(header.width) if checker is not None and checker.stored_kind(at) == "boolean"
        ]
        self.kinds_seen: list[set[type]] = [set() for _ in range(header.width)]
        self.rows = 0
        self.written = 0
        self.cut_cells = 0

    @property
    def warnings(self) -> list[str]:
        cut = f"{self.cut_cells} rows have values to the right of the header; those values were left out"
        return self._tables.warnings + ([cut] if self.cut_cells else [])

    @property
    def longest_line_chars(self) -> int:
        """Of what was written, the line end included; a line end inside a cell ends no line."""
        return self._lines.longest

    def close(self) -> None:
        self._file.close()

    def add(self, block: Block) -> None:
        for broken in block.broken:
            self.rows += 1
            self._reject(broken.row, broken.code, broken.reason, broken.raw)
        if not block.rows:
            return
        if self.typed or (not block.invisible and self._is_even(block.rows)):
            columns = _columns(block.rows)
            neat = [_neat(column, invisible=block.invisible) for column in columns]
            unchanged = neat == columns
            if self.typed or unchanged or not _has_blank_row(neat):
                self._settle(block.numbers, neat, block.lines if unchanged else None, suspicious=block.suspicious)
                return
        kept = self._fitting(block.numbers, block.rows)
        if kept:
            numbers = [block.numbers[index] for index in kept]
            neat = [
                _neat(column, invisible=True)
                for column in _columns([block.rows[index][: self.header.width] for index in kept])
            ]
            self._settle(numbers, neat, None, suspicious=block.suspicious)

    def _is_even(self, rows: Sequence[Sequence[Cell]]) -> bool:
        return set(map(len, rows)) == {self.header.width} and self._tables.is_plain(rows)

    def _settle(
        self, numbers: Sequence[int], neat: list[list[Cell]], lines: list[str] | None, *, suspicious: bool
    ) -> None:
        self.rows += len(numbers)
        left_out = self._left_out(numbers, neat, suspicious=suspicious)
        for at in self._booleans:
            neat[at] = [stored_text("boolean", cell) if i not in left_out else "" for i, cell in enumerate(neat[at])]
            lines = None
        if left_out:
            good = [index for index in range(len(numbers)) if index not in left_out]
            numbers = [numbers[index] for index in good]
            neat = [[column[index] for index in good] for column in neat]
            lines = [lines[index] for index in good] if lines is not None else None
        self._write(numbers, neat, lines)

    def _fitting(self, numbers: Sequence[int], rows: Sequence[Sequence[Cell]]) -> list[int]:
        """Indices of the rows to go on with."""
        kept = []
        for index, row in enumerate(rows):
            if not self._tables.is_data(numbers[index], row):
                continue
            if self._tables.elsewhere:
                self.rows += 1
                self._reject(numbers[index], "OTHER_TABLE", "the row belongs to a second table of the file", _raw(row))
            elif self._fits(numbers[index], row):
                kept.append(index)
        return kept

    def _fits(self, number: int, row: Sequence[Cell]) -> bool:
        width, size = self.header.width, len(row)
        if size < width:
            self.rows += 1
            self._reject(number, "TOO_FEW_CELLS", _FEW.format(size, width), _raw(row))
            return False
        if size > width and any(cell != "" and cell is not None and _text(cell) for cell in row[width:]):
            if self._ragged:
                self.rows += 1
                self._reject(number, "TOO_MANY_CELLS", _MANY.format(size, width), _raw(row))
                return False
            self.cut_cells += 1
        return True

    def _left_out(self, numbers: Sequence[int], neat: list[list[Cell]], *, suspicious: bool) -> set[int]:
        """Rejects rows with unusable or unfit cells; their indices."""
        faults: dict[int, list[RowProblem]] = {}
        for name, column in zip(self.header.names, neat, strict=True) if suspicious else ():
            for index, cell in enumerate(column):
                if isinstance(cell, str):
                    if len(cell) <= self._max_cell and cell.isprintable():
                        continue
                elif not isinstance(cell, CellFault):
                    continue
                fault = self._fault(cell)
                if fault is not None:
                    problem = RowProblem(numbers[index], name, fault.code, fault.reason, fault.value)
                    faults.setdefault(index, []).append(problem)
        if self.typed:
            for seen, column in zip(self.kinds_seen, neat, strict=True):
                seen.update(map(_kind_of, column))
        for index, problems in faults.items():
            self._problems.reject(problems)
            for column in neat:
                column[index] = ""
        left_out = set(faults)
        if self._checker is not None:
            for index in sorted(self._checker.bad_rows(neat) - left_out):
                self._problems.reject(self._checker.problems(numbers[index], [column[index] for column in neat]))
                left_out.add(index)
        return left_out

    def _fault(self, cell: Cell) -> CellFault | None:
        if isinstance(cell, CellFault):
            return cell
        if not isinstance(cell, str):
            return None
        if len(cell) > self._max_cell:
            return CellFault("CELL_TOO_LONG", f"the cell has more than {self._max_cell:,} characters", cell)
        if "\0" in cell:
            return CellFault("NUL_CHARACTER", "the cell holds a NUL character", cell)
        try:
            cell.encode()
        except UnicodeEncodeError:
            return CellFault("BAD_BYTES", "the cell holds bytes that are no text in this encoding", cell)
        return None

    def _reject(self, row: int, code: str, reason: str, raw: str) -> None:
        self._problems.reject([RowProblem(row, "", code, reason, raw)])

    def _write(self, numbers: Sequence[int], columns: list[list[Cell]], lines: list[str] | None) -> None:
        self.written += len(numbers)
        if lines is not None:
            edge = self.delimiter
            self._lines.write_all([f"{number}{edge}{line}\n" for number, line in zip(numbers, lines, strict=True)])
        elif self.typed:
            self._lines.write_all(list(map(_typed_line, numbers, zip(*columns, strict=True))))
        else:
            self._writer.writerows(zip(numbers, *columns, strict=True))


def _columns(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    return [list(column) for column in zip(*rows, strict=True)]


def _neat(column: list[Cell], *, invisible: bool) -> list[Cell]:
    if not invisible:
        return list(map(str.strip, cast("list[str]", column)))
    return [trimmed(cell) if isinstance(cell, str) else cell for cell in column]


def _kind_of(cell: Cell) -> type:
    """The type a column of such cells is stored as. A whole number beyond 64 bits stays exact as text, and so does one
    that a column with fractions could not hold (`LongNumber`)."""
    if type(cell) is not int or -_BEYOND_A_FLOAT <= cell <= _BEYOND_A_FLOAT:
        return type(cell)
    return LongNumber if -_BEYOND_64_BITS <= cell < _BEYOND_64_BITS else str


def _has_blank_row(columns: list[list[Cell]]) -> bool:
    return any(not any(row) for row in zip(*columns, strict=True))


def _typed_line(number: int, row: Iterable[Cell]) -> str:
    return f"{number},{','.join(map(_typed_cell, row))}\n"


def _typed_cell(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _BEYOND_A_FLOAT:
        cell = int(cell)
    return '"' + str(cell).replace('"', '""') + '"'


def _text(cell: Cell) -> str:
    return trimmed(cell) if isinstance(cell, str) else str(cell)


def _raw(row: Sequence[Cell]) -> str:
    return ",".join(str(cell) for cell in row[:50])
