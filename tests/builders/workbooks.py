"""XLSX files as spreadsheet programs and careless programs make them."""

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl.worksheet.worksheet import Worksheet


def write_workbook(
    path: Path,
    rows: Sequence[Sequence[Any]],
    *,
    sheet: str = "Sheet1",
    change: Callable[[Worksheet], None] | None = None,
) -> Path:
    book = openpyxl.Workbook()
    page = book.active
    assert isinstance(page, Worksheet)
    page.title = sheet
    for row in rows:
        page.append(list(row))
    if change is not None:
        change(page)
    book.save(path)
    return path


def replace_part(path: Path, part: str, change: Callable[[bytes], bytes]) -> None:
    """Rewrites one part of the archive."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[part] = change(parts[part])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
