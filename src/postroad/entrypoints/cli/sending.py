"""The conversation around a send: show, ask, send, tell how it ended. Each function returns the exit code."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from postroad.entrypoints.cli.show import console, endings, rehearsals
from postroad.entrypoints.cli.show.confirming import Choice, ask
from postroad.entrypoints.cli.show.watching import watched
from postroad.entrypoints.cli.texts import say
from postroad.flows.local_runs import (
    DryRunReport,
    Observer,
    PreparedSend,
    ResendOrder,
    ResumeOrder,
    SendOrder,
    SendSummary,
    Surroundings,
    discard,
    dry_run,
    prepare_send,
    preview_message,
    resend,
    resume_send,
    start_send,
    write_accepted,
)
from postroad.vocabulary.errors import InvalidInput, SendConflict

DRY_RUN_FOUND_ERRORS = 3
NOT_CONFIRMED = 4
_HASH_SHOWN = 16


@dataclass(frozen=True, slots=True)
class Answer:
    """What the command line said to the questions before a send."""

    yes: bool
    hash: str | None
    dry_run: bool
    as_json: bool
    command: Sequence[str] = ()
    """The command line, to print the one that comes next."""

    def confirming(self, hash_hex: str) -> str:
        """The same command line, with the hash in place of the dry run."""
        words = [word for word in self.command if word not in ("--dry-run", "--json")]
        return " ".join(map(console.typed, ["postroad", *words, "--confirm", hash_hex[:_HASH_SHOWN]]))


@dataclass(frozen=True, slots=True)
class RowFiles:
    """Where the caller wants the rejected and the accepted rows."""

    errors: Path | None = None
    accepted: Path | None = None


def send_new(order: SendOrder, surroundings: Surroundings, answer: Answer, files: RowFiles) -> int:
    _must_be_answerable(answer)
    prepared = prepare_send(order, surroundings, errors_file=files.errors)
    if files.accepted is not None:
        write_accepted(prepared, files.accepted)
    return _confirmed(prepared, surroundings, answer, order)


def send_again(order: ResendOrder, surroundings: Surroundings, answer: Answer) -> int:
    _must_be_answerable(answer)
    return _confirmed(resend(order, surroundings), surroundings, answer, None)


def go_on(order: ResumeOrder, surroundings: Surroundings, answer: Answer) -> int:
    return _run(lambda observer: resume_send(order, surroundings, observer), answer)


def _must_be_answerable(answer: Answer) -> None:
    if not (answer.yes or answer.hash or answer.dry_run or sys.stdin.isatty()):
        raise InvalidInput(
            say("a live send must be confirmed: give --yes, or --confirm HASH with the hash that --dry-run prints"),
            field="--yes",
        )


def _confirmed(prepared: PreparedSend, surroundings: Surroundings, answer: Answer, order: SendOrder | None) -> int:
    """Goes from a prepared send to its end. A send that is not confirmed leaves no folder."""
    begun = False
    try:
        if answer.dry_run:
            report = _rehearsed(prepared, surroundings)
            rehearsals.report(prepared, report, answer.confirming(report.hash), as_json=answer.as_json)
            return 0 if report.ok else DRY_RUN_FOUND_ERRORS
        if prepared.same_as is not None and not prepared.again:
            raise SendConflict(
                say(
                    "the very same was sent or begun before, see {folder}; to send it once more give --again",
                    folder=console.place(prepared.same_as),
                ),
                field="--again",
            )
        rehearsals.endpoints(prepared)
        _must_have_columns(prepared, surroundings)
        if not answer.yes and answer.hash is None and not _agreed(prepared, surroundings, order):
            console.tell(say("Nothing was sent."))
            return NOT_CONFIRMED
        begun = True
        return _run(
            lambda observer: start_send(prepared, surroundings, observer, confirmed_hash=answer.hash), answer, prepared
        )
    except KeyboardInterrupt:
        if not begun:
            console.tell("\n" + say("Nothing was sent."))
        raise
    finally:
        if not begun:
            discard(prepared)


def _must_have_columns(prepared: PreparedSend, surroundings: Surroundings) -> None:
    """Refuses a message that nobody could get because the audience lacks a column. Looks at the first recipient."""
    columns = prepared.audience.columns
    for item in preview_message(prepared, surroundings, limit=1):
        lacking = item.problem.field if item.problem is not None else ""
        if lacking and item.fields and lacking not in item.fields:
            raise InvalidInput(
                say(
                    "the message needs `{field}`, which the audience does not have; its columns are {columns}."
                    " Name one with --map {field}=COLUMN",
                    field=lacking,
                    columns=", ".join(columns),
                ),
                field=lacking,
            )


def _rehearsed(prepared: PreparedSend, surroundings: Surroundings) -> DryRunReport:
    with rehearsals.progress(prepared.audience.accepted) as progressed:
        return dry_run(prepared, surroundings, progressed)


def _agreed(prepared: PreparedSend, surroundings: Surroundings, order: SendOrder | None) -> bool:
    """Shows what would be sent and asks until the answer is yes or no."""
    report = _rehearsed(prepared, surroundings)
    first = preview_message(prepared, surroundings, limit=1)
    rehearsals.before_sending(prepared, report, first)
    while True:
        choice = ask(can_test=order is not None)
        if choice is not Choice.TEST or order is None:
            return choice is Choice.SEND
        rehearsals.test_to_oneself(order, surroundings, prepared.audience.columns)


def _run(execute: Callable[[Observer], SendSummary], answer: Answer, prepared: PreparedSend | None = None) -> int:
    with watched(as_json=answer.as_json) as observer:
        try:
            summary = execute(observer)
        except BaseException:
            if prepared is not None and not observer.has_started:
                discard(prepared)
            raise
    endings.tell(summary, as_json=answer.as_json)
    return summary.exit_code
