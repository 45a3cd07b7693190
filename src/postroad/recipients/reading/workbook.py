"""XLSX sheets as records: exact digits, ISO dates, stored values of formulas, merged cells filled.

A number of more than 15 digits has already lost its end inside the workbook, so its row is rejected instead of sent to
somebody else. A merged range shows one value over all its cells, and so it reads here. The archive is unpacked once for
its size and its used area before anything parses it, and parsing may take no more address space than
`_PARSER_BYTES`.
"""

import datetime
import resource
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from postroad.recipients.reading.records import Block, Cell, CellFault, Origin
from postroad.recipients.reading.sheet_xml import SheetFacts, look_through
from postroad.recipients.request import FileInput, ImportLimits
from postroad.vocabulary.errors import AudienceInvalid

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

_BLOCK_ROWS = 4_096
_PARSER_BYTES = 1 << 30
_MOST_CELLS = 24_000_000
_EXACT = 10**15
_ERRORS = frozenset({"#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!"})

_BROKEN_ARCHIVE = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError)
"""RuntimeError: an encrypted entry, or (NotImplementedError) a kind of archive that nobody writes."""

_NO_VALUE = "the formula has no stored value; open the file in a spreadsheet program and save it"
_ERROR = "the formula shows an error"
_LOST = "precision lost: a numeric cell keeps 15 digits; format the column as text and enter it again"

RawCell = str | int | float | bool | datetime.datetime | datetime.date | datetime.time | datetime.timedelta


class Workbook:
    columns: Sequence[str] | None = None
    ragged = False

    def __init__(self, source: FileInput, limits: ImportLimits) -> None:
        _check_unpacked_size(source, limits.max_unpacked_bytes)
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (_address_space_now() + _PARSER_BYTES, before[1]))
        try:
            book = _open(source)
            self._sheet, facts = _choose_sheet(book, source)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)
        self._missing, self._wrong = facts.without_value, facts.errors
        self.origin = Origin(format="xlsx", sheet=self._sheet.name)

    def blocks(self) -> Iterator[Block]:
        if self._sheet.start is None:
            return
        first_column = self._sheet.start[1]  # rows come from the top of the sheet, columns from the first used one
        merged = _merged_cells(self._sheet)
        if merged:
            self.origin.warnings.append(f"{len(merged)} cells of merged ranges take the value the sheet shows for them")
        special = merged.keys() | self._missing | self._wrong.keys()
        shown: dict[tuple[int, int], Cell] = {}
        wanted = set(merged.values())
        numbers: list[int] = []
        rows: list[list[Cell]] = []
        for index, raw in enumerate(self._sheet.iter_rows()):
            cells = [_cell(value) for value in raw]
            if special or wanted:
                self._patch(cells, (index, first_column), merged, shown, wanted)
            numbers.append(index + 1)
            rows.append(cells)
            if len(rows) == _BLOCK_ROWS:
                yield Block(numbers, rows, suspicious=True)
                numbers, rows = [], []
        if rows:
            yield Block(numbers, rows, suspicious=True)

    def _patch(
        self,
        cells: list[Cell],
        at: tuple[int, int],
        merged: dict[tuple[int, int], tuple[int, int]],
        shown: dict[tuple[int, int], Cell],
        wanted: set[tuple[int, int]],
    ) -> None:
        row, first_column = at
        for offset in range(len(cells)):
            place = (row, first_column + offset)
            if place in self._missing:
                cells[offset] = CellFault("FORMULA_WITHOUT_VALUE", _NO_VALUE, "")
            elif place in self._wrong:
                cells[offset] = CellFault("FORMULA_ERROR", _ERROR, self._wrong[place])
            if place in wanted:
                shown[place] = cells[offset]
            elif place in merged:
                cells[offset] = shown.get(merged[place], "")


def _open(source: FileInput) -> "CalamineWorkbook":
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        return CalamineWorkbook.from_path(str(source.path))
    except PasswordError:
        raise AudienceInvalid("the workbook has a password; save it without one", field="file") from None
    except CalamineError as error:
        raise AudienceInvalid(f"the workbook cannot be read: {error}", field="file") from None


