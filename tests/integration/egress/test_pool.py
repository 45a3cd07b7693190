"""Connections: how many, how long, and that a stale one never swallows a request."""

import asyncio
import threading
from collections.abc import Callable

import pytest
from tests.builders.raw_http_server import OK, Peer, RawServer, answering, request_to

from postroad.egress import Fault, HttpTransport, Sent
from postroad.egress.transport import lane

Open = Callable[..., HttpTransport]


async def test_a_connection_the_server_closed_right_after_its_answer_is_seen_before_use(open_transport: Open) -> None:
    with RawServer(answering(OK, then_close=True)) as server:
        transport = open_transport(server)
        for number in range(20):
            answer = await transport.exchange(request_to(server), 5)
            assert (answer.status, answer.fault) == (200, None)
            assert server.connections == number + 1


async def test_a_server_that_drops_idle_connections_costs_nothing(open_transport: Open) -> None:
    may_close = threading.Event()

    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(OK)
        may_close.wait(10)

    with RawServer(script) as server:
        transport = open_transport(server)
        await asyncio.gather(*(transport.exchange(request_to(server), 5) for _ in range(3)))
        may_close.set()
        for _ in range(3):
            await asyncio.to_thread(server.wait_ended)
        answers = await asyncio.gather(*(transport.exchange(request_to(server), 5) for _ in range(3)))
        assert [answer.status for answer in answers] == [200, 200, 200]


async def test_unasked_bytes_on_an_idle_connection_close_it(open_transport: Open) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(OK)
        if peer.number == 0:
            wake.wait(10)
            peer.send(b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
        peer.wait_closed()

    wake = threading.Event()
    with RawServer(script) as server:
        transport = open_transport(server)
        await transport.exchange(request_to(server), 5)
        wake.set()
        await asyncio.to_thread(server.wait_ended)
        assert (await transport.exchange(request_to(server), 5)).status == 200
        assert server.connections == 2


async def test_no_more_connections_than_the_limit(open_transport: Open) -> None:
    with RawServer(answering(OK)) as server:
        transport = open_transport(server, connections=2)
        answers = await asyncio.gather(*(transport.exchange(request_to(server), 5) for _ in range(25)))
        assert {answer.status for answer in answers} == {200}
        assert server.connections == 2


async def test_waiting_for_a_connection_too_long_sends_nothing(open_transport: Open) -> None:
    with RawServer(Peer.wait_closed) as server:
        transport = open_transport(server, connections=1)
        first = asyncio.ensure_future(transport.exchange(request_to(server), 0.2))
        await asyncio.sleep(0)
        second = await transport.exchange(request_to(server), 0.05)
        assert (second.fault, second.sent) == (Fault.TIMEOUT, Sent.NOTHING)
        assert (await first).sent is Sent.ALL


async def test_the_next_in_line_gets_the_slot_of_a_connection_that_failed(open_transport: Open) -> None:
    def script(peer: Peer) -> None:
        if peer.number > 0:
            answering(OK)(peer)
        peer.read_request()

    with RawServer(script) as server:
        transport = open_transport(server, connections=1)
        first, *others = await asyncio.gather(*(transport.exchange(request_to(server), 5) for _ in range(4)))
        assert first.fault is Fault.RESET
        assert {answer.status for answer in others} == {200}


async def test_a_cancelled_exchange_closes_its_connection_and_frees_its_slot(open_transport: Open) -> None:
    def script(peer: Peer) -> None:
        if peer.number == 0:
            peer.wait_closed()
        else:
            answering(OK)(peer)

    with RawServer(script) as server:
        transport = open_transport(server, connections=1)
        first = asyncio.ensure_future(transport.exchange(request_to(server), 5))
        while not server.connections:
            await asyncio.sleep(0)
        waiting = asyncio.ensure_future(transport.exchange(request_to(server), 5))
        given_up = asyncio.ensure_future(transport.exchange(request_to(server), 5))
        await asyncio.sleep(0)
        given_up.cancel()
        first.cancel()
        assert (await waiting).status == 200
        assert (first.cancelled(), given_up.cancelled()) == (True, True)


async def test_an_exchange_cancelled_while_connecting_frees_its_slot(open_transport: Open) -> None:
    with RawServer(answering(OK)) as server:
        transport = open_transport(server, connections=1)
        first = asyncio.ensure_future(transport.exchange(request_to(server), 5))
        await asyncio.sleep(0)
        first.cancel()
        assert (await transport.exchange(request_to(server), 5)).status == 200


async def test_idle_connections_are_retired_before_a_server_would(
    open_transport: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane, "IDLE_FOR_S", 0.0)
    with RawServer(answering(OK)) as server:
        await open_transport(server).exchange(request_to(server), 5)
        await asyncio.to_thread(server.wait_ended)


async def test_closing_answers_everyone_and_is_idempotent(open_transport: Open) -> None:
    with RawServer(Peer.wait_closed) as server:
        transport = open_transport(server, connections=1)
        under_way = asyncio.ensure_future(transport.exchange(request_to(server), 5))
        while not server.connections:
            await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        waiting = asyncio.ensure_future(transport.exchange(request_to(server), 5))
        await asyncio.sleep(0)
        await transport.aclose()
        await transport.aclose()
        late = await transport.exchange(request_to(server), 5)
        results = [(answer.fault, answer.sent) for answer in (await under_way, await waiting, late)]
        assert results == [
            (Fault.CLOSED, Sent.ALL),
            (Fault.CLOSED, Sent.NOTHING),
            (Fault.CLOSED, Sent.NOTHING),
        ]


async def test_an_exchange_without_time_sends_nothing(open_transport: Open) -> None:
    with RawServer(answering(OK)) as server:
        transport = open_transport(server)
        await transport.exchange(request_to(server), 5)
        answer = await transport.exchange(request_to(server), 0)
        assert (answer.fault, answer.sent, len(server.requests)) == (Fault.TIMEOUT, Sent.NOTHING, 1)
