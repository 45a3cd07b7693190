"""`postroad jobs`: who sends what to whom and how; pushed from job files, started by people."""

from typing import TYPE_CHECKING, Annotated

import typer

from postroad.entrypoints.cli import options as local
from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.kinds import JOBS
from postroad.entrypoints.cli.remote.access.opening import arguments_of, signed_in
from postroad.entrypoints.cli.remote.moving import ARCHIVE, move
from postroad.entrypoints.cli.remote.sending import options as run_opt
from postroad.entrypoints.cli.texts import say

if TYPE_CHECKING:
    from postroad.entrypoints.cli.remote.access.service import Service, Wire


def commands() -> typer.Typer:
    group = typer.Typer(name="jobs", help=say("Jobs of the service."), no_args_is_help=True)
    group.command("list", help=say("List the jobs."))(list_all)
    group.command(help=say("Show a job."))(show)
    group.command(help=say("Make or change a job of the service, with all it needs, from a job file."))(push)
    group.command(help=say("Show what a job would send, ask, start it, and watch it to its end."))(run)
    group.command("enable", help=say("Let people and schedules start it again."))(move(JOBS, "enable"))
    group.command("disable", help=say("Let nobody and no schedule start it."))(move(JOBS, "disable"))
    group.command("archive", help=say("Archive it: its runs stay, its name is free."))(move(JOBS, ARCHIVE))
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
    from postroad.entrypoints.cli.remote.show import jobs, tables

    with signed_in(context) as service:
        found = service.listed("jobs", {"name": name, "status": status}, limit=limit, cursor=cursor)
    tables.listing(found, jobs.columns(), arguments_of(context), as_json=as_json)


def show(context: typer.Context, *, name: opt.Named, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.show import jobs

    with signed_in(context) as service:
        job = get_one(service, JOBS, name)
        names = {} if as_json else _names(service, job)
    jobs.one(job, names, as_json=as_json)


def push(
    context: typer.Context,
    *,
    file: local.JobFile,
    secrets: local.Secrets = None,
    account: Annotated[
        str | None, typer.Option("--account", metavar="NAME", help=say("Name of the account; else that of the job."))
    ] = None,
    audience: local.Audience = None,
    count: local.Count = None,
    key: local.Key = None,
    maps: local.Maps = None,
    skip_invalid: local.SkipInvalid = False,
    errors: local.ErrorsFile = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.pushing.job_file import PushOrder, push_job_file
    from postroad.entrypoints.cli.remote.pushing.telling import tell_people, tell_pushed

    people = local.audience_overrides(audience, count, key=key, maps=maps, skip_invalid=skip_invalid)
    order = PushOrder(file, people, secrets, errors, account)
    with signed_in(context) as service:
        tell_pushed(push_job_file(service, order, tell_people), as_json=as_json)


def run(
    context: typer.Context,
    *,
    name: opt.Named,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help=say("Render the whole audience and send nothing."))
    ] = False,
    yes: local.Yes = False,
    confirm: Annotated[
        str | None, typer.Option("--confirm", metavar="HASH", help=say("Start it if this is the hash that was shown."))
    ] = None,
    again: local.SendAgain = False,
    rate: local.Rate = None,
    concurrency: local.Concurrency = None,
    reason: run_opt.Reason = "",
    detach: run_opt.Detach = False,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.sending import starting

    policies: dict[str, object] = {} if rate is None else {"rate": rate}
    if concurrency is not None:
        policies["concurrency"] = {"target": concurrency}
    answer = starting.Answer(yes, confirm, again, reason, detach, as_json)
    with signed_in(context) as service:
        start = starting.rehearse_job if dry_run else starting.run_job
        raise typer.Exit(start(service, name, policies, answer))


def _names(service: "Service", job: "Wire") -> dict[str, str]:
    from postroad.entrypoints.cli.remote.access.service import path_of

    parts = {"account": "accounts", "message": "messages", "audience": "audiences"}
    return {name: str(service.get(path_of(path, job[f"{name}Id"]))["name"]) for name, path in parts.items()}
