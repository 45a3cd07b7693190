"""The commands that run and tend a service on this machine."""

import typer

from postroad.entrypoints.cli.service.keys import commands
from postroad.entrypoints.cli.service.serve import add_commands as add_serve


def add_commands(program: typer.Typer) -> None:
    add_serve(program)
    program.add_typer(commands())
