"""`postroad demo` and `postroad drill crash`."""

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from postroad.entrypoints.cli import options as opt
from postroad.entrypoints.cli.composition import Composition
from postroad.entrypoints.cli.texts import say


def add_commands(program: typer.Typer) -> None:
    program.command(help=say("Send to 10,000 made-up people through a lossy receiver, killed in the middle."))(demo)
    group = typer.Typer(name="drill", help=say("Faults as a tool."), no_args_is_help=True)
    group.command(help=say("Kill the sender again and again, and count at the receiver who was lost or got two."))(
        crash
    )
    program.add_typer(group)


Folder = Annotated[
    Path | None, typer.Option("--folder", metavar="FOLDER", help=say("Where to leave everything; else a new one."))
]


def demo(
    context: typer.Context,
    *,
    count: Annotated[int, typer.Option("--count", min=100, metavar="N", help=say("How many people."))] = 10_000,
    folder: Folder = None,
) -> None:
    from postroad.entrypoints.cli.show import console
    from postroad.entrypoints.cli.show import drills as shown
    from postroad.flows.drills import Demo

    composition: Composition = context.obj
    where = _empty(folder, "postroad-demo-")
    try:
        compared = Demo(composition.command, where, count, tell=shown.step).run()
    except RuntimeError as error:
        console.complain(say("the demonstration ended early: {error}", error=error))
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        console.tell(say("Stopped. Everything is left in {folder}", folder=where), "yellow")
        raise
    shown.ways_on(str(where), Path(sys.argv[0]))
    raise typer.Exit(1 if compared.lost or compared.doubled else 0)


def crash(
    context: typer.Context,
    *,
    kills: Annotated[int, typer.Option("--kills", min=1, metavar="N", help=say("How many kills in all."))] = 20,
    scenario: Annotated[
        list[str] | None,
        typer.Option("--scenario", metavar="NAME", help=say("http, workers, smtp or batch; else all.")),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help=say("Draws other moments."))] = 1,
    folder: Folder = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.show import console
    from postroad.entrypoints.cli.show import drills as shown
    from postroad.flows.drills import SCENARIOS, CrashDrill

    composition: Composition = context.obj
    names = scenario or list(SCENARIOS)
    for name in names:
        if name not in SCENARIOS:
            raise typer.BadParameter(
                say("there is no scenario `{name}`; there are: {known}", name=name, known=", ".join(SCENARIOS))
            )
    where = _empty(folder, "postroad-drill-")
    console.tell(say("Killing {n} times; faults are kept in {folder}", n=kills, folder=where))
    drill = CrashDrill(
        composition.command,
        where,
        seed,
        told=lambda name, found: console.tell(
            say("{name}: {kills} kills, {runs} runs", name=name, kills=found.kills, runs=found.runs), "dim"
        ),
    )
    reports = drill.campaign([SCENARIOS[name] for name in names], kills)
    shown.campaign(reports, as_json=as_json)
    raise typer.Exit(0 if all(found.is_passed for found in reports.values()) else 1)


def _empty(folder: Path | None, prefix: str) -> Path:
    if folder is None:
        return Path(tempfile.mkdtemp(prefix=prefix))
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise typer.BadParameter(say("{folder} is not empty", folder=folder))
    return folder.resolve()
