"""`postroad workspaces`: which there are, and which one is in use."""

import os
from dataclasses import replace

import typer

from postroad.entrypoints.cli.composition import Composition
from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.kinds import WORKSPACES
from postroad.entrypoints.cli.remote.access.opening import arguments_of, signed_in
from postroad.entrypoints.cli.texts import say


def commands() -> typer.Typer:
    group = typer.Typer(name="workspaces", help=say("Workspaces, and the one in use."), no_args_is_help=True)
    group.command("list", help=say("List the workspaces you are a member of."))(list_all)
    group.command(help=say("Use this workspace from now on."))(use)
    group.command(help=say("Make a workspace. For system administrators."))(create)
    return group


def list_all(
    context: typer.Context,
    *,
    name: opt.NameFilter = None,
    status: opt.StatusFilter = None,
    limit: opt.Limit = 50,
    cursor: opt.Cursor = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.show import cells, tables

    with signed_in(context) as service:
        found = service.listed("/workspaces", {"name": name, "status": status}, limit=limit, cursor=cursor)
        chosen = service.chosen
    columns = [
        tables.name_column(),
        tables.Column(say("status"), lambda one: cells.state(one["status"])),
        tables.Column(say("made"), lambda one: cells.local(one["createdAt"])),
        tables.Column(say("id"), lambda one: one["id"], folds=False),
        tables.Column("", lambda one: say("chosen") if one["id"] == chosen else ""),
    ]
    tables.listing(found, columns, arguments_of(context), as_json=as_json)


def use(context: typer.Context, *, name: opt.Named) -> None:
    from postroad.entrypoints.cli.remote.access.kept_session import find_session, keep_session
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.access.speaker import TOKEN_VARIABLE
    from postroad.entrypoints.cli.show import console
    from postroad.vocabulary.refusals import StateConflict

    composition: Composition = context.obj
    if os.environ.get(TOKEN_VARIABLE):
        raise StateConflict(say("a token is of one workspace; take {variable} away first", variable=TOKEN_VARIABLE))
    with signed_in(context) as service:
        found = get_one(service, WORKSPACES, name)
    session = find_session(composition.home)
    assert session is not None
    keep_session(composition.home, replace(session, workspace_id=found["id"], workspace_name=found["name"]))
    console.tell(say("Workspace: {name}", name=found["name"]))


def create(context: typer.Context, *, name: opt.NewName, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.show import console

    with signed_in(context) as service:
        made = service.post("/workspaces", {"name": name})
    console.tell(say("Made: {name}", name=made["name"]), "green")
    if as_json:
        console.print_json(made)
