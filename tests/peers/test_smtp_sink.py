"""Mail to postfix's smtp-sink: an independent ear, and faults at each step of the dialogue."""

import pytest
from tests.builders.smtp_sink import running_sink
from tests.peers.mail import addresses, plan, rows
from tests.peers.sending import ONCE, Ran, check

from postroad.engine import RetryPolicy
from postroad.vocabulary.transitions import RunState

THREE_TIMES = RetryPolicy(max_attempts=3, initial_s=0.01, max_delay_s=0.02)


def told(ran: Ran) -> set[tuple[str, str, str]]:
    return {(item.outcome.value, item.category, item.code) for item in ran.items.values()}


@pytest.mark.parametrize("options", [(), ("-p",), ("-8", "-E", "-N"), ("-e",)], ids=" ".join)
async def test_every_mail_arrives_once_whatever_the_server_offers(options: tuple[str, ...]) -> None:
    with running_sink(*options) as sink:
        ran = await plan(sink.port, retry=ONCE).run(rows(300))
        mails, (_, _, counted) = sink.final_mails(), sink.final_counters()
        check(ran.outcomes, addresses(300), sink.final_copies())
    assert (ran.summary.state, ran.summary.succeeded, counted) == (RunState.SUCCEEDED, 300, 300)
    assert len({mail["Message-ID"] for mail in mails}) == 300


async def test_a_line_cut_before_the_dot_is_tried_again_and_never_doubt() -> None:
    for command in "MAIL", "RCPT", "DATA":
        with running_sink("-q", command) as sink:
            ran = await plan(sink.port, retry=THREE_TIMES).run(rows(12))
            check(ran.outcomes, addresses(12), sink.final_copies())
        assert told(ran) == {("FAILED", "NETWORK", "RESET")}, command
        assert ran.summary.retried == 24, command


async def test_a_line_cut_at_the_dot_is_unknown_and_not_tried_again() -> None:
    with running_sink("-q", ".") as sink:
        ran = await plan(sink.port, retry=THREE_TIMES).run(rows(60))
        copies = sink.final_copies()
        check(ran.outcomes, addresses(60), copies)
    assert told(ran) == {("UNKNOWN", "NETWORK", "RESET")}
    assert ran.summary.retried == 0


@pytest.mark.parametrize("command", ["CONNECT", "EHLO", "MAIL", "RCPT", "DATA", "."])
async def test_a_421_at_any_step_is_tried_again_and_keeps_nothing(command: str) -> None:
    with running_sink("-Q", command) as sink:
        ran = await plan(sink.port, retry=THREE_TIMES).run(rows(12))
        copies = sink.final_copies()
    assert (ran.summary.failed, ran.summary.retried) == (12, 24)
    assert {item.category for item in ran.items.values()} == {"TEMPORARY_REMOTE"}
    assert command == "." or not copies


async def test_a_soft_no_is_tried_again_and_then_fails() -> None:
    for command in "MAIL", "RCPT", "DATA", ".":
        with running_sink("-r", command, "-b", "450 4.2.0 greylisted for now") as sink:
            ran = await plan(sink.port, retry=THREE_TIMES).run(rows(12))
        assert told(ran) == {("FAILED", "TEMPORARY_REMOTE", "450 4.2.0")}, command
        assert ran.summary.retried == 24, command


@pytest.mark.parametrize(
    ("command", "reply", "state", "category"),
    [
        ("RCPT", "550 5.1.1 no such user", RunState.PARTIAL, "RECIPIENT_INVALID"),
        ("RCPT", "554 5.7.1 relay access denied", RunState.PARTIAL, "PERMANENT_REMOTE"),
        ("DATA", "554 5.5.1 no", RunState.PARTIAL, "INVALID_REQUEST"),
        (".", "550 5.7.1 looks like spam", RunState.PARTIAL, "PERMANENT_REMOTE"),
        ("MAIL", "550 5.7.1 sender not allowed", RunState.FAILED, "AUTHORIZATION"),
        ("CONNECT", "554 5.7.1 go away", RunState.FAILED, "AUTHORIZATION"),
    ],
)
async def test_a_hard_no_is_believed_at_once(command: str, reply: str, state: RunState, category: str) -> None:
    with running_sink("-f", command, "-B", reply) as sink:
        ran = await plan(sink.port, retry=THREE_TIMES).run(rows(12))
    assert (ran.summary.state, ran.summary.succeeded, ran.summary.unknown, ran.summary.retried) == (state, 0, 0, 0)
    assert {item.category for item in ran.items.values() if item.outcome == "FAILED"} == {category}
    assert ran.summary.failed == 12 or state is RunState.FAILED


async def test_a_no_to_data_that_comes_with_the_yes_ends_before_the_dot() -> None:
    with running_sink("-A", "0") as sink:
        ran = await plan(sink.port, retry=THREE_TIMES).run(rows(20))
        copies = sink.final_copies()
    assert (ran.summary.succeeded, ran.summary.unknown, copies.total()) == (0, 0, 0)
    assert {item.code[:3] for item in ran.items.values()} == {"550"}


async def test_a_sink_that_is_slow_to_answer_the_dot_is_waited_for() -> None:
    with running_sink("-W", ".:2") as sink:
        ran = await plan(sink.port, retry=ONCE, at_once=16, account={"commandTimeoutSeconds": 1}).run(rows(16))
        check(ran.outcomes, addresses(16), sink.final_copies())
    assert ran.summary.succeeded == 16


async def test_a_sink_that_is_killed_leaves_unknown_only_what_was_in_flight() -> None:
    with running_sink() as sink:

        def kill_and_start() -> None:
            for mails in 150, 400:
                sink.wait_for(mails)
                sink.kill()
                sink.start()

        ran = await plan(sink.port).run(rows(600), kill_and_start)
        check(ran.outcomes, addresses(600), sink.final_copies())
    assert (ran.summary.failed, ran.summary.unsent) == (0, 0)
    assert ran.summary.unknown <= 2 * 4
