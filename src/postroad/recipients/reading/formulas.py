"""Finds formulas that were never calculated: a workbook made by a program may hold the formula without its value.

A reader would show such a cell as empty, and the recipient would get a message with a hole. Source: ECMA-376 part 1,
§18.3.1.4 (`c`), §18.3.1.40 (`f`).
"""

import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_PIECE = 1 << 20
_WITHOUT_VALUE = re.compile(
    rb'<c\s[^>]*?r="([A-Z]+)(\d+)"[^>]*>\s*<f(?:\s[^>]*)?(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>'
)


def formulas_without_value(workbook: Path, sheet: str) -> set[tuple[int, int]]:
    """(row, column) from 0 of each such cell. Empty where the workbook is laid out in a way we do not know."""
    with zipfile.ZipFile(workbook) as archive:
        part = _part_of(archive, sheet)
        if part is None:
            return set()
        found: set[tuple[int, int]] = set()
        held = b""
        with archive.open(part) as xml:
            while piece := xml.read(_PIECE):
                held += piece
                if b"<f" in held:
                    found.update((int(m[2]) - 1, _column(m[1])) for m in _WITHOUT_VALUE.finditer(held))
                held = held[held.rfind(b"<c ") :] if b"<c " in held else held[-_PIECE:]
    return found


def _part_of(archive: zipfile.ZipFile, sheet: str) -> str | None:
    try:
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
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
