"""`postroad users`: who may sign in at all. For system administrators."""

from typing import Annotated

import typer

from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.kinds import USERS
from postroad.entrypoints.cli.remote.access.opening import arguments_of, signed_in
from postroad.entrypoints.cli.texts import say

Username = Annotated[str, typer.Argument(metavar="USERNAME", help=say("Name a user signs in with."))]


def commands() -> typer.Typer:
    group = typer.Typer(
        name="users", help=say("Users of the service. For system administrators."), no_args_is_help=True
    )
    group.command("list", help=say("List the users."))(list_all)
    group.command(help=say("Make a user and the link to choose a password with."))(create)
    group.command(help=say("A new link to choose a password with; earlier ones are worthless."))(link)
    group.command(help=say("Let a user sign in again."))(enable)
    group.command(help=say("Let a user sign in no more; sessions and tokens of theirs end."))(disable)
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
        found = service.listed("/users", {"name": name, "status": status}, limit=limit, cursor=cursor)
    columns = [
        tables.Column(say("username"), lambda one: one["username"], folds=False),
        tables.Column(say("name"), lambda one: one["displayName"]),
        tables.Column(say("status"), lambda one: cells.state(one["status"])),
        tables.Column(say("system administrator"), lambda one: one["systemAdmin"] or None),
        tables.Column(say("last signed in"), lambda one: cells.local(one["lastSignInAt"])),
    ]
    tables.listing(found, columns, arguments_of(context), as_json=as_json)


def create(
    context: typer.Context,
    *,
    username: Username,
    display_name: Annotated[str, typer.Option("--display-name", metavar="TEXT", help=say("Name that is shown."))] = "",
    admin: Annotated[bool, typer.Option("--system-admin", help=say("May govern the whole service."))] = False,
    as_json: opt.AsJson = False,
) -> None:
    with signed_in(context) as service:
        made = service.post("/users", {"username": username, "displayName": display_name, "systemAdmin": admin})
    _tell_link(made["passwordLink"], made, as_json=as_json)


def link(context: typer.Context, *, username: Username, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.access.service import path_of

    with signed_in(context) as service:
        user = get_one(service, USERS, username)
        made = service.post(f"/users/{path_of(user['id'])}/password-link")
    _tell_link(made, made, as_json=as_json)


def enable(context: typer.Context, *, username: Username, as_json: opt.AsJson = False) -> None:
    _set_status(context, username, "ACTIVE", as_json=as_json)


def disable(context: typer.Context, *, username: Username, as_json: opt.AsJson = False) -> None:
    _set_status(context, username, "DISABLED", as_json=as_json)


def _set_status(context: typer.Context, username: str, status: str, *, as_json: bool) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.show import tables

    with signed_in(context) as service:
        user = get_one(service, USERS, username)
        user = service.change("PATCH", f"/users/{path_of(user['id'])}", user["version"], {"status": status})
    tables.done(say("{name} is {status} now.", name=user["username"], status=user["status"]), user, as_json=as_json)


def _tell_link(link: dict[str, str], whole: object, *, as_json: bool) -> None:
    """The link goes to standard output, so that it can be piped into a message to the person."""
    from postroad.entrypoints.cli.remote.show import cells
    from postroad.entrypoints.cli.show import console

    until = cells.local(link["expiresAt"])
    console.tell(
        say("Hand this link to the person; it works once, until {until}, and is not shown again:", until=until)
    )
    if as_json:
        console.print_json(whole)
    else:
        typer.echo(link["link"])
    console.tell(say("They use it with: postroad login --link '{link}'", link="…"), "dim")
