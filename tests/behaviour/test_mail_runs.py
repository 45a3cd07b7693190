"""Whole runs over SMTP: every recipient accounted for, nobody mailed twice, whatever the server does."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.builders.provider_context import config, loopback_egress
from tests.builders.smtp_server import DROP, SmtpServer

from postroad.engine import ConcurrencyPolicy, Engine, ExecutionPolicies, RetryPolicy, RunSpec, RunSummary
from postroad.providers.smtp import SmtpProvider
from postroad.spi import Rate, Recipient
from postroad.vocabulary.transitions import RunState

MESSAGE = {"subject": "Hello {{ n }}", "text": "Number {{ n }}"}


def rows(count: int) -> Iterator[Recipient]:
    return (Recipient(n, {"email": f"r{n}@example.com", "n": n}, n + 2) for n in range(count))


async def run(server: SmtpServer, count: int, *, at_once: int = 4, **account: Any) -> RunSummary:
    policies = ExecutionPolicies(
        concurrency=ConcurrencyPolicy(min=1, max=at_once, target=at_once),
        rates={"run": Rate(0, 1.0)},
        retry=RetryPolicy(max_attempts=3, initial_s=0.01, max_delay_s=0.02),
    )
    given = {"host": "127.0.0.1", "security": "none", "from": "news@example.org", "deferredRetrySeconds": 0, **account}
    async with server.running():
        spec = RunSpec("run-1", "smtp", config({**given, "port": server.port}), config(MESSAGE), policies, total=count)
        async with Engine([SmtpProvider(loopback_egress())]) as engine:
            return await (await engine.start(spec, rows(count))).completion()


def reached(server: SmtpServer) -> Counter[str]:
    return Counter(received.recipients[0] for received in server.received)


async def test_every_row_is_mailed_once_over_a_few_connections() -> None:
    server = SmtpServer()
    summary = await run(server, 60)
    assert (summary.state, summary.succeeded) == (RunState.SUCCEEDED, 60)
    assert set(reached(server).values()) == {1}
    assert server.connections <= 4
    assert len({received.mail["Message-ID"] for received in server.received}) == 60


async def test_a_server_that_hangs_up_again_and_again_costs_no_mail() -> None:
    server = SmtpServer(hang_up_after=7)
    summary = await run(server, 60)
    assert (summary.succeeded, summary.unknown, summary.maybe_doubled) == (60, 0, 0)
    assert set(reached(server).values()) == {1}


async def test_lines_cut_after_the_dot_end_as_unknown_and_are_not_mailed_again() -> None:
    server = SmtpServer({"dot": [DROP] * 5})
    summary = await run(server, 40)
    assert (summary.succeeded, summary.unknown, summary.failed) == (35, 5, 0)
    assert server.heard_dots == 40


async def test_greylisted_rows_arrive_at_the_second_try_and_count_as_sent_once() -> None:
    answers = {f"RCPT r{n}@example.com": ["451 4.7.1 greylisted"] for n in range(0, 20, 4)}
    server = SmtpServer(answers)
    summary = await run(server, 20)
    assert (summary.succeeded, summary.retried, summary.maybe_doubled) == (20, 5, 0)
    assert set(reached(server).values()) == {1}


async def test_regression_one_greylisted_mailbox_held_up_the_whole_run() -> None:
    server = SmtpServer({"RCPT r0@example.com": ["451 4.7.1 greylisted"]})
    summary = await run(server, 20, at_once=1, deferredRetrySeconds=0.3)
    assert (summary.succeeded, summary.retried) == (20, 1)
    assert next(reversed(reached(server))) == "r0@example.com"


async def test_regression_a_daily_limit_ended_as_finished() -> None:
    summary = await run(SmtpServer(daily_quota=10), 30, at_once=1)
    assert (summary.state, summary.succeeded, summary.failed + summary.unsent) == (RunState.FAILED, 10, 20)
    assert summary.unsent >= 19


async def test_a_run_uses_no_more_connections_than_the_account_allows() -> None:
    server = SmtpServer()
    summary = await run(server, 30, at_once=8, maxConnections=1)
    assert (summary.succeeded, server.connections) == (30, 1)


async def test_regression_mails_failed_because_the_server_takes_few_connections() -> None:
    server = SmtpServer(most_at_once=2)
    summary = await run(server, 120, at_once=16, deferredRetrySeconds=120)
    assert (summary.state, summary.succeeded, summary.retried) == (RunState.SUCCEEDED, 120, 0)
    assert set(reached(server).values()) == {1}
    assert server.connections <= 16


async def test_few_connections_that_end_again_and_again_are_still_enough() -> None:
    server = SmtpServer(most_at_once=2, hang_up_after=5)
    for most in 100, 3:
        summary = await run(server, 120, at_once=16, maxMessagesPerConnection=most)
        assert (summary.succeeded, summary.unknown) == (120, 0)
    assert set(reached(server).values()) == {2}


async def test_a_server_that_takes_no_connection_at_all_is_believed() -> None:
    server = SmtpServer({"greeting": "421 4.7.0 too many connections"})
    summary = await run(server, 10, at_once=4)
    assert (summary.succeeded, summary.failed, summary.retried) == (0, 10, 20)


async def test_a_wrong_login_stops_the_run_and_leaves_the_rest_unsent() -> None:
    server = SmtpServer({"MAIL": "530 5.7.0 authentication required"})
    summary = await run(server, 50, at_once=1)
    assert (summary.state, summary.succeeded) == (RunState.FAILED, 0)
    assert summary.unsent >= 49
