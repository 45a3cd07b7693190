"""`postroad runs`: alone the sends in folders of this machine, with a word behind it the runs of the service."""

from pathlib import Path
from typing import Annotated

import typer

from postroad.entrypoints.cli import options as local
from postroad.entrypoints.cli.composition import Composition
from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.kinds import JOBS
from postroad.entrypoints.cli.remote.access.opening import arguments_of, signed_in
from postroad.entrypoints.cli.remote.sending import options as run_opt
from postroad.entrypoints.cli.texts import say

Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="OUTCOME", help=say("Only who came to this, such as failed; may be repeated.")),
]
Text = Annotated[
    str | None, typer.Option("--text", metavar="TEXT", help=say("Only where a field, a code or the details have this."))
]


def commands() -> typer.Typer:
    group = typer.Typer(
        name="runs",
        help=say("List past sends and their folders; with a command behind it, runs of the service."),
        invoke_without_command=True,
        callback=past_sends,
    )
    group.command("list", help=say("List runs of the service."))(list_all)
    group.command(help=say("Show a run in full."))(show)
    group.command(help=say("Watch a run to its end. Ctrl-C stops the watching alone."))(watch)
    group.command(help=say("Let nothing more leave until it is resumed."))(pause)
    group.command(help=say("Go on with a paused run."))(resume)
    group.command(help=say("End a run: what is in flight is waited for, the rest is unsent."))(cancel)
    group.command(help=say("Change how many are sent at once."))(concurrency)
    group.command(help=say("Change the rate."))(rate)
    group.command(help=say("What became of each recipient, or all of it as CSV."))(items)
    group.command(help=say("The files of a run: results, summary, receipt."))(results)
    group.command(help=say("Send again to those who failed, are unsent or unknown: a run of its own."))(resend)
    return group


def past_sends(
    context: typer.Context,
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help=say("How many, the newest first."))] = 20,
    as_json: local.AsJson = False,
) -> None:
    if context.invoked_subcommand is not None:
        if as_json or limit != 20:
            raise typer.BadParameter(say("write the options behind `{command}`", command=context.invoked_subcommand))
        return
    from postroad.entrypoints.cli.show import sends as shown
    from postroad.flows.local_runs import list_sends

    composition: Composition = context.obj
    shown.past_sends(list_sends(composition.surroundings(), limit), as_json=as_json)


def list_all(
    context: typer.Context,
    *,
    state: Annotated[
        list[str] | None,
        typer.Option("--state", metavar="STATE", help=say("Only in this state, such as RUNNING; may be repeated.")),
    ] = None,
    job: Annotated[str | None, typer.Option("--job", metavar=opt.NAME_OR_ID, help=say("Only of this job."))] = None,
    limit: opt.Limit = 20,
    cursor: opt.Cursor = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.access.naming import id_of
    from postroad.entrypoints.cli.remote.show import runs, tables

    with signed_in(context) as service:
        query = {"state": [one.upper() for one in state or []], "jobId": id_of(service, JOBS, job)}
        found = service.listed("runs", query, limit=limit, cursor=cursor)
    tables.listing(found, runs.columns(), arguments_of(context), as_json=as_json)


def show(context: typer.Context, *, run: run_opt.Run, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.remote.sending.finding import get_run
    from postroad.entrypoints.cli.remote.show import runs

    with signed_in(context) as service:
        runs.one(get_run(service, run), as_json=as_json)


def watch(context: typer.Context, *, run: run_opt.Run = "latest", as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.remote.sending import watching
    from postroad.entrypoints.cli.remote.sending.finding import get_run

    with signed_in(context) as service:
        raise typer.Exit(watching.watch(service, get_run(service, run), as_json=as_json))


def pause(context: typer.Context, *, run: run_opt.RunId, as_json: opt.AsJson = False) -> None:
    _steer(context, run, "pause", None, as_json=as_json)


def resume(context: typer.Context, *, run: run_opt.RunId, as_json: opt.AsJson = False) -> None:
    _steer(context, run, "resume", None, as_json=as_json)


def cancel(
    context: typer.Context, *, run: run_opt.RunId, reason: run_opt.Reason = "", as_json: opt.AsJson = False
) -> None:
    _steer(context, run, "cancel", {"reason": reason}, as_json=as_json)


def concurrency(
    context: typer.Context,
    *,
    run: run_opt.RunId,
    target: Annotated[int, typer.Argument(metavar="N", min=1, help=say("Sends at once."))],
    as_json: opt.AsJson = False,
) -> None:
    _steer(context, run, "concurrency", {"target": target}, as_json=as_json)


def rate(
    context: typer.Context,
    *,
    run: run_opt.RunId,
    rate: Annotated[str, typer.Argument(metavar="N/s", help=say("Rate, such as 50/s or 20/min."))],
    key: Annotated[
        str, typer.Option("--key", metavar="BUDGET", help=say("Whose rate: run, account, domain:example.com, …"))
    ] = "run",
    as_json: opt.AsJson = False,
) -> None:
    _steer(context, run, "rate", {"rate": rate, "key": key}, as_json=as_json)


def items(
    context: typer.Context,
    *,
    run: run_opt.Run,
    only: Only = None,
    text: Text = None,
    limit: opt.Limit = 20,
    cursor: opt.Cursor = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help=say("Write all of them there as CSV."))
    ] = None,
    force: opt.Force = False,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.sending import outcomes

    wanted = outcomes.Wanted([one.upper() for one in only or []], text or "")
    with signed_in(context) as service:
        if out is not None:
            outcomes.export(service, run, wanted, out, force=force)
        else:
            place = outcomes.Place(limit, cursor, arguments_of(context))
            outcomes.tell(service, run, wanted, place, as_json=as_json)


def results(
    context: typer.Context,
    *,
    run: run_opt.Run,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help=say("Fetch them into this folder."))
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--file", metavar="NAME", help=say("Only this file; may be repeated."))
    ] = None,
    force: opt.Force = False,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.sending import outcomes

    with signed_in(context) as service:
        outcomes.files(service, run, outcomes.Fetch(out, only or [], force), as_json=as_json)


def resend(
    context: typer.Context,
    *,
    run: run_opt.RunId,
    only: Annotated[
        list[local.Again],
        typer.Option("--only", metavar="failed|unsent|unknown", help=say("To whom; may be repeated.")),
    ],
    yes: local.Yes = False,
    reason: run_opt.Reason = "",
    detach: run_opt.Detach = False,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.sending import starting

    answer = starting.Answer(yes, reason=reason, detach=detach, as_json=as_json)
    with signed_in(context) as service:
        raise typer.Exit(starting.resend(service, run, [one.value.upper() for one in only], answer))


def _steer(context: typer.Context, run: str, kind: str, body: object, *, as_json: bool) -> None:
    from postroad.entrypoints.cli.remote.sending.finding import get_run
    from postroad.entrypoints.cli.remote.sending.steering import steer
    from postroad.entrypoints.cli.remote.show import tables

    with signed_in(context) as service:
        command = steer(service, str(get_run(service, run, may_be_latest=False)["id"]), kind, body)
    tables.done(say("Taken: {kind}", kind=kind), command, as_json=as_json)
