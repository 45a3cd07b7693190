"""What an import found in a file."""

from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say
from postroad.flows.local_runs import AudienceFacts


def facts(found: AudienceFacts, *, as_json: bool) -> None:
    table = console.plain_table("", "")
    table.add_row(say("rows"), console.number(found.rows))
    table.add_row(say("accepted"), console.number(found.accepted))
    table.add_row(say("duplicates"), console.number(found.duplicates))
    table.add_row(say("rejected"), console.number(found.rejected))
    if found.encoding:
        table.add_row(say("read as"), f"{found.encoding} {found.delimiter!r}" if found.delimiter else found.encoding)
    table.add_row(say("columns"), ", ".join(found.columns))
    console.people.print(table)
    for warning in found.warnings:
        console.tell(warning, "yellow")
    for reason, times in found.reasons:
        console.tell(say("left out {n} ×: {reason}", n=console.number(times), reason=reason), "red")
    _samples(found)
    if found.errors_file is not None:
        console.tell(say("Every rejected row: {file}", file=found.errors_file))
    if as_json:
        console.print_json(found)


def _samples(found: AudienceFacts) -> None:
    if not found.samples:
        return
    console.tell(say("The first accepted rows:"), "bold")
    table = console.plain_table(*found.columns)
    for row in found.samples[:5]:
        table.add_row(*("" if row.get(name) is None else str(row.get(name)) for name in found.columns))
    console.people.print(table)
