"""`postroad serve`: the service, until it is stopped."""

import os
from typing import Annotated

import typer

from postroad.entrypoints.cli.composition import Composition
from postroad.entrypoints.cli.service.options import Config, DataDir
from postroad.entrypoints.cli.texts import say


def add_commands(program: typer.Typer) -> None:
    program.command(help=say("Run the service: API, schedules and sending, in one process."))(serve)


def serve(
    context: typer.Context,
    *,
    host: Annotated[
        str | None, typer.Option("--host", metavar="ADDRESS", help=say("Address to listen on; else 127.0.0.1."))
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, metavar="N", help=say("Port; else 18990. 0: a free one."))
    ] = None,
    data_dir: DataDir = None,
    config: Config = None,
) -> None:
    from postroad.entrypoints.cli.composition import ServeOptions
    from postroad.entrypoints.cli.service import banner

    composition: Composition = context.obj
    given = {"server.host": host, "server.port": port, "dataDir": data_dir}
    flags = {path: str(value) for path, value in given.items() if value is not None}
    raise typer.Exit(composition.serve(ServeOptions(config, flags, os.environ), banner.started))
