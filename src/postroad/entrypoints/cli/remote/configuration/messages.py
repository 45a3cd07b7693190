"""`postroad messages`: what is sent, in revisions that never change."""

from pathlib import Path
from typing import Annotated

import typer

from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.kinds import ACCOUNTS, AUDIENCES, MESSAGES
from postroad.entrypoints.cli.remote.access.opening import arguments_of, signed_in
from postroad.entrypoints.cli.remote.moving import ARCHIVE, move
from postroad.entrypoints.cli.texts import say

ContentFile = Annotated[
    Path,
    typer.Option(
        "--file", metavar="FILE", help=say("Content as YAML, or a job file that has it; - reads standard input.")
    ),
]
Revision = Annotated[
    int | None, typer.Option("--revision", min=1, metavar="N", help=say("This revision; else the latest."))
]


def commands() -> typer.Typer:
    group = typer.Typer(name="messages", help=say("Messages and their revisions."), no_args_is_help=True)
    group.command("list", help=say("List the messages."))(list_all)
    group.command(help=say("Show a message with its content."))(show)
    group.command(help=say("Make a message. Its channel checks content and templates."))(create)
    group.command(help=say("Give a message another content: a new revision, where it differs."))(revise)
    group.command(help=say("Show every place that differs between two revisions."))(diff)
    group.command(help=say("Show the message as people would get it. Nothing is sent."))(preview)
    group.command("archive", help=say("Archive it: its revisions stay, its name is free."))(move(MESSAGES, ARCHIVE))
    return group


def list_all(
    context: typer.Context,
    *,
    name: opt.NameFilter = None,
    status: opt.StatusFilter = None,
    provider: opt.ProviderFilter = None,
    limit: opt.Limit = 50,
    cursor: opt.Cursor = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.show import messages, tables

    query = {"name": name, "status": status, "providerId": provider}
    with signed_in(context) as service:
        found = service.listed("messages", query, limit=limit, cursor=cursor)
    tables.listing(found, messages.columns(), arguments_of(context), as_json=as_json)


def show(context: typer.Context, *, name: opt.Named, revision: Revision = None, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.show import messages

    with signed_in(context) as service:
        found = get_one(service, MESSAGES, name)
        if revision is not None:
            found |= service.get(path_of("messages", found["id"], "revisions", str(revision)))
        messages.one(found, as_json=as_json)


def create(
    context: typer.Context,
    *,
    name: opt.NewName,
    file: ContentFile,
    provider: opt.Provider = None,
    account: opt.Account = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.access.naming import id_of
    from postroad.entrypoints.cli.remote.configuration.documents import provider_of, read_part
    from postroad.entrypoints.cli.remote.show import messages

    part = read_part(file, "message")
    body: dict[str, object] = {"name": name, "providerId": provider_of(provider, part), "content": part.content}
    with signed_in(context) as service:
        body["accountId"] = id_of(service, ACCOUNTS, account)
        messages.kept(service.post("messages", body), as_json=as_json)


def revise(
    context: typer.Context,
    *,
    name: opt.Named,
    file: ContentFile,
    rename: opt.Rename = None,
    account: opt.Account = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one, id_of
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.configuration.documents import read_part
    from postroad.entrypoints.cli.remote.show import messages

    part = read_part(file, "message")
    with signed_in(context) as service:
        before = get_one(service, MESSAGES, name)
        body = {"content": part.content, "name": rename, "accountId": id_of(service, ACCOUNTS, account)}
        after = service.change("PATCH", path_of("messages", before["id"]), before["version"], body)
    messages.kept(after, as_json=as_json)


def diff(
    context: typer.Context,
    *,
    name: opt.Named,
    before: Annotated[
        int | None, typer.Option("--from", min=1, metavar="N", help=say("The older revision; else the one before."))
    ] = None,
    after: Annotated[
        int | None, typer.Option("--to", min=1, metavar="N", help=say("The newer revision; else the latest."))
    ] = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.show import messages

    with signed_in(context) as service:
        found = get_one(service, MESSAGES, name)
        newer = after or found["currentRevision"]
        older = before or max(1, newer - 1)
        difference = service.get(f"{path_of('messages', found['id'])}/diff", {"from": older, "to": newer})
    messages.difference(difference, as_json=as_json)


def preview(
    context: typer.Context,
    *,
    name: opt.Named,
    fields: Annotated[
        list[str] | None,
        typer.Option("--to", metavar="FIELD=VALUE", help=say("A field of a made-up person; given once for each.")),
    ] = None,
    audience: Annotated[
        str | None, typer.Option("--audience", metavar=opt.NAME_OR_ID, help=say("Take people of this audience."))
    ] = None,
    rows: Annotated[list[int] | None, typer.Option("--row", metavar="N", help=say("Row of the spreadsheet."))] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=20, metavar="N", help=say("How many recipients."))] = 3,
    revision: Revision = None,
    account: opt.Account = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one, id_of
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.show import previews

    if bool(fields) == (audience is not None):
        raise typer.BadParameter(say("say for whom: --to FIELD=VALUE, or --audience NAME"))
    body: dict[str, object] = {"revision": revision}
    with signed_in(context) as service:
        found = get_one(service, MESSAGES, name)
        body["accountId"] = id_of(service, ACCOUNTS, account)
        if audience is not None:
            people = id_of(service, AUDIENCES, audience)
            body["audience"] = {"audienceId": people, "rows": rows or [], "limit": limit}
        else:
            body["recipients"] = [opt.pairs(fields, "--to")]
        made = service.post(f"{path_of('messages', found['id'])}/preview", body)
    raise typer.Exit(previews.all_of(made, as_json=as_json))
