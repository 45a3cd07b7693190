"""`postroad artifacts`: the files of the workspace."""

from pathlib import Path
from typing import Annotated

import typer

from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.opening import arguments_of, signed_in
from postroad.entrypoints.cli.texts import say

Type = Annotated[str | None, typer.Option("--type", metavar="TYPE", help=say("Only of this class."))]
FileId = Annotated[str, typer.Argument(metavar="ID", help=say("Id of the file, as the list shows it."))]


def commands() -> typer.Typer:
    group = typer.Typer(name="artifacts", help=say("Files of the workspace."), no_args_is_help=True)
    group.command("list", help=say("List the files: imports, snapshots, results, exports."))(list_all)
    group.command(help=say("Fetch a file. It is here whole, with its SHA-256 checked, or not at all."))(download)
    return group


def list_all(
    context: typer.Context,
    *,
    name: opt.NameFilter = None,
    status: opt.StatusFilter = None,
    type_: Type = None,
    limit: opt.Limit = 50,
    cursor: opt.Cursor = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.show import cells, tables

    query = {"name": name, "status": status, "type": type_}
    with signed_in(context) as service:
        found = service.listed("artifacts", query, limit=limit, cursor=cursor)
    columns = [
        tables.Column(say("name"), lambda one: one["fileName"]),
        tables.Column(say("class"), lambda one: one["type"]),
        tables.Column(say("status"), lambda one: cells.state(one["state"])),
        tables.Column(say("size"), lambda one: cells.size(one["sizeBytes"]), folds=False),
        tables.Column(say("made"), lambda one: cells.local(one["createdAt"]), folds=False),
        tables.Column(say("kept until"), lambda one: cells.local(one["expiresAt"])),
        tables.Column(say("id"), lambda one: one["id"], folds=False),
    ]
    tables.listing(found, columns, arguments_of(context), as_json=as_json)


def download(context: typer.Context, *, file_id: FileId, out: opt.Out = None, force: opt.Force = False) -> None:
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.transfers import Wanted, save

    with signed_in(context) as service:
        path = path_of("artifacts", file_id)
        about = service.get(path)
        wanted = Wanted(f"{path}/content", sha256=about["sha256"], size_bytes=about["sizeBytes"])
        save(service, wanted, out or Path(Path(about["fileName"]).name or file_id), force=force)