def _choose_sheet(book: "CalamineWorkbook", source: FileInput) -> "tuple[CalamineSheet, SheetFacts]":
    names = book.sheet_names
    if source.sheet is not None and source.sheet not in names:
        raise AudienceInvalid(
            f"there is no sheet {source.sheet!r}; the workbook has {', '.join(map(repr, names))}", field="sheet"
        )
    for name in _shown_first(book) if source.sheet is None else [source.sheet]:
        facts = _facts(source, name)
        if facts.last_row * facts.last_column > _MOST_CELLS:
            raise AudienceInvalid(
                f"the used area of sheet {name!r} is {facts.last_row:,} rows by {facts.last_column:,} columns; delete "
                "what stands far away from the table, or save the sheet as CSV",
                field="sheet",
            )
        sheet = _read_sheet(book, name)
        if sheet.start is not None or source.sheet is not None:
            return sheet, facts
    raise AudienceInvalid(f"every sheet is empty: {', '.join(map(repr, names))}", field="sheet")


def _facts(source: FileInput, sheet: str) -> SheetFacts:
    try:
        return look_through(source.path, sheet)
    except _BROKEN_ARCHIVE as error:
        raise AudienceInvalid(f"the workbook is damaged: {error}", field="file") from None


def _shown_first(book: "CalamineWorkbook") -> list[str]:
    """A hidden sheet is what somebody put away: it is only read where no other holds anything."""
    from python_calamine import SheetVisibleEnum

    return [entry.name for entry in sorted(book.sheets_metadata, key=lambda e: e.visible != SheetVisibleEnum.Visible)]


def _read_sheet(book: "CalamineWorkbook", name: str) -> "CalamineSheet":
    from python_calamine import CalamineError

    try:
        return book.get_sheet_by_name(name)
    except CalamineError as error:
        raise AudienceInvalid(
            f"sheet {name!r} cannot be read: {error}; open the workbook in a spreadsheet program and save it again",
            field="sheet",
        ) from None


def _check_unpacked_size(source: FileInput, limit: int) -> None:
    """Counts what the archive really unpacks to: the sizes it declares may lie."""
    total = 0
    try:
        with zipfile.ZipFile(source.path) as archive, source.path.open("rb") as raw:
            for entry in archive.infolist():
                if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise AudienceInvalid("the workbook is packed in a way no spreadsheet program uses", field="file")
                raw.seek(entry.header_offset + 26)
                name, extra = (int.from_bytes(raw.read(2), "little") for _ in range(2))
                raw.seek(name + extra, 1)
                left = entry.compress_size
                inflate = zlib.decompressobj(-15) if entry.compress_type == zipfile.ZIP_DEFLATED else None
                while left > 0 and (piece := raw.read(min(left, 1 << 16))):
                    left -= len(piece)
                    total += len(piece) if inflate is None else _unpacked(inflate, piece, limit - total)
                    if total > limit:
                        raise AudienceInvalid(
                            f"the workbook unpacks to more than {limit:,} bytes; split it or save it as CSV",
                            field="file",
                        )
    except _BROKEN_ARCHIVE as error:
        raise AudienceInvalid(f"the file is no XLSX workbook: {error}", field="file") from None


def _unpacked(inflate: "zlib._Decompress", piece: bytes, room: int) -> int:
    size = 0
    while piece and size <= room:
        size += len(inflate.decompress(piece, 1 << 18))
        piece = inflate.unconsumed_tail
    return size


def _merged_cells(sheet: "CalamineSheet") -> dict[tuple[int, int], tuple[int, int]]:
    cells: dict[tuple[int, int], tuple[int, int]] = {}
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or []:
        if (bottom - top + 1) * (right - left + 1) > 1_000_000:
            raise AudienceInvalid("a merged range covers more than a million cells; undo the merge", field="file")
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                if (row, column) != (top, left):
                    cells[row, column] = (top, left)
    return cells


def _cell(value: RawCell) -> Cell:
    if isinstance(value, str):
        return CellFault("FORMULA_ERROR", _ERROR, value) if value in _ERRORS else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    return _moment_text(value)


def number_text(value: int | float) -> Cell:
    """The digits a spreadsheet keeps: 15 of them, no exponent, no `.0`."""
    if not abs(value) < _EXACT:  # NaN too
        return CellFault("PRECISION_LOST", _LOST, str(value))
    whole = int(value)
    if whole == value:
        return str(whole)
    text = f"{value:.15g}"
    return f"{value:.20f}".rstrip("0") if "e" in text else text


def _moment_text(value: datetime.datetime | datetime.date | datetime.time | datetime.timedelta) -> str:
    if isinstance(value, datetime.datetime):
        at_midnight = value.time() == datetime.time()
        return value.date().isoformat() if at_midnight else value.isoformat(timespec="auto")
    if isinstance(value, datetime.timedelta):
        seconds = round(value.total_seconds())
        return f"{seconds // 3600}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}"
    return value.isoformat()


def _address_space_now() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()
