"""`postroad keys`: the master keys of a service on this machine."""

import os
from pathlib import Path
from typing import Annotated

import typer

from postroad.entrypoints.cli.composition import Composition, KeyDesk
from postroad.entrypoints.cli.options import AsJson
from postroad.entrypoints.cli.service.options import Config, DataDir
from postroad.entrypoints.cli.texts import say


def commands() -> typer.Typer:
    group = typer.Typer(name="keys", help=say("Keys that the service encrypts its secrets with."), no_args_is_help=True)
    group.command(help=say("Show the versions of the key ring, and which of them are needed."))(status)
    group.command(help=say("Add a version and encrypt with it from now on; the service goes on running."))(rotate)
    group.command(help=say("Forget a version for good, when no stored secret needs it."))(drop)
    return group


def status(context: typer.Context, *, data_dir: DataDir = None, config: Config = None, as_json: AsJson = False) -> None:
    from postroad.entrypoints.cli.show import console

    desk = _desk(context, data_dir, config)
    versions = desk.versions()
    if as_json:
        console.print_json({"file": str(desk.file), "versions": versions})
        return
    table = console.plain_table(say("version"), "", say("stored secrets"))
    for one in versions:
        needed = say("need it") if one.is_needed else say("need it not")
        table.add_row(one.name, say("active") if one.is_active else say("kept"), needed)
    console.results.print(table)
    console.tell(say("Back it up apart from the database: {file}", file=desk.file), "dim")


def rotate(
    context: typer.Context,
    *,
    signing: Annotated[
        bool,
        typer.Option("--signing", help=say("Also for what is signed, where somebody may have seen the key ring.")),
    ] = False,
    data_dir: DataDir = None,
    config: Config = None,
) -> None:
    from postroad.entrypoints.cli.show import console

    desk = _desk(context, data_dir, config)
    version = desk.rotate(signing=signing)
    console.tell(
        say("{version} is active. Back the key ring up again: {file}", version=version, file=desk.file), "green"
    )
    console.tell(say("A running service encrypts its secrets anew within minutes; see: postroad keys status"))
    if signing:
        console.tell(say("Lists that are being read and confirmations that wait must begin again."), "yellow")


def drop(
    context: typer.Context,
    *,
    version: Annotated[str, typer.Argument(metavar="VERSION", help=say("As `postroad keys status` shows it."))],
    data_dir: DataDir = None,
    config: Config = None,
) -> None:
    from postroad.entrypoints.cli.show import console

    desk = _desk(context, data_dir, config)
    desk.drop(version)
    console.tell(say("{version} is gone. Backups from before need it still.", version=version))


def _desk(context: typer.Context, data_dir: Path | None, config: Path | None) -> KeyDesk:
    from postroad.entrypoints.cli.composition import ServeOptions

    composition: Composition = context.obj
    flags = {} if data_dir is None else {"dataDir": str(data_dir)}
    return composition.keys(ServeOptions(config, flags, os.environ))
