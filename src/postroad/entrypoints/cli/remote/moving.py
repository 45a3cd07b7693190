"""Commands that only move a thing: archive, enable, disable. Each reads it first and moves what it read."""

from collections.abc import Callable

import typer

from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.kinds import Kind
from postroad.entrypoints.cli.remote.access.opening import signed_in
from postroad.entrypoints.cli.texts import say

ARCHIVE = "archive"


def move(kind: Kind, verb: str) -> Callable[..., None]:
    """The command for `verb`: `archive` deletes in the words of the API, the others are posted."""

    def command(context: typer.Context, *, name: opt.Named, as_json: opt.AsJson = False) -> None:
        from postroad.entrypoints.cli.remote.access.naming import get_one
        from postroad.entrypoints.cli.remote.access.service import path_of
        from postroad.entrypoints.cli.remote.show import tables

        with signed_in(context) as service:
            found = get_one(service, kind, name)
            path = path_of(kind.path, found["id"])
            if verb == ARCHIVE:
                moved = service.change("DELETE", path, found["version"])
            else:
                moved = service.change("POST", f"{path}/{verb}", found["version"])
        line = say("{name} is {status} now.", name=moved["name"], status=moved["status"])
        tables.done(line, moved, as_json=as_json)

    return command
