"""`postroad message preview` and `postroad message test-send`."""

from typing import Annotated

import typer

from postroad.entrypoints.cli import options as opt
from postroad.entrypoints.cli.composition import Composition
from postroad.entrypoints.cli.texts import say


def commands() -> typer.Typer:
    group = typer.Typer(name="message", help=say("Look at a message before it is sent."), no_args_is_help=True)
    group.command(help=say("Show the message as recipients would get it. Nothing is sent."))(preview)
    group.command("test-send", help=say("Send one real message, to yourself."))(send_test)
    return group


def preview(
    context: typer.Context,
    *,
    job: opt.JobFile,
    row: Annotated[list[int] | None, typer.Option("--row", metavar="N", help=say("Row of the spreadsheet."))] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help=say("How many recipients."))] = 3,
    audience: opt.Audience = None,
    count: opt.Count = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.show import rehearsals
    from postroad.flows.local_runs import SendOrder, discard, prepare_send, preview_message

    composition: Composition = context.obj
    surroundings = composition.surroundings()
    overrides = opt.audience_overrides(audience, count, skip_invalid=True)
    prepared = prepare_send(SendOrder(job, overrides), surroundings)
    try:
        previews = preview_message(prepared, surroundings, tuple(row or ()), limit)
    finally:
        discard(prepared)
    rehearsals.previews(previews, as_json=as_json)


def send_test(
    context: typer.Context,
    *,
    job: opt.JobFile,
    fields: Annotated[
        list[str] | None, typer.Option("--to", metavar="FIELD=VALUE", help=say("A field of yourself, such as email=…"))
    ] = None,
    audience: opt.Audience = None,
    secrets: opt.Secrets = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.show import rehearsals
    from postroad.flows.local_runs import SendOrder
    from postroad.flows.local_runs import test_send as send_one

    composition: Composition = context.obj
    given = dict(_pair(pair) for pair in fields or [])
    if not given:
        raise typer.BadParameter(say("say who you are, with --to FIELD=VALUE, such as --to email=me@example.com"))
    order = SendOrder(job, opt.audience_overrides(audience, None, skip_invalid=True))
    result = send_one(order, composition.surroundings(secrets), given)
    raise typer.Exit(rehearsals.test_result(result, as_json=as_json))


def _pair(text: str) -> tuple[str, str]:
    field, separator, value = text.partition("=")
    if not separator or not field:
        raise typer.BadParameter(say("`--to {pair}` must be FIELD=VALUE", pair=text))
    return field, value
