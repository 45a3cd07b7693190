"""`postroad send` in its three forms: new, `--resume`, `--only`."""

from typing import TYPE_CHECKING

import typer

from postroad.entrypoints.cli import options as opt
from postroad.entrypoints.cli.texts import say

if TYPE_CHECKING:
    from pathlib import Path

    from postroad.entrypoints.cli.composition import Composition


def add_commands(program: typer.Typer) -> None:
    program.command(help=say("Send a message to an audience, resume a send, or send again to some of it."))(send)


def send(  # noqa: PLR0913  (cli: the options of a command are its arguments; until 2027-11-30)
    context: typer.Context,
    *,
    target: opt.Target = None,
    resume: opt.Resume = None,
    only: opt.Only = None,
    out: opt.Out = None,
    dry_run: opt.DryRun = False,
    yes: opt.Yes = False,
    confirm: opt.Confirm = None,
    again: opt.SendAgain = False,
    as_json: opt.AsJson = False,
    secrets: opt.Secrets = None,
    audience: opt.Audience = None,
    count: opt.Count = None,
    query: opt.Query = None,
    database: opt.Database = None,
    key: opt.Key = None,
    sheet: opt.Sheet = None,
    encoding: opt.Encoding = None,
    delimiter: opt.Delimiter = None,
    maps: opt.Maps = None,
    skip_invalid: opt.SkipInvalid = False,
    errors: opt.ErrorsFile = None,
    accepted: opt.AcceptedFile = None,
    rate: opt.Rate = None,
    concurrency: opt.Concurrency = None,
    workers: opt.Workers = 1,
) -> None:
    from postroad.entrypoints.cli import sending
    from postroad.flows.local_runs import ResendOrder, ResumeOrder, SendOrder

    composition: Composition = context.obj
    surroundings = composition.surroundings(secrets)
    answer = sending.Answer(yes=yes, hash=confirm, dry_run=dry_run, as_json=as_json, command=composition.arguments)
    pace = opt.pace_overrides(rate, concurrency)
    people = opt.audience_overrides(
        audience,
        count,
        database=database,
        query=query,
        key=key,
        sheet=sheet,
        encoding=encoding,
        delimiter=delimiter,
        maps=maps,
        skip_invalid=skip_invalid,
    )
    rows = sending.RowFiles(errors, accepted)
    if resume is not None:
        _refuse_beside("--resume", JOB=target, only=only, audience=people, out=out, dry_run=dry_run, again=again)
        raise typer.Exit(sending.go_on(ResumeOrder(resume, pace), surroundings, answer))
    if only:
        _refuse_beside("--only", audience=people, errors=errors, accepted=accepted)
        resend = ResendOrder(_past_send(target), opt.outcomes(only), pace, out, workers, again)
        raise typer.Exit(sending.send_again(resend, surroundings, answer))
    if target is None:
        raise typer.BadParameter(say("name a job file, or --resume FOLDER; `postroad init` writes a job file"))
    order = SendOrder(target, people | pace, out, workers, again)
    raise typer.Exit(sending.send_new(order, surroundings, answer, rows))


def _past_send(target: "Path | None") -> "Path":
    if target is None:
        raise typer.BadParameter(say("name the folder of the past send: postroad send --only failed FOLDER"))
    return target


def _refuse_beside(option: str, **given: object) -> None:
    for name, value in given.items():
        if value:
            shown = name if name.isupper() else "--" + name.replace("_", "-")
            raise typer.BadParameter(say("{option} goes without {name}", option=option, name=shown))
