"""`postroad audit`: what was done and refused in the workspace."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.opening import arguments_of, signed_in
from postroad.entrypoints.cli.texts import say

Action = Annotated[
    str | None, typer.Option("--action", metavar="ACTION", help=say("Only this action, or its beginning: 'token.*'."))
]
Actor = Annotated[str | None, typer.Option("--actor", metavar="ID", help=say("Only what this user or token did."))]
Result = Annotated[str | None, typer.Option("--result", metavar="OK|DENIED|FAILED", help=say("Only with this result."))]
After = Annotated[
    str | None,
    typer.Option("--after", metavar="TIME", help=say("Only from this time on, such as 2026-11-30T00:00:00Z.")),
]
Before = Annotated[str | None, typer.Option("--before", metavar="TIME", help=say("Only before this time."))]


def commands() -> typer.Typer:
    group = typer.Typer(name="audit", help=say("What was done and refused. For administrators."), no_args_is_help=True)
    group.command("list", help=say("List what was done and refused in the workspace."))(list_all)
    group.command(help=say("Take the audit of the workspace away as a file; that is written into it first."))(export)
    return group


def list_all(
    context: typer.Context,
    *,
    action: Action = None,
    actor: Actor = None,
    result: Result = None,
    after: After = None,
    before: Before = None,
    limit: opt.Limit = 50,
    cursor: opt.Cursor = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.show import cells, tables

    query = _query(action, actor, result, after, before)
    with signed_in(context) as service:
        found = service.listed("audit-events", query, limit=limit, cursor=cursor)
    columns = [
        tables.Column(say("at"), lambda one: cells.local(one["occurredAt"]), folds=False),
        tables.Column(say("who"), lambda one: one["actorName"] or one["actorKind"]),
        tables.Column(say("action"), lambda one: one["action"]),
        tables.Column(say("on"), lambda one: f"{one['resourceType']} {one['resourceId']}"),
        tables.Column(say("result"), lambda one: cells.state(one["result"])),
        tables.Column(say("details"), lambda one: [f"{key}={value}" for key, value in one["details"].items()]),
    ]
    tables.listing(found, columns, arguments_of(context), as_json=as_json)


def export(
    context: typer.Context,
    *,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help=say("Where to write it."))],
    force: opt.Force = False,
    form: Annotated[Literal["csv", "jsonl"], typer.Option("--format", help=say("Form of the file."))] = "csv",
    action: Action = None,
    actor: Actor = None,
    result: Result = None,
    after: After = None,
    before: Before = None,
) -> None:
    from postroad.entrypoints.cli.remote.transfers import Wanted, save

    query = _query(action, actor, result, after, before) | {"format": form}
    with signed_in(context) as service:
        save(service, Wanted("audit-events/export", query), out, force=force)


def _query(
    action: str | None, actor: str | None, result: str | None, after: str | None, before: str | None
) -> dict[str, object]:
    return {
        "action": action,
        "actorId": actor,
        "result": result,
        "occurredAfter": after,
        "occurredBefore": before,
    }
