"""The promise the engine builds on: what is said to be unsent never arrived, under every fault at once.

Hundreds of numbered requests go to a server that resets, cuts, hangs, closes and babbles by the number it is given,
over fewer connections than there are senders, with short deadlines and cancelled callers. Afterwards the server's own
list is held against what the transport said.
"""

import asyncio
import re
from collections.abc import Callable

import pytest
import uvloop
from tests.builders.raw_http_server import OK, Peer, RawServer

from postroad.egress import AddressPolicy, Egress, RequestShape, Sent, Target

REQUESTS = 600
SENDERS = 12


def script(peer: Peer) -> None:
    while True:
        number = int(re.findall(rb"/(\d+) ", peer.read_request())[0])
        match number * 7 % 20:
            case 1:
                return peer.close(OK)
            case 2:
                return peer.reset()
            case 3:
                return None
            case 4:
                peer.send(OK + b"x")
            case 5:
                return peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
            case 6:
                return peer.wait_closed()
            case _:
                peer.send(OK)


async def send_all(server: RawServer, said: dict[int, Sent | None], succeeded: set[int]) -> None:
    transport = Egress(AddressPolicy(["127.0.0.1/32"])).transport(connections=5)
    shape = RequestShape(Target.of(server.url()), "POST")
    numbers = iter(range(REQUESTS))

    async def sender() -> None:
        for number in numbers:
            timeout_s = (0.05, 0.1, 0.3)[number % 3]
            exchange = asyncio.ensure_future(transport.exchange(shape.request(b"/%d" % number, b"{}"), timeout_s))
            if number % 17 == 0:
                for _ in range(number % 5):
                    await asyncio.sleep(0)
                exchange.cancel()
            try:
                answer = await exchange
            except asyncio.CancelledError:
                said[number] = None
                continue
            said[number] = answer.sent
            if answer.fault is None:
                succeeded.add(number)

    await asyncio.gather(*(sender() for _ in range(SENDERS)))
    await transport.aclose()


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_what_is_said_to_be_unsent_never_arrived(new_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
    said: dict[int, Sent | None] = {}
    succeeded: set[int] = set()
    with RawServer(script) as server, asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(send_all(server, said, succeeded))
    arrived = [int(number) for request in server.requests for number in re.findall(rb"POST /(\d+) ", request)]
    assert len(said) == REQUESTS
    assert len(arrived) == len(set(arrived)), "one exchange sends one request"
    assert {number for number in arrived if said[number] is Sent.NOTHING} == set()
    assert succeeded <= set(arrived)
    assert len(succeeded) > REQUESTS // 3
    assert {said[number] for number in succeeded} == {Sent.ALL}
