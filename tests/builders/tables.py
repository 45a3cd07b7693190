"""Spreadsheets as files, and imports of them in the test's own process."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from postroad.recipients import FileInput, ImportLimits, ImportReport, ImportRequest, Snapshot
from postroad.recipients.intake.pipeline import run_import

MOBILE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"mobile": {"type": "string", "pattern": r"^1\d{10}$"}},
    "required": ["mobile"],
}


def import_file(
    path: Path,
    *,
    key: tuple[str, ...] = (),
    mapping: Mapping[str, str] | None = None,
    schema: Mapping[str, Any] | None = None,
    limits: ImportLimits | None = None,
    write_accepted: bool = False,
    **source: Any,
) -> ImportReport:
    """`source` goes to FileInput."""
    request = ImportRequest(
        FileInput(path, **source),
        path.parent / "out",
        key=key,
        mapping=mapping or {},
        recipient_schema=schema,
        limits=limits or ImportLimits(),
        write_accepted=write_accepted,
    )
    return run_import(request, None, lambda _: None)


def import_text(folder: Path, content: str | bytes, *, name: str = "people.csv", **options: Any) -> ImportReport:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return import_file(path, **options)


def rows_of(snapshot: Snapshot) -> list[tuple[Any, ...]]:
    """(row, values of the columns) of every recipient, in order."""
    return duckdb.connect().execute(f"SELECT * FROM read_parquet('{snapshot.path}')").fetchall()


def problems_of(report: ImportReport) -> list[tuple[int, str, str]]:
    return [(problem.row, problem.column, problem.code) for problem in report.problem_samples]
