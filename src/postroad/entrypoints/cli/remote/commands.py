"""All commands that speak to the service."""

import typer

from postroad.entrypoints.cli.remote.administration import audit, members, signing, tokens, users, workspaces


def add_commands(program: typer.Typer) -> None:
    signing.add_commands(program)
    for owner in (workspaces, members, users, tokens, audit):
        program.add_typer(owner.commands())
