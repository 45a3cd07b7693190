"""A real postfix that refuses, limits, hangs up, is stopped and is killed: nobody lost, no second mail."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.builders.postfix import Postfix, running_postfix
from tests.peers.mail import addresses, plan, row_for, rows
from tests.peers.sending import ONCE, check

from postroad.engine import RetryPolicy
from postroad.vocabulary.transitions import RunState

LONG = RetryPolicy(max_attempts=30, initial_s=0.05, max_delay_s=0.4)
"""A postfix takes seconds to stop and to start."""
THREE_TIMES = RetryPolicy(max_attempts=3, initial_s=0.01, max_delay_s=0.02)
NO_EXCEPTIONS = "smtpd_client_event_limit_exceptions ="
"""Limits hold for this machine too."""


def some_missing(count: int) -> list[dict[str, Any]]:
    """Every third recipient does not exist."""
    return [row_for(n, f"missing{n}@example.com" if n % 3 == 0 else f"r{n}@example.com") for n in range(count)]


def stop_and_start(postfix: Postfix) -> None:
    for mails in 100, 300:
        postfix.wait_for(mails)
        postfix.stop()
        postfix.start()


def kill_and_start(postfix: Postfix) -> None:
    for mails in 100, 300:
        postfix.wait_for(mails)
        postfix.kill()
        postfix.start()


@pytest.mark.parametrize("interrupt", [stop_and_start, kill_and_start])
async def test_an_interrupted_postfix_leaves_unknown_only_what_was_in_flight(
    interrupt: Callable[[Postfix], None],
) -> None:
    with running_postfix() as postfix:
        ran = await plan(postfix.port, retry=LONG, rate=250).run(rows(500), lambda: interrupt(postfix))
        check(ran.outcomes, addresses(500), postfix.final_copies())
    assert (ran.summary.failed, ran.summary.unsent) == (0, 0)
    assert ran.summary.unknown <= 2 * 4
    assert ran.summary.retried > 0


async def test_a_recipient_that_does_not_exist_fails_alone() -> None:
    people = some_missing(90)
    with running_postfix("smtpd_error_sleep_time = 0", "smtpd_hard_error_limit = 1000") as postfix:
        ran = await plan(postfix.port, retry=ONCE).run(people)
        check(ran.outcomes, [row["email"] for row in people], postfix.final_copies())
    failed = {name for name, outcome in ran.outcomes.items() if outcome == "FAILED"}
    assert (ran.summary.succeeded, failed) == (60, {row["email"] for row in people[::3]})
    assert {(ran.items[name].category, ran.items[name].code) for name in failed} == {("RECIPIENT_INVALID", "550 5.1.1")}


async def test_a_postfix_that_hangs_up_over_errors_costs_nobody() -> None:
    people = some_missing(120)
    with running_postfix("smtpd_error_sleep_time = 0", "smtpd_hard_error_limit = 3") as postfix:
        ran = await plan(postfix.port).run(people)
        check(ran.outcomes, [row["email"] for row in people], postfix.final_copies())
    assert (ran.summary.succeeded, ran.summary.failed, ran.summary.unknown) == (80, 40, 0)
    assert {item.category for item in ran.items.values() if item.outcome == "FAILED"} == {"RECIPIENT_INVALID"}


async def test_a_postfix_that_slows_down_over_errors_costs_nobody() -> None:
    people = some_missing(9)
    with running_postfix("smtpd_error_sleep_time = 1s", "smtpd_soft_error_limit = 1") as postfix:
        ran = await plan(postfix.port, retry=ONCE).run(people)
        check(ran.outcomes, [row["email"] for row in people], postfix.final_copies())
    assert (ran.summary.succeeded, ran.summary.failed, ran.summary.unknown) == (6, 3, 0)


async def test_a_limit_of_mails_in_a_time_is_kept_by_the_whole_run() -> None:
    limit = ("anvil_rate_time_unit = 1s", "smtpd_client_message_rate_limit = 30", NO_EXCEPTIONS)
    with running_postfix(*limit) as postfix:
        ran = await plan(postfix.port, account={"deferredRetrySeconds": 1}).run(rows(70))
        check(ran.outcomes, addresses(70), postfix.final_copies())
    assert (ran.summary.state, ran.summary.succeeded) == (RunState.SUCCEEDED, 70)
    assert 1 <= ran.summary.retried <= 4 * 8


async def test_a_limit_of_connections_is_kept_with_max_connections() -> None:
    with running_postfix("smtpd_client_connection_count_limit = 2", NO_EXCEPTIONS) as postfix:
        ran = await plan(postfix.port, account={"maxConnections": 2}, at_once=2, retry=ONCE).run(rows(100))
        check(ran.outcomes, addresses(100), postfix.final_copies())
    assert ran.summary.succeeded == 100


async def test_a_limit_of_connections_that_the_account_does_not_know_is_learnt() -> None:
    with running_postfix("smtpd_client_connection_count_limit = 2", NO_EXCEPTIONS) as postfix:
        ran = await plan(postfix.port, at_once=16, retry=ONCE).run(rows(200))
        check(ran.outcomes, addresses(200), postfix.final_copies())
    assert (ran.summary.state, ran.summary.succeeded) == (RunState.SUCCEEDED, 200)


async def test_a_limit_of_connections_in_a_time_costs_nobody() -> None:
    often = {"maxMessagesPerConnection": 20, "deferredRetrySeconds": 1}
    limit = ("anvil_rate_time_unit = 1s", "smtpd_client_connection_rate_limit = 3", NO_EXCEPTIONS)
    with running_postfix(*limit) as postfix:
        ran = await plan(postfix.port, at_once=8, account=often).run(rows(150))
        check(ran.outcomes, addresses(150), postfix.final_copies())
    assert ran.summary.succeeded == 150


async def test_a_mail_that_is_too_large_fails_before_it_is_sent() -> None:
    people = [
        row_for(n, address) | {"filler": "x" * (60_000 if n % 4 == 0 else 1)} for n, address in enumerate(addresses(40))
    ]
    with running_postfix("message_size_limit = 20000") as postfix:
        ran = await plan(postfix.port, retry=ONCE).run(people)
        check(ran.outcomes, addresses(40), postfix.final_copies())
    assert (ran.summary.succeeded, ran.summary.failed) == (30, 10)
    assert {item.code for item in ran.items.values() if item.outcome == "FAILED"} == {"TOO_LARGE"}


async def test_a_postfix_without_room_defers_and_is_asked_again() -> None:
    no_room = ("queue_minfree = 9000000000000000000", "message_size_limit = 0", "smtpd_error_sleep_time = 0")
    with running_postfix(*no_room) as postfix:
        ran = await plan(postfix.port, retry=THREE_TIMES).run(rows(8))
        copies = postfix.final_copies()
    assert (ran.summary.failed, ran.summary.retried, copies.total()) == (8, 16, 0)
    assert {(item.category, item.code) for item in ran.items.values()} == {("TEMPORARY_REMOTE", "452 4.3.1")}


async def test_a_postfix_that_closes_idle_connections_costs_nobody() -> None:
    with running_postfix("smtpd_timeout = 1s") as postfix:
        ran = await plan(postfix.port, retry=ONCE, rate=1, at_once=1).run(rows(3))
        check(ran.outcomes, addresses(3), postfix.final_copies())
    assert ran.summary.succeeded == 3
