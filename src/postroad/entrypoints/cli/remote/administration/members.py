"""`postroad members`: who works in the workspace, and as what."""

from typing import Annotated

import typer

from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.kinds import MEMBERS
from postroad.entrypoints.cli.remote.access.opening import arguments_of, signed_in
from postroad.entrypoints.cli.texts import say
from postroad.vocabulary.roles import Role

RoleAsked = Annotated[
    Role, typer.Option("--role", metavar="VIEWER|OPERATOR|ADMIN", case_sensitive=False, help=say("What they may do."))
]
Username = Annotated[str, typer.Argument(metavar="USERNAME", help=say("Name a user signs in with."))]


def commands() -> typer.Typer:
    group = typer.Typer(
        name="members", help=say("Members of the workspace. For its administrators."), no_args_is_help=True
    )
    group.command("list", help=say("List the members and their roles."))(list_all)
    group.command(help=say("Let a user in."))(add)
    group.command(help=say("Give a member another role, from the next request on."))(change)
    group.command(help=say("Take a member out; their tokens for the workspace end."))(remove)
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
        found = service.listed("members", {"name": name, "status": status}, limit=limit, cursor=cursor)
    columns = [
        tables.Column(say("username"), lambda one: one["username"], folds=False),
        tables.Column(say("name"), lambda one: one["displayName"]),
        tables.Column(say("role"), lambda one: one["role"]),
        tables.Column(say("status"), lambda one: cells.state(one["status"])),
        tables.Column(say("since"), lambda one: cells.local(one["createdAt"])),
    ]
    tables.listing(found, columns, arguments_of(context), as_json=as_json)


def add(context: typer.Context, *, username: Username, role: RoleAsked, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.remote.show import tables

    with signed_in(context) as service:
        member = service.post("members", {"username": username, "role": role.value})
    tables.done(say("{name} is a member: {role}", name=username, role=role.value), member, as_json=as_json)


def change(context: typer.Context, *, username: Username, role: RoleAsked, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.show import tables

    with signed_in(context) as service:
        member = get_one(service, MEMBERS, username)
        path = path_of("members", member["userId"])
        member = service.change("PUT", path, member["version"], {"role": role.value})
    tables.done(say("{name} is a member: {role}", name=username, role=role.value), member, as_json=as_json)


def remove(context: typer.Context, *, username: Username) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.show import console

    with signed_in(context) as service:
        member = get_one(service, MEMBERS, username)
        service.change("DELETE", path_of("members", member["userId"]), member["version"])
    console.tell(say("{name} is no member any more.", name=username))
