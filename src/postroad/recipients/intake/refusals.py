"""Why an import gave nobody, said so that a person can mend it."""

from postroad.recipients.intake.problems import ProblemLog
from postroad.recipients.reading.records import Block, Origin
from postroad.vocabulary.errors import AudienceInvalid


def no_columns(first: Block) -> AudienceInvalid:
    """For an input whose records name their columns, where none does."""
    if not first.broken:
        return AudienceInvalid("the input has no rows", field="file")
    line = first.broken[0]
    return AudienceInvalid(
        f"no line of the input names a field: {line.reason} (line {line.row}); write one object a line, such as "
        '{"name": "Bo", "phone": "…"}',
        field="file",
        row=line.row,
    )


def nothing_accepted(origin: Origin, header_row: int, rows: int, problems: ProblemLog) -> AudienceInvalid:
    where = f"sheet {origin.sheet!r}" if origin.sheet else "the table"
    if rows == 0:
        below = f" below its header in row {header_row}" if header_row else ""
        other = "; is it the right sheet?" if origin.sheet else ""
        return AudienceInvalid(f"{where} has no rows{below}{other}", field="file")
    reasons = "; ".join(
        f"{reason.count} × {reason.code}{f' in {_shown(reason.column)!r}' if reason.column else ''}"
        f" (first in row {reason.example_row})"
        for reason in problems.top_reasons()[:3]
    )
    often = problems.top_reasons()[0].code
    sample = next((one for one in problems.samples if one.code == often), problems.samples[0])
    return AudienceInvalid(
        f"all {rows:,} rows of {where} were rejected: {reasons}. Row {sample.row}: {sample.reason}",
        field="file",
        row=sample.row,
    )


def _shown(column: str) -> str:
    """A name whose bytes are not those of the encoding, as far as it can be shown."""
    return column.encode("utf-8", "replace").decode()
