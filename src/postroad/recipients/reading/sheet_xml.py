"""Looks through a sheet's XML once, before anything parses it.

Three things are found: how far the used area reaches, because a parser takes memory for every cell of it; formulas
that were never calculated; and cells that show an error such as #N/A. A workbook made by a program may hold a formula
without its value. A reader would show both kinds of cell as empty, and the recipient would get a message with a hole.
Source: ECMA-376 part 1, §18.3.1.4 (`c`), §18.3.1.40 (`f`), §18.3.1.73 (`row`), §18.18.11 (`t="e"`).
"""

import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_PIECE = 1 << 20
_ROW = re.compile(rb'<row\s[^>]*?r="(\d{1,9})"')
_FAR_COLUMN = re.compile(rb'r="([A-Z]{2,7})\d')
_WITHOUT_VALUE = re.compile(
    rb'<c\s[^>]*?r="([A-Z]+)(\d+)"[^>]*>\s*<f(?:\s[^>]*)?(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>'
)
_ERROR = re.compile(
    rb'<c\s(?=[^>]*?t="e")[^>]*?r="([A-Z]+)(\d+)"[^>]*>(?:<f(?:\s[^>]*)?(?:/>|>[^<]*</f>))?<v>([^<]*)</v>'
)


@dataclass(slots=True)
class SheetFacts:
    last_row: int = 0
    last_column: int = 0
    """At least; not counted exactly below 27."""
    without_value: set[tuple[int, int]] = field(default_factory=set)
    """(row, column) from 0 of formulas without a stored value."""
    errors: dict[tuple[int, int], str] = field(default_factory=dict)
    """(row, column) from 0 → what the cell shows instead of a value."""


def look_through(workbook: Path, sheet: str) -> SheetFacts:
    """Knows nothing where the workbook is laid out in a way we do not know."""
    facts = SheetFacts()
    with zipfile.ZipFile(workbook) as archive:
        part = _part_of(archive, sheet)
        if part is None:
            return facts
        held = b""
        with archive.open(part) as xml:
            while piece := xml.read(_PIECE):
                held += piece
                _note(held, facts)
                held = held[max(held.rfind(b"<c "), held.rfind(b"<row "), 0) :][-_PIECE:]
    return facts


def _note(xml: bytes, facts: SheetFacts) -> None:
    facts.last_row = max(facts.last_row, max(map(int, _ROW.findall(xml)), default=0))
    wide = max(map(_column, set(_FAR_COLUMN.findall(xml))), default=-1) + 1
    facts.last_column = max(facts.last_column, wide, 26 if b"<c " in xml else 0)
    if b"<f" in xml:
        facts.without_value.update((int(m[2]) - 1, _column(m[1])) for m in _WITHOUT_VALUE.finditer(xml))
    if b't="e"' in xml:
        facts.errors.update(
            ((int(m[2]) - 1, _column(m[1])), m[3].decode("utf-8", "replace")) for m in _ERROR.finditer(xml)
        )


def _part_of(archive: zipfile.ZipFile, sheet: str) -> str | None:
    try:
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))  # noqa: S314  (recipients: expat bounds expansion, sizes are checked before; until 2027-11-30)
        links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))  # noqa: S314  (recipients: expat bounds expansion, sizes are checked before; until 2027-11-30)
    except (KeyError, ElementTree.ParseError):
        return None
    wanted = next((entry.get(_LINK) for entry in book.iter(f"{_MAIN}sheet") if entry.get("name") == sheet), None)
    target = next((link.get("Target") for link in links if wanted and link.get("Id") == wanted), None)
    if not target:
        return None
    part = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    return part if part in archive.namelist() else None


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1
