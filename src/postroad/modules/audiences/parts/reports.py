"""What reading an import said: the report for the table, the preview for a file, because recipients stand in it."""

from typing import Any

from postroad.modules.audiences.parts.storable import storable
from postroad.recipients import ImportReport
from postroad.vocabulary.values import FileRef, RecipientValue


def report_json(report: ImportReport) -> dict[str, Any]:
    """Counts, guesses and reasons. No value of a recipient."""
    found: dict[str, Any] = storable(
        {
            "rows": report.rows,
            "accepted": report.accepted,
            "duplicates": report.duplicates,
            "rejected": report.rejected,
            "columns": [
                {"name": column.name, "also": list(column.also), "guessed": column.guessed} for column in report.columns
            ],
            "key": list(report.key),
            "format": report.format,
            "encoding": report.encoding,
            "encoding_guessed": report.encoding_guessed,
            "delimiter": report.delimiter,
            "quote": report.quote,
            "sheet": report.sheet,
            "header_row": report.header_row,
            "warnings": list(report.warnings),
            "top_reasons": [
                {"code": top.code, "column": top.column, "count": top.count, "example_row": top.example_row}
                for top in report.top_reasons
            ],
        }
    )
    return found


def preview_json(report: ImportReport) -> dict[str, Any]:
    """The first accepted rows and the first problems, twenty each."""
    found: dict[str, Any] = storable(
        {
            "accepted": [
                {"row": sample.row, "fields": {name: shown(value) for name, value in sample.fields.items()}}
                for sample in report.accepted_samples
            ],
            "problems": [
                {
                    "row": problem.row,
                    "column": problem.column,
                    "code": problem.code,
                    "reason": problem.reason,
                    "value": problem.value,
                }
                for problem in report.problem_samples
            ],
        }
    )
    return found


def shown(value: RecipientValue) -> str | int | float | bool | None:
    """A field's value as JSON has it."""
    return value.path if isinstance(value, FileRef) else value
