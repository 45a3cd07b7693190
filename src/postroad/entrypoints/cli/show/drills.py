"""The story of the demonstration and the figures of a drill."""

import shutil
from collections.abc import Mapping
from os.path import normpath
from pathlib import Path

from rich.text import Text

from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say
from postroad.flows.drills import (
    OUTCOMES,
    Accounted,
    DrillReport,
    Killed,
    PeopleMade,
    Sending,
    Step,
    UnknownExplained,
)


def step(told: Step) -> None:
    """One step of the demonstration, as it happens."""
    match told:
        case PeopleMade():
            _heading(say("A spreadsheet as an office saves it"))
            console.tell(
                say(
                    "{file}: {rows} rows in {encoding}, three people twice, two rows broken",
                    file=told.file,
                    rows=console.number(told.rows),
                    encoding=told.encoding,
                )
            )
        case Sending():
            _heading(
                say("The same again after the kill")
                if told.resumed
                else say("Sending through a receiver that loses answers")
            )
            console.tell("$ " + " ".join(told.command), "dim")
        case Killed():
            _heading(say("Killed in the middle (kill -9)"))
            console.tell(
                say(
                    "process {pid} is gone; {n} messages had arrived at the receiver by then",
                    pid=told.process,
                    n=console.number(told.arrived),
                ),
                "red",
            )
        case Accounted():
            _accounted(told)
        case UnknownExplained():
            _explained(told)


def _heading(text: str) -> None:
    console.people.print()
    console.people.print(Text(f"── {text}", style="bold"))


def _accounted(told: Accounted) -> None:
    _heading(say("What the receiver counted, against what the sender says"))
    compared = told.comparison
    table = console.plain_table(say("outcome"), say("recipients"))
    for name in OUTCOMES:
        table.add_row(Text(say(name), style=console.OUTCOME_STYLES[name]), console.number(compared.counts[name]))
    table.add_row(say("total"), console.number(told.total))
    console.people.print(table)
    good = not (compared.lost or compared.doubled)
    console.tell(
        say("lost {lost}, sent a second copy {doubled}", lost=compared.lost, doubled=compared.doubled),
        "bold green" if good else "bold red",
    )
    for example in compared.examples:
        console.tell(example, "red")


def _explained(told: UnknownExplained) -> None:
    _heading(say("One UNKNOWN, explained"))
    console.tell(", ".join(f"{name}={value}" for name, value in told.row.items() if value))
    for file, line in told.lines:
        console.tell(f"{file}: {line}", "dim")
    console.tell(
        say(
            "The message to this recipient had left when the line was cut or the process was killed, and no answer"
            " came back. Here the receiver can be asked: {copies} arrived. In life nobody can, so it is listed"
            " by name and never sent again without your word.",
            copies=told.copies,
        )
    )


def ways_on(folder: str, started: Path) -> None:
    """`started` is the program as it was called: from a folder where the shell does not look for it, the first way on
    is to name that folder.
    """
    _heading(say("Now with your own file"))
    console.tell(say("Everything is left in {folder}", folder=folder))
    if shutil.which("postroad") is None and started.name == "postroad":
        console.tell(f'export PATH="{Path(normpath(started.absolute())).parent}:$PATH"')
    console.tell("postroad init http > job.yaml")
    console.tell("postroad send job.yaml --audience YOUR-FILE.xlsx --dry-run")


def campaign(reports: Mapping[str, DrillReport], *, as_json: bool) -> None:
    table = console.plain_table(
        *map(
            say,
            ("scenario", "kills", "runs", "total", "lost", "doubled", "misreported", "unknown", "allowed", "in flight"),
        )
    )
    for name, found in reports.items():
        figures = (
            found.kills,
            found.runs,
            found.total,
            found.lost,
            found.doubled,
            found.misreported,
            found.unknown,
            found.unknown_allowed,
            found.in_flight_max,
        )
        table.add_row(Text(name, style="green" if found.is_passed else "red"), *map(console.number, figures))
    console.people.print(table)
    for found in reports.values():
        for example in found.examples:
            console.tell(example, "red")
    if as_json:
        console.print_json(document(reports))


def document(reports: Mapping[str, DrillReport]) -> dict[str, object]:
    def total(name: str) -> int:
        return sum(getattr(found, name) for found in reports.values())

    return {
        "lost": total("lost"),
        "doubled": total("doubled"),
        "misreported": total("misreported"),
        "unknown": total("unknown"),
        "unknownAllowed": total("unknown_allowed"),
        "inFlightMax": max((found.in_flight_max for found in reports.values()), default=0),
        "kills": total("kills"),
        "killsInFlight": total("kills_in_flight"),
        "runs": total("runs"),
        "total": total("total"),
        "passed": all(found.is_passed for found in reports.values()),
    }
