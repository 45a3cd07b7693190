"""Audiences, what was found in a file, and recipients."""

from postroad.entrypoints.cli.remote.access.service import Wire
from postroad.entrypoints.cli.remote.show import cells, tables
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say

DUPLICATE = "DUPLICATE"
"""A reason why a row was left out, but not one that rejects it."""
OUTCOMES = {"CREATED": "made", "CHANGED": "changed", "UNCHANGED": "as it was"}


def columns() -> list[tables.Column]:
    return [
        tables.name_column(),
        tables.Column(say("recipients"), lambda one: one["recordCount"]),
        tables.Column(say("snapshot"), lambda one: one["snapshotRevision"]),
        tables.Column(say("from"), _came_from),
        tables.Column(say("status"), lambda one: cells.state(one["status"])),
        tables.Column(say("last change"), lambda one: cells.local(one["updatedAt"]), folds=False),
    ]


def one(audience: Wire, snapshot: Wire, *, as_json: bool) -> None:
    if as_json:
        console.print_json(audience | {"snapshot": snapshot})
        return
    tables.facts(
        [
            (say("name"), audience["name"]),
            (say("recipients"), audience["recordCount"]),
            (say("snapshot"), audience["snapshotRevision"]),
            (say("from"), _came_from(audience)),
            (say("key"), audience["key"]),
            (say("columns"), snapshot["columns"]),
            (say("status"), cells.state(audience["status"])),
            (say("last change"), cells.local(audience["updatedAt"])),
            (say("id"), audience["id"]),
        ]
    )
    tables.document(say("mapping"), audience["mapping"])


def kept(audience: Wire, outcome: str, report: Wire | None) -> None:
    """An audience after its people came, and what was in the file."""
    if report is not None:
        _report(report)
    console.tell(
        say(
            "Audience {name}: {outcome}, snapshot {revision}, recipients {n}",
            name=audience["name"],
            outcome=say(OUTCOMES.get(outcome, outcome)),
            revision=audience["snapshotRevision"],
            n=console.number(audience["recordCount"]),
        ),
        "green",
    )


def as_json(audience: Wire, outcome: str, report: Wire | None) -> None:
    console.print_json({"outcome": outcome, "audience": audience, "report": report})


def rows(found: Wire, *, as_json: bool) -> None:
    if as_json:
        console.print_json(found)
        return
    names = list(found["items"][0]["fields"]) if found["items"] else []
    table = console.plain_table(say("row"), *names)
    for item in found["items"]:
        table.add_row(str(item["row"]), *(cells.plain(_text(item["fields"].get(name))) for name in names))
    console.results.print(table)
    told = say("{n} of {total}", n=console.number(len(found["items"])), total=console.number(found["total"]))
    if found["nextFirst"] is not None:
        told = f"{told}; {say('go on with --first {n}', n=found['nextFirst'])}"
    console.tell(told, "dim")


def _report(report: Wire) -> None:
    table = console.plain_table("", "")
    for name in ("rows", "accepted", "duplicates", "rejected"):
        table.add_row(say(name), console.number(report[name]))
    if report["encoding"]:
        read_as = f"{report['encoding']} {report['delimiter']!r}" if report["delimiter"] else report["encoding"]
        table.add_row(say("read as"), cells.plain(read_as))
    table.add_row(say("columns"), ", ".join(cells.plain(column["name"]) for column in report["columns"]))
    console.people.print(table)
    for warning in report["warnings"]:
        console.tell(cells.plain(warning), "yellow")
    for reason in report["topReasons"]:
        if reason["code"] != DUPLICATE:
            why = cells.plain(" ".join(filter(None, (reason["code"], reason["column"]))))
            console.tell(say("left out {n} ×: {reason}", n=console.number(reason["count"]), reason=why), "red")


def _came_from(audience: Wire) -> str:
    source = audience["source"]
    match source["type"]:
        case "FILE":
            return str(source["fileName"])
        case "QUERY":
            return say("a query")
        case "SYNTHETIC":
            return say("made up")
        case _:
            return say("rows of a request")


def _text(value: object) -> object:
    return "" if value is None else value
