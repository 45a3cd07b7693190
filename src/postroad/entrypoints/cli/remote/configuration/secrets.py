"""`postroad secrets`: those of the workspace. Those of accounts are set with their accounts."""

from typing import Annotated

import typer

from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.opening import arguments_of, signed_in
from postroad.entrypoints.cli.texts import say

SecretName = Annotated[
    str,
    typer.Argument(metavar="NAME|NAMESPACE/NAME", help=say("As a configuration names it; the namespace is default.")),
]
Namespace = Annotated[str | None, typer.Option("--namespace", metavar="NAME", help=say("Only of this namespace."))]


def commands() -> typer.Typer:
    group = typer.Typer(
        name="secrets", help=say("Secrets of the workspace. No command shows one."), no_args_is_help=True
    )
    group.command("list", help=say("List which secrets are set, and since when."))(list_all)
    group.command("set", help=say("Set a secret: it is asked for, or read from standard input."))(put)
    group.command(help=say("Forget a secret for good."))(delete)
    return group


def list_all(
    context: typer.Context,
    *,
    name: opt.NameFilter = None,
    namespace: Namespace = None,
    limit: opt.Limit = 50,
    cursor: opt.Cursor = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.show import cells, tables

    with signed_in(context) as service:
        found = service.listed("secrets", {"name": name, "namespace": namespace}, limit=limit, cursor=cursor)
    columns = [
        tables.name_column(),
        tables.Column(say("namespace"), lambda one: one["namespace"]),
        tables.Column(say("version"), lambda one: one["version"]),
        tables.Column(say("last change"), lambda one: cells.local(one["updatedAt"])),
    ]
    tables.listing(found, columns, arguments_of(context), as_json=as_json)


def put(context: typer.Context, *, name: SecretName, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.remote.access.workspace_secrets import set_secret
    from postroad.entrypoints.cli.remote.administration.typing_in import secret_text
    from postroad.entrypoints.cli.remote.show import tables

    where, key = _place(name)
    with signed_in(context) as service:
        kept = set_secret(service, where, key, secret_text(say("Secret: ")))
    line = say("Set: {name}, version {version}", name=f"{where}/{key}", version=kept["version"])
    tables.done(line, kept, as_json=as_json)


def delete(context: typer.Context, *, name: SecretName) -> None:
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.show import console

    where, key = _place(name)
    with signed_in(context) as service:
        path = path_of("secrets", where, key)
        service.change("DELETE", path, service.get(path)["version"])
    console.tell(say("Forgotten: {name}", name=f"{where}/{key}"))


def _place(name: str) -> tuple[str, str]:
    from postroad.spi.secret_references import DEFAULT_NAMESPACE

    namespace, _, key = name.rpartition("/")
    return namespace or DEFAULT_NAMESPACE, key
