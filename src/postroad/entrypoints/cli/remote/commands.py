"""All commands that speak to the service."""

import typer

from postroad.entrypoints.cli.remote.administration import (
    audit,
    deliveries,
    members,
    signing,
    tokens,
    users,
    workspaces,
)
from postroad.entrypoints.cli.remote.configuration import accounts, artifacts, audiences, messages, secrets
from postroad.entrypoints.cli.remote.sending import jobs, runs, schedules


def add_commands(program: typer.Typer) -> None:
    signing.add_commands(program)
    for owner in (jobs, runs, schedules, accounts, messages, audiences, secrets, artifacts):
        program.add_typer(owner.commands())
    for owner in (workspaces, members, users, tokens, audit, deliveries):
        program.add_typer(owner.commands())
