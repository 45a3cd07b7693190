"""From the context of a command to the service. Nothing heavy is loaded before it is needed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from postroad.entrypoints.cli.composition import Composition

if TYPE_CHECKING:
    from postroad.entrypoints.cli.remote.access.service import Service


@contextmanager
def signed_in(context: typer.Context) -> "Iterator[Service]":
    """The service of whoever is signed in. Raises AuthenticationRequired, ConfigInvalid."""
    from postroad.entrypoints.cli.remote.access.service import Service
    from postroad.entrypoints.cli.remote.access.speaker import get_speaker

    composition: Composition = context.obj
    with Service(get_speaker(composition.home, os.environ), composition.egress) as service:
        yield service


def arguments_of(context: typer.Context) -> list[str]:
    """The command line after the program's name."""
    composition: Composition = context.obj
    return list(composition.arguments)
