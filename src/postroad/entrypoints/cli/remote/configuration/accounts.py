"""`postroad accounts`: with what is sent."""

from pathlib import Path
from typing import Annotated

import typer

from postroad.entrypoints.cli.options import Secrets
from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.kinds import ACCOUNTS
from postroad.entrypoints.cli.remote.access.opening import arguments_of, signed_in
from postroad.entrypoints.cli.remote.moving import ARCHIVE, move
from postroad.entrypoints.cli.texts import say

_FILE_SAID = say("Configuration as YAML, or a job file that has it; - reads standard input.")
ConfigFile = Annotated[Path, typer.Option("--file", metavar="FILE", help=_FILE_SAID)]
MaybeConfigFile = Annotated[Path | None, typer.Option("--file", metavar="FILE", help=_FILE_SAID)]


def commands() -> typer.Typer:
    group = typer.Typer(name="accounts", help=say("Accounts that messages are sent with."), no_args_is_help=True)
    group.command("list", help=say("List the accounts."))(list_all)
    group.command(help=say("Show an account; of its secrets only whether they are set."))(show)
    group.command(
        help=say("Make an account. Its secrets come from POSTROAD_SECRET_… or --secrets; its channel checks it.")
    )(create)
    group.command(help=say("Change name, configuration or secrets of an account."))(edit)
    group.command("test", help=say("Connect to the remote now and say what that proved. Nothing is sent."))(connect)
    group.command("enable", help=say("Let runs begin with it again."))(move(ACCOUNTS, "enable"))
    group.command("disable", help=say("Let no further run begin with it."))(move(ACCOUNTS, "disable"))
    group.command("archive", help=say("Archive it: its secrets are forgotten, its name is free."))(
        move(ACCOUNTS, ARCHIVE)
    )
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
    from postroad.entrypoints.cli.remote.show import accounts, tables

    query = {"name": name, "status": status, "providerId": provider}
    with signed_in(context) as service:
        found = service.listed("accounts", query, limit=limit, cursor=cursor)
    tables.listing(found, accounts.columns(), arguments_of(context), as_json=as_json)


def show(context: typer.Context, *, name: opt.Named, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.show import accounts

    with signed_in(context) as service:
        accounts.one(get_one(service, ACCOUNTS, name), as_json=as_json)


def create(
    context: typer.Context,
    *,
    name: opt.NewName,
    file: ConfigFile,
    provider: opt.Provider = None,
    secrets: Secrets = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.access.found_secrets import find_secrets, own_references, replacing
    from postroad.entrypoints.cli.remote.configuration.documents import provider_of, read_part
    from postroad.entrypoints.cli.remote.show import accounts

    part = read_part(file, "account")
    found = find_secrets(own_references(part.content), secrets)
    body = {
        "name": name,
        "providerId": provider_of(provider, part),
        "config": part.content,
        "secrets": replacing(found),
    }
    with signed_in(context) as service:
        accounts.kept(service.post("accounts", body), as_json=as_json)


def edit(
    context: typer.Context,
    *,
    name: opt.Named,
    file: MaybeConfigFile = None,
    rename: opt.Rename = None,
    secrets: Secrets = None,
    renew_secrets: Annotated[
        bool, typer.Option("--renew-secrets", help=say("Set its secrets again from the environment."))
    ] = False,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.access.found_secrets import find_secrets, own_references, replacing
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.configuration.documents import read_part
    from postroad.entrypoints.cli.remote.show import accounts

    opt.need_one_of({"--file": file, "--rename": rename, "--secrets": secrets, "--renew-secrets": renew_secrets})
    part = read_part(file, "account") if file is not None else None
    with signed_in(context) as service:
        before = get_one(service, ACCOUNTS, name)
        change: dict[str, object] = {} if rename is None else {"name": rename}
        config = before["config"] if part is None else part.content
        if part is not None:
            change["config"] = config
        if part is not None or secrets is not None or renew_secrets:
            change["secrets"] = replacing(find_secrets(own_references(config), secrets))
        after = service.change("PATCH", path_of("accounts", before["id"]), before["version"], change)
    accounts.kept(after, as_json=as_json)


def connect(context: typer.Context, *, name: opt.Named, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.show import accounts

    with signed_in(context) as service:
        found = get_one(service, ACCOUNTS, name)
        tested = service.post(f"{path_of('accounts', found['id'])}/connection-test")
    raise typer.Exit(accounts.tested(tested, as_json=as_json))
