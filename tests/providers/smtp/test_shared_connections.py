"""Senders of one run share their connections: none is dialled past what the server takes, and nobody waits for ever."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.builders.provider_context import HandClock, loopback_egress, open_context, send_request
from tests.builders.smtp_server import SmtpServer
from tests.providers.smtp.mailing import MESSAGE, Token, account_at

from postroad.providers.smtp import SmtpProvider
from postroad.spi import OpenContext, ProviderSession, SendRequest, Verdict
from postroad.vocabulary.outcomes import Category


@asynccontextmanager
async def two_senders(
    server: SmtpServer, **account: Any
) -> AsyncIterator[tuple[SmtpProvider, OpenContext, list[ProviderSession]]]:
    async with server.running():
        provider = SmtpProvider(loopback_egress())
        context = open_context(account_at(server, **account), MESSAGE, {}, HandClock())
        context = OpenContext(context.account, context.message, context.secrets, context.clock, Token())
        sessions = [await provider.open(context), await provider.open(context)]
        try:
            yield provider, context, sessions
        finally:
            for session in sessions:
                await session.aclose()


def mail(provider: SmtpProvider, context: OpenContext, to: str, timeout_s: float = 5.0) -> SendRequest:
    renderer = provider.compile(context.account, context.message)
    return send_request(renderer, timeout_s=timeout_s, email=f"{to}@example.com", name="Ann")


async def heard_a_dot(server: SmtpServer) -> None:
    while not server.heard_dots:
        await asyncio.sleep(0)


async def test_a_connection_that_one_sender_left_is_used_by_the_next() -> None:
    server = SmtpServer()
    async with two_senders(server) as (provider, context, (first, second)):
        await first.send(mail(provider, context, "ann"))
        await second.send(mail(provider, context, "bob"))
        await first.aclose()
        result = await second.send(mail(provider, context, "eve"))
    assert (result.verdict, server.connections) == (Verdict.ACCEPTED, 1)


async def test_the_last_sender_says_quit() -> None:
    server = SmtpServer()
    async with two_senders(server) as (provider, context, (first, second)):
        await first.send(mail(provider, context, "ann"))
        await first.aclose()
        assert server.commands[-1] != "QUIT"
        await second.aclose()
        await server.idle.wait()
        assert server.commands[-1] == "QUIT"


async def test_a_sender_without_a_place_waits_for_the_connection_of_another() -> None:
    server = SmtpServer(most_at_once=1)
    server.gate.clear()
    async with two_senders(server) as (provider, context, (first, second)):
        sending = asyncio.create_task(first.send(mail(provider, context, "ann")))
        await heard_a_dot(server)
        waiting = asyncio.create_task(second.send(mail(provider, context, "bob")))
        while server.connections < 2:
            await asyncio.sleep(0)
        server.gate.set()
        results = [await sending, await waiting]
    assert [result.verdict for result in results] == [Verdict.ACCEPTED] * 2
    assert [received.connection for received in server.received] == [1, 1]


async def test_regression_a_sender_waited_beside_an_idle_connection() -> None:
    server = SmtpServer(most_at_once=1)
    server.gate.clear()
    server.doorman.clear()
    async with two_senders(server) as (provider, context, (first, second)):
        sending = asyncio.create_task(first.send(mail(provider, context, "ann")))
        await heard_a_dot(server)
        refused = asyncio.create_task(second.send(mail(provider, context, "bob", timeout_s=2.0)))
        while server.connections < 2:
            await asyncio.sleep(0)
        server.gate.set()
        await sending
        server.doorman.set()
        result = await refused
    assert (result.verdict, [received.connection for received in server.received]) == (Verdict.ACCEPTED, [1, 1])


async def test_a_wait_for_a_place_ends_with_the_attempt_and_nothing_was_sent() -> None:
    server = SmtpServer(most_at_once=1)
    server.gate.clear()
    async with two_senders(server) as (provider, context, (first, second)):
        sending = asyncio.create_task(first.send(mail(provider, context, "ann")))
        await heard_a_dot(server)
        result = await second.send(mail(provider, context, "bob", timeout_s=0.2))
        server.gate.set()
        await sending
    assert (result.verdict, result.category, result.retry) == (Verdict.NOT_SENT, Category.NETWORK, True)
    assert len(server.received) == 1


async def test_a_wait_for_a_place_ends_when_the_run_is_cancelled() -> None:
    server = SmtpServer(most_at_once=1)
    server.gate.clear()
    async with two_senders(server) as (provider, context, (first, second)):
        sending = asyncio.create_task(first.send(mail(provider, context, "ann")))
        await heard_a_dot(server)
        waiting = asyncio.create_task(second.send(mail(provider, context, "bob")))
        while server.connections < 2:
            await asyncio.sleep(0)
        assert isinstance(context.cancellation, Token)
        context.cancellation.is_cancelled = True
        result = await waiting
        server.gate.set()
        await sending
    assert (result.verdict, result.category) == (Verdict.NOT_SENT, Category.CANCELLED)


async def test_a_sender_that_leaves_the_line_takes_no_place_with_it() -> None:
    server = SmtpServer(most_at_once=1)
    server.gate.clear()
    async with two_senders(server) as (provider, context, (first, second)):
        sending = asyncio.create_task(first.send(mail(provider, context, "ann")))
        await heard_a_dot(server)
        waiting = asyncio.create_task(second.send(mail(provider, context, "bob")))
        while server.connections < 2:
            await asyncio.sleep(0)
        server.gate.set()
        await sending
        waiting.cancel()
        await asyncio.wait([waiting])
        result = await second.send(mail(provider, context, "eve"))
    assert result.verdict is Verdict.ACCEPTED


async def test_a_session_that_is_closed_after_the_dot_leaves_doubt() -> None:
    server = SmtpServer()
    server.gate.clear()
    async with two_senders(server) as (provider, context, (first, _)):
        sending = asyncio.create_task(first.send(mail(provider, context, "ann")))
        await heard_a_dot(server)
        await first.aclose()
        result = await sending
        server.gate.set()
    assert result.verdict is Verdict.IN_DOUBT
