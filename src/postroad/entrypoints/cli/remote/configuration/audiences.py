"""`postroad audiences`: who is sent to, in snapshots that never change."""

from pathlib import Path
from typing import Annotated

import typer

from postroad.entrypoints.cli import options as local
from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.kinds import AUDIENCES
from postroad.entrypoints.cli.remote.access.opening import arguments_of, signed_in
from postroad.entrypoints.cli.remote.moving import ARCHIVE, move
from postroad.entrypoints.cli.texts import say

Source = Annotated[
    str | None,
    typer.Option("--source", metavar="FILE|QUERY|SYNTHETIC|INLINE", help=say("Only what came from there.")),
]


def commands() -> typer.Typer:
    group = typer.Typer(name="audiences", help=say("Audiences: who is sent to."), no_args_is_help=True)
    group.command("list", help=say("List the audiences."))(list_all)
    group.command(help=say("Show an audience and how it is read."))(show)
    group.command(help=say("Upload a spreadsheet: a new audience, or new recipients for the one of that name."))(upload)
    group.command(help=say("Ask the query of an audience again."))(refresh)
    group.command(help=say("Show recipients as they stand in a snapshot, or take them all away as CSV."))(rows)
    group.command("archive", help=say("Archive it: its runs stay, its recipients go after thirty days without use."))(
        move(AUDIENCES, ARCHIVE)
    )
    return group


def list_all(
    context: typer.Context,
    *,
    name: opt.NameFilter = None,
    status: opt.StatusFilter = None,
    source: Source = None,
    limit: opt.Limit = 50,
    cursor: opt.Cursor = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.show import audiences, tables

    query = {"name": name, "status": status, "sourceType": source}
    with signed_in(context) as service:
        found = service.listed("audiences", query, limit=limit, cursor=cursor)
    tables.listing(found, audiences.columns(), arguments_of(context), as_json=as_json)


def show(context: typer.Context, *, name: opt.Named, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.show import audiences

    with signed_in(context) as service:
        found = get_one(service, AUDIENCES, name)
        snapshot = service.get(path_of("audiences", found["id"], "snapshots", str(found["snapshotRevision"])))
    audiences.one(found, snapshot, as_json=as_json)


def upload(
    context: typer.Context,
    *,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help=say("Spreadsheet of the recipients: CSV, TSV, TXT, XLSX or JSONL.")),
    ],
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help=say("Name of the audience; else that of the file."))
    ] = None,
    provider: Annotated[
        str | None, typer.Option("--provider", metavar="ID", help=say("Leave out whom this channel cannot send to."))
    ] = None,
    key: local.Key = None,
    sheet: local.Sheet = None,
    encoding: local.Encoding = None,
    delimiter: local.Delimiter = None,
    maps: local.Maps = None,
    skip_invalid: local.SkipInvalid = False,
    errors: local.ErrorsFile = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.pushing.people import PeopleOrder, keep_people
    from postroad.entrypoints.cli.remote.show import audiences
    from postroad.jobfile import read_audience

    overrides = local.audience_overrides(
        file,
        None,
        key=key,
        sheet=sheet,
        encoding=encoding,
        delimiter=delimiter,
        maps=maps,
        skip_invalid=skip_invalid,
    )
    _, request, _ = read_audience(None, overrides)
    with signed_in(context) as service:
        kept = keep_people(service, PeopleOrder(name or file.stem, request, provider, errors))
    audiences.kept(kept.audience, kept.outcome, kept.report)
    if as_json:
        audiences.as_json(kept.audience, kept.outcome, kept.report)


def refresh(context: typer.Context, *, name: opt.Named, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.pushing.people import CHANGED
    from postroad.entrypoints.cli.remote.pushing.reading import read_import
    from postroad.entrypoints.cli.remote.show import audiences

    with signed_in(context) as service:
        found = get_one(service, AUDIENCES, name)
        path = path_of("audiences", found["id"])
        report = read_import(service, service.post(f"{path}/refresh"))["report"]
        found = service.get(path)
    audiences.kept(found, CHANGED, report)
    if as_json:
        audiences.as_json(found, CHANGED, report)


def rows(
    context: typer.Context,
    *,
    name: opt.Named,
    revision: Annotated[
        int | None, typer.Option("--revision", min=1, metavar="N", help=say("This snapshot; else the present one."))
    ] = None,
    first: Annotated[
        int, typer.Option("--first", min=0, metavar="N", help=say("From this place on, counted from 0."))
    ] = 0,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, metavar="N", help=say("How many recipients."))] = 20,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help=say("Write all of them there as CSV; audited."))
    ] = None,
    force: opt.Force = False,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.show import audiences
    from postroad.entrypoints.cli.remote.transfers import Wanted, save

    with signed_in(context) as service:
        found = get_one(service, AUDIENCES, name)
        path = path_of("audiences", found["id"], "snapshots", str(revision or found["snapshotRevision"]))
        if out is not None:
            save(service, Wanted(f"{path}/content.csv"), out, force=force)
            return
        shown = service.get(f"{path}/rows", {"first": first, "limit": limit})
    audiences.rows(shown, as_json=as_json)
