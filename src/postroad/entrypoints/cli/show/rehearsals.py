"""What would be sent: dry runs, previews, the last look before a live send, the test to oneself."""

import contextlib
from collections.abc import Callable, Iterator, Sequence

from rich.progress import Progress, TextColumn
from rich.text import Text

from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.show.confirming import ask_field
from postroad.entrypoints.cli.texts import say
from postroad.flows.local_runs import (
    DryRunReport,
    ItemPreview,
    PreparedSend,
    SendOrder,
    Surroundings,
    TestSendResult,
    test_send,
)
from postroad.spi import Preview, Verdict
from postroad.vocabulary.errors import PostroadError

_LONGEST_PART = 2000
_ROWS_SHOWN = 5
_WHOLE_RUN = "run"


@contextlib.contextmanager
def progress(total: int) -> Iterator[Callable[[int], None]]:
    """A bar while the audience is rendered, in a terminal only."""
    with Progress(
        TextColumn("{task.description}"),
        *Progress.get_default_columns()[1:],
        console=console.people,
        transient=True,
        disable=not console.people.is_terminal,
    ) as bar:
        task = bar.add_task(say("rendering"), total=total)
        yield lambda done: bar.update(task, completed=done)


def report(prepared: PreparedSend, found: DryRunReport, next_command: str, *, as_json: bool) -> None:
    _facts(prepared, found)
    _problems(found)
    if found.missing_fields:
        console.tell(say("Nothing was sent."))
    else:
        console.tell(say("Nothing was sent. To send exactly this: {command}", command=next_command))
    if as_json:
        console.print_json(console.fields_of(found) | {"ok": found.ok})
    elif not (console.results.is_terminal and console.people.is_terminal):
        console.results.print(found.hash)


def endpoints(prepared: PreparedSend) -> None:
    if prepared.endpoints:
        console.tell(say("Sends to: {hosts}", hosts=", ".join(prepared.endpoints)), "dim")


def before_sending(prepared: PreparedSend, found: DryRunReport, first: Sequence[ItemPreview]) -> None:
    _facts(prepared, found)
    _problems(found)
    for item in first:
        console.tell(say("The first message:"), "bold")
        _item(item)


def _facts(prepared: PreparedSend, found: DryRunReport) -> None:
    audience = prepared.audience
    table = console.plain_table("", "")
    table.add_row(say("channel"), f"{prepared.provider_id} {prepared.provider_version}")
    table.add_row(
        say("recipients"),
        say(
            "{accepted} of {rows} rows (duplicates {duplicates}, rejected {rejected})",
            accepted=console.number(audience.accepted),
            rows=console.number(audience.rows),
            duplicates=console.number(audience.duplicates),
            rejected=console.number(audience.rejected),
        ),
    )
    if audience.encoding:
        table.add_row(
            say("read as"), f"{audience.encoding} {audience.delimiter!r}" if audience.delimiter else audience.encoding
        )
    rates = ", ".join(_rate(bucket, rate) for bucket, rate in prepared.rates.items()) or say("no limit")
    table.add_row(say("rate"), say("{rates} (safe default)", rates=rates) if prepared.default_rate_used else rates)
    table.add_row(say("at once"), str(prepared.concurrency))
    if found.seconds_to_finish is not None and found.seconds_to_finish >= 1:
        table.add_row(say("time"), say("at least {time}", time=console.duration(found.seconds_to_finish)))
    if found.parts_total != found.rendered:
        table.add_row(say("parts"), console.number(found.parts_total))
    if found.price_total is not None:
        table.add_row(say("price"), console.money(found.price_total, found.currency))
    table.add_row(say("size"), say("largest {n} bytes", n=console.number(found.size_bytes_max)))
    table.add_row(say("hash"), found.hash)
    console.people.print(table)
    for warning in (*audience.warnings, *prepared.warnings, *found.warnings):
        console.tell(warning, "yellow")


def _rate(bucket: str, rate: str) -> str:
    return console.rate(rate) if bucket == _WHOLE_RUN else f"{bucket} {console.rate(rate)}"


def _problems(found: DryRunReport) -> None:
    if found.missing_fields:
        console.tell(
            say("The message needs columns the audience lacks: {names}", names=", ".join(found.missing_fields)), "red"
        )
    if found.failed:
        console.tell(say("{n} recipients cannot get this message:", n=console.number(found.failed)), "red")
        alike: dict[tuple[str, str], list[int]] = {}
        for problem in found.problems:
            alike.setdefault((problem.field or "-", problem.message), []).append(problem.row)
        for (field, message), rows in alike.items():
            console.tell(
                say("  row {row}, field {field}: {message}", row=_first_of(rows), field=field, message=message)
            )
        if found.failed > len(found.problems):
            console.tell(say("  … and {n} more", n=console.number(found.failed - len(found.problems))))


def _first_of(rows: Sequence[int]) -> str:
    shown = ", ".join(map(str, rows[:_ROWS_SHOWN]))
    return f"{shown}, …" if len(rows) > _ROWS_SHOWN else shown


def previews(items: Sequence[ItemPreview], *, as_json: bool) -> None:
    for item in items:
        _item(item)
    if as_json:
        console.print_json(items)


def _item(item: ItemPreview) -> None:
    if item.preview is None:
        message = item.problem.message if item.problem else ""
        console.tell(say("row {row}: {message}", row=item.row, message=message), "red")
        return
    console.tell(say("row {row} → {headline}", row=item.row, headline=item.preview.headline), "bold")
    _parts(item.preview)


def _parts(preview: Preview) -> None:
    for name, text in preview.parts.items():
        shown = text if len(text) <= _LONGEST_PART else text[:_LONGEST_PART] + " …"
        console.people.print(Text.assemble("  ", (f"{name}: ", "dim"), shown.replace("\n", "\n    ")))
    for warning in preview.warnings:
        console.tell(f"  {warning}", "yellow")


def test_to_oneself(order: SendOrder, surroundings: Surroundings, columns: Sequence[str]) -> None:
    """Asks for the address fields and sends one message; every error is told and nothing ends."""
    console.tell(say("Fields of yourself, one FIELD=VALUE a line; an empty line sends."))
    console.tell(
        say(
            "The audience has: {columns}. With your key the rest is taken from the first recipient.",
            columns=", ".join(columns),
        ),
        "dim",
    )
    fields: dict[str, str] = {}
    while True:
        name, separator, value = ask_field("FIELD=VALUE").partition("=")
        if not name:
            break
        if separator:
            fields[name.strip()] = value.strip()
        else:
            console.tell(say("not understood; write it as {name}=VALUE", name=columns[0] if columns else "FIELD"))
    if not fields:
        console.tell(say("No field was given; nothing was sent."))
        return
    try:
        test_result(test_send(order, surroundings, fields), as_json=False)
    except PostroadError as error:
        console.complain(error.message)


def test_result(result: TestSendResult, *, as_json: bool) -> int:
    """Shows what one attempt came to; returns the exit code."""
    accepted = result.verdict is Verdict.ACCEPTED
    failure = f"{result.verdict} {result.category or ''} {result.code}: {result.summary}"
    line = say("accepted in {ms} ms", ms=result.latency_ms) if accepted else " ".join(failure.split())
    console.tell(line, "green" if accepted else "red")
    if as_json:
        console.print_json(result)
    return 0 if accepted else 1
