"""`postroad tokens`: what programs sign in with."""

from typing import Annotated

import typer

from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.kinds import TOKENS
from postroad.entrypoints.cli.remote.access.opening import arguments_of, signed_in
from postroad.entrypoints.cli.texts import say


def commands() -> typer.Typer:
    group = typer.Typer(name="tokens", help=say("Tokens for programs, in this workspace."), no_args_is_help=True)
    group.command("list", help=say("List your tokens; for administrators those of everybody."))(list_all)
    group.command(help=say("Make a token for a program. It is shown this once."))(create)
    group.command(help=say("End a token, from the next request on."))(revoke)
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
        found = service.listed("api-tokens", {"name": name, "status": status}, limit=limit, cursor=cursor)
    columns = [
        tables.name_column(),
        tables.Column(say("username"), lambda one: one["username"]),
        tables.Column(say("begins with"), lambda one: one["shown"], folds=False),
        tables.Column(say("may"), lambda one: one["scopes"]),
        tables.Column(say("status"), lambda one: cells.state(one["status"])),
        tables.Column(say("until"), lambda one: cells.local(one["expiresAt"])),
        tables.Column(say("last used"), lambda one: cells.local(one["lastUsedAt"])),
    ]
    tables.listing(found, columns, arguments_of(context), as_json=as_json)


def create(
    context: typer.Context,
    *,
    name: opt.NewName,
    scopes: Annotated[
        list[str],
        typer.Option("--scope", metavar="SCOPE", help=say("What it may do, such as runs:read; given once for each.")),
    ],
    days: Annotated[int, typer.Option("--days", min=1, max=366, metavar="N", help=say("How long it is good."))] = 90,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.show import cells
    from postroad.entrypoints.cli.show import console

    with signed_in(context) as service:
        made = service.post("api-tokens", {"name": name, "scopes": scopes, "expiresInDays": days})
    console.tell(
        say("Keep it now, it is not shown again. It is good until {until}:", until=cells.local(made["expiresAt"]))
    )
    if as_json:
        console.print_json(made)
    else:
        typer.echo(made["token"])


def revoke(context: typer.Context, *, name: opt.Named, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.show import tables

    with signed_in(context) as service:
        token = get_one(service, TOKENS, name)
        token = service.change("DELETE", path_of("api-tokens", token["id"]), None)
    tables.done(say("Revoked: {name}", name=token["name"]), token, as_json=as_json)
