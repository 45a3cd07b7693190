"""`postroad schedules`: when jobs start by themselves."""

from typing import Annotated, Literal

import typer

from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.kinds import JOBS, SCHEDULES
from postroad.entrypoints.cli.remote.access.opening import arguments_of, signed_in
from postroad.entrypoints.cli.remote.moving import ARCHIVE, move
from postroad.entrypoints.cli.texts import say

_FIRINGS_SHOWN = 5
Misfire = Literal["SKIP", "FIRE_ONCE", "CATCH_UP_LIMITED"]
Cron = Annotated[
    str | None,
    typer.Option("--cron", metavar="EXPRESSION", help=say("Minute, hour, day, month, weekday: '0 9 * * MON-FRI'.")),
]
At = Annotated[str | None, typer.Option("--at", metavar="TIME", help=say("Once, such as 2026-12-24T09:00."))]
Zone = Annotated[str | None, typer.Option("--timezone", metavar="ZONE", help=say("Time zone, such as Asia/Shanghai."))]
Start = Annotated[str | None, typer.Option("--start", metavar="TIME", help=say("Not before this time."))]
End = Annotated[str | None, typer.Option("--end", metavar="TIME", help=say("Not after this time."))]


def commands() -> typer.Typer:
    group = typer.Typer(name="schedules", help=say("When jobs start by themselves."), no_args_is_help=True)
    group.command("list", help=say("List the schedules."))(list_all)
    group.command(help=say("Show a schedule and what became of its last times."))(show)
    group.command(help=say("Plan a job. From then on it sends at its times, without a person."))(create)
    group.command(help=say("Show the next times, of a schedule or of an expression."))(preview)
    group.command("enable", help=say("Let it fire again; what was missed meanwhile stays missed."))(
        move(SCHEDULES, "enable")
    )
    group.command("disable", help=say("Let it fire no more. Runs that were started go on."))(move(SCHEDULES, "disable"))
    group.command("delete", help=say("End it for good; what became of its times can still be read."))(
        move(SCHEDULES, ARCHIVE)
    )
    return group


def list_all(
    context: typer.Context,
    *,
    name: opt.NameFilter = None,
    status: opt.StatusFilter = None,
    job: Annotated[str | None, typer.Option("--job", metavar=opt.NAME_OR_ID, help=say("Only of this job."))] = None,
    limit: opt.Limit = 50,
    cursor: opt.Cursor = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.access.naming import id_of
    from postroad.entrypoints.cli.remote.show import schedules, tables

    with signed_in(context) as service:
        query = {"name": name, "status": status, "jobId": id_of(service, JOBS, job)}
        found = service.listed("schedules", query, limit=limit, cursor=cursor)
    tables.listing(found, schedules.columns(), arguments_of(context), as_json=as_json)


def show(context: typer.Context, *, name: opt.Named, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.show import schedules

    with signed_in(context) as service:
        found = get_one(service, SCHEDULES, name)
        firings = service.listed(f"{path_of('schedules', found['id'])}/firings", {}, limit=_FIRINGS_SHOWN).items
        job = service.get(path_of("jobs", found["jobId"]))
    schedules.one(found, str(job["name"]), firings, as_json=as_json)


def create(  # noqa: PLR0913  (cli: the options of a command are its arguments; until 2027-11-30)
    context: typer.Context,
    *,
    name: opt.NewName,
    job: Annotated[str, typer.Option("--job", metavar=opt.NAME_OR_ID, help=say("The job that it starts."))],
    timezone: Annotated[str, typer.Option("--timezone", metavar="ZONE", help=say("Time zone, such as Asia/Shanghai."))],
    cron: Cron = None,
    at: At = None,
    start: Start = None,
    end: End = None,
    misfire: Annotated[
        Misfire,
        typer.Option("--misfire", case_sensitive=False, help=say("What becomes of times when the service was off.")),
    ] = "FIRE_ONCE",
    catch_up: Annotated[
        int,
        typer.Option("--catch-up", min=0, max=100, metavar="N", help=say("With CATCH_UP_LIMITED: late times at most.")),
    ] = 0,
    refresh: Annotated[
        bool, typer.Option("--refresh-audience", help=say("Ask the query of the audience again each time."))
    ] = False,
    disabled: Annotated[bool, typer.Option("--disabled", help=say("Make it, but let it not fire yet."))] = False,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.access.naming import id_of
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.show import schedules
    from postroad.entrypoints.cli.show import console

    body = _when(cron, at, timezone, start, end) | {
        "name": name,
        "misfirePolicy": misfire,
        "catchUpLimit": catch_up,
        "refreshAudience": refresh,
        "enabled": not disabled,
    }
    with signed_in(context) as service:
        made = service.post("schedules", body | {"jobId": id_of(service, JOBS, job)})
        times = service.get(f"{path_of('schedules', made['id'])}/fire-times")["items"]
    console.tell(say("Made: {name}", name=made["name"]), "green")
    if as_json:
        console.print_json(made)
        return
    console.tell(say("It sends by itself, next at:") if made["status"] == "ENABLED" else say("Once enabled, next at:"))
    schedules.times(times, as_json=False)


def preview(
    context: typer.Context,
    *,
    name: Annotated[
        str | None, typer.Argument(metavar=f"[{opt.NAME_OR_ID}]", help=say("A schedule; else --cron or --at."))
    ] = None,
    cron: Cron = None,
    at: At = None,
    timezone: Zone = None,
    start: Start = None,
    end: End = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.access.naming import get_one
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.remote.show import schedules

    if (name is None) == (timezone is None):
        raise typer.BadParameter(say("name a schedule, or give --cron or --at with --timezone"))
    with signed_in(context) as service:
        if name is not None:
            found = get_one(service, SCHEDULES, name)
            times = service.get(f"{path_of('schedules', found['id'])}/fire-times")["items"]
        else:
            times = service.post("schedules/preview", _when(cron, at, str(timezone), start, end))["items"]
    schedules.times(times, as_json=as_json)


def _when(cron: str | None, at: str | None, timezone: str, start: str | None, end: str | None) -> dict[str, object]:
    return {"cron": cron, "at": at, "timezone": timezone, "startAt": start, "endAt": end}
