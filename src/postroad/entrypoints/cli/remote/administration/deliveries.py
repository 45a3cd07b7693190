"""`postroad deliveries`: which events reached which consumers, and what to do about those that did not."""

from typing import Annotated, Literal

import typer

from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.opening import arguments_of, signed_in
from postroad.entrypoints.cli.texts import say

Consumer = Annotated[str, typer.Argument(metavar="CONSUMER", help=say("Name of the consumer."))]
Delivery = Annotated[str, typer.Argument(metavar="ID", help=say("Id of the delivery."))]
ConsumerFilter = Annotated[
    str | None, typer.Option("--consumer", metavar="NAME", help=say("Only deliveries to this consumer."))
]
States = Annotated[
    list[str] | None, typer.Option("--state", metavar="STATE", help=say("Only in this state; given once for each."))
]
Event = Annotated[str | None, typer.Option("--event", metavar="NAME", help=say("Only events of this name."))]
After = Annotated[
    str | None,
    typer.Option("--after", metavar="TIME", help=say("Only from this time on, such as 2026-11-30T00:00:00Z.")),
]
Before = Annotated[str | None, typer.Option("--before", metavar="TIME", help=say("Only before this time."))]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help=say("Why; it stands in the audit."))]
Expected = Annotated[
    int | None,
    typer.Option("--expected", min=0, metavar="N", help=say("Do it, if it is this number. Without it, only count.")),
]


def commands() -> typer.Typer:
    group = typer.Typer(name="deliveries", help=say("Deliveries of events to consumers."), no_args_is_help=True)
    group.command("list", help=say("List deliveries of the workspace, the newest events first."))(list_all)
    group.command(help=say("Show a delivery with its event and all its generations."))(show)
    group.command(help=say("Deliver again what failed; without --expected it is only counted."))(replay)
    group.command(help=say("Give up what failed; without --expected it is only counted."))(discard)
    return group


def list_all(
    context: typer.Context,
    *,
    consumer: ConsumerFilter = None,
    state: Annotated[str | None, typer.Option("--state", metavar="STATE", help=say("Only in this state."))] = None,
    event: Event = None,
    after: After = None,
    before: Before = None,
    limit: opt.Limit = 50,
    cursor: opt.Cursor = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.remote.show import cells, tables

    query = {
        "consumer": consumer,
        "state": state,
        "event": event,
        "occurredAfter": after,
        "occurredBefore": before,
    }
    with signed_in(context) as service:
        found = service.listed("deliveries", query, limit=limit, cursor=cursor)
    columns = [
        tables.Column(say("at"), lambda one: cells.local(one["createdAt"]), folds=False),
        tables.Column(say("event"), lambda one: one["eventName"]),
        tables.Column(say("consumer"), lambda one: one["consumer"]),
        tables.Column(say("state"), lambda one: cells.state(one["state"])),
        tables.Column(say("attempts"), lambda one: str(one["attempts"])),
        tables.Column(say("error"), lambda one: one["lastError"]),
        tables.Column(say("id"), lambda one: one["id"]),
    ]
    tables.listing(found, columns, arguments_of(context), as_json=as_json)


def show(context: typer.Context, *, delivery: Delivery) -> None:
    """The answer of the service, as JSON."""
    from postroad.entrypoints.cli.remote.access.service import path_of
    from postroad.entrypoints.cli.show import console

    with signed_in(context) as service:
        console.print_json(service.get(path_of("deliveries", delivery)))


def replay(
    context: typer.Context,
    *,
    consumer: Consumer,
    reason: Reason,
    state: States = None,
    event: Event = None,
    after: After = None,
    before: Before = None,
    expected: Expected = None,
    as_json: opt.AsJson = False,
) -> None:
    body = _body(consumer, reason, state, event, expected) | _times(after, before)
    _steer(context, "replay", body, as_json=as_json)


def discard(
    context: typer.Context,
    *,
    consumer: Consumer,
    reason: Reason,
    state: States = None,
    event: Event = None,
    after: After = None,
    before: Before = None,
    expected: Expected = None,
    as_json: opt.AsJson = False,
) -> None:
    body = _body(consumer, reason, state, event, expected) | _times(after, before)
    _steer(context, "discard", body, as_json=as_json)


def _steer(
    context: typer.Context, what: Literal["replay", "discard"], body: dict[str, object], *, as_json: bool
) -> None:
    from postroad.entrypoints.cli.remote.show import tables

    with signed_in(context) as service:
        answer = service.post(f"deliveries/{what}", body)
    counted = say("{number} deliveries; to go on, give --expected {number}", number=answer["number"])
    done = say("Deliveries changed: {number}", number=answer["number"])
    tables.done(done if answer["done"] else counted, answer, as_json=as_json)


def _body(
    consumer: str, reason: str, states: list[str] | None, event: str | None, expected: int | None
) -> dict[str, object]:
    given = {"states": states or None, "event": event, "expected": expected}
    return {"consumer": consumer, "reason": reason} | {key: value for key, value in given.items() if value is not None}


def _times(after: str | None, before: str | None) -> dict[str, object]:
    given = {"occurredAfter": after, "occurredBefore": before}
    return {key: value for key, value in given.items() if value is not None}
