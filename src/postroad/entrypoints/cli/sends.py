"""`postroad send` in its three forms (new, `--resume`, `--only`) and `postroad runs`."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postroad.entrypoints.cli import options as opt
from postroad.entrypoints.cli.texts import say

if TYPE_CHECKING:
    from postroad.entrypoints.cli.composition import Composition

_SEND_EXAMPLES = """

`postroad send job.yaml --dry-run` · `postroad send job.yaml --audience people.xlsx --rate 20/s` ·
`postroad send --resume sends/2026-11-30-spring-1` · `postroad send --only failed sends/2026-11-30-spring-1`"""


class Again(StrEnum):
    """Whom a linked new send goes to."""

    failed = "failed"
    unsent = "unsent"
    unknown = "unknown"


def add_commands(program: typer.Typer) -> None:
    program.command(
        help=say("Send a message to an audience, resume a send, or send again to some of it.") + _SEND_EXAMPLES
    )(send)
    program.command(help=say("List past sends and their folders."))(runs)


def send(
    context: typer.Context,
    *,
    target: Annotated[
        Path | None, typer.Argument(metavar="JOB|FOLDER", help=say("Job file; with --only the folder of a past send."))
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="FOLDER", help=say("Go on with an unfinished send."))
    ] = None,
    only: Annotated[
        list[Again] | None, typer.Option("--only", help=say("A new send to those of a past send who came to this."))
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help=say("Folder of the send; else named by date and job.")),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help=say("Render the whole audience and send nothing."))
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help=say("Send without asking."))] = False,
    confirm: Annotated[
        str | None, typer.Option("--confirm", metavar="HASH", help=say("Send if this is the hash of the dry run."))
    ] = None,
    again: Annotated[bool, typer.Option("--again", help=say("Send although the very same was sent before."))] = False,
    workers: Annotated[
        int, typer.Option("--workers", min=1, max=64, metavar="N", help=say("Processes that share the send."))
    ] = 1,
    audience: opt.Audience = None,
    count: opt.Count = None,
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
    secrets: opt.Secrets = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli import sending
    from postroad.flows.local_runs import ResendOrder, ResumeOrder, SendOrder
    from postroad.vocabulary.outcomes import Outcome

    composition: Composition = context.obj
    surroundings = composition.surroundings(secrets)
    answer = sending.Answer(yes=yes, hash=confirm, dry_run=dry_run, as_json=as_json)
    pace = opt.pace_overrides(rate, concurrency)
    people = opt.audience_overrides(
        audience,
        count,
        key=key,
        sheet=sheet,
        encoding=encoding,
        delimiter=delimiter,
        maps=maps,
        skip_invalid=skip_invalid,
    )
    if resume is not None:
        _refuse_beside("--resume", target=target, only=only, audience=people, dry_run=dry_run or None)
        raise typer.Exit(sending.go_on(ResumeOrder(resume, pace), surroundings, answer))
    if only:
        if target is None:
            raise typer.BadParameter(say("name the folder of the past send: postroad send --only failed FOLDER"))
        _refuse_beside("--only", audience=people)
        outcomes = frozenset(Outcome[name.value.upper()] for name in only)
        raise typer.Exit(
            sending.send_again(ResendOrder(target, outcomes, pace, out, workers, again), surroundings, answer)
        )
    if target is None:
        raise typer.BadParameter(say("name a job file, or --resume FOLDER; `postroad init` writes a job file"))
    order = SendOrder(target, people | pace, out, workers, again)
    raise typer.Exit(sending.send_new(order, surroundings, answer, sending.RowFiles(errors, accepted)))


def _refuse_beside(option: str, **given: object) -> None:
    for name, value in given.items():
        if value:
            raise typer.BadParameter(say("{option} goes without {name}", option=option, name=name.replace("_", "-")))


def runs(
    context: typer.Context,
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help=say("How many, the newest first."))] = 20,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.show import sends as shown
    from postroad.flows.local_runs import list_sends

    composition: Composition = context.obj
    shown.past_sends(list_sends(composition.surroundings(), limit), as_json=as_json)
