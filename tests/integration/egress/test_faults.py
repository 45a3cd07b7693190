"""What a remote can do to a request, and what we may say about it: how much left, and why there is no answer."""

import asyncio
from collections.abc import Callable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.builders.raw_http_server import OK, Peer, RawServer, answering, request_to

from postroad.egress import AddressPolicy, Egress, Fault, HttpTransport, RequestShape, Sent, Target
from postroad.egress.transport import exchange

Open = Callable[..., HttpTransport]


def cut_after(part: bytes) -> Callable[[Peer], None]:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(part)
        peer.close()
        peer.wait_closed()

    return script


async def test_nothing_left_when_nobody_listens(open_transport: Open) -> None:
    with RawServer(answering(OK)) as server:
        transport = open_transport(server)
    answer = await transport.exchange(request_to(server), 5)
    assert (answer.fault, answer.sent, answer.status) == (Fault.CONNECT, Sent.NOTHING, 0)


@pytest.mark.parametrize(
    ("part", "status", "body"),
    [
        (b"", 0, b""),
        (b"HTTP/1.1 2", 0, b""),
        (b"HTTP/1.1 200 OK\r\nContent-Le", 0, b""),
        (b"HTTP/1.1 100 Continue\r\n\r\n", 0, b""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", 200, b""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", 200, b"12345"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", 200, b"abc"),
    ],
)
async def test_an_answer_cut_anywhere_is_a_reset_after_all_was_sent(
    open_transport: Open, part: bytes, status: int, body: bytes
) -> None:
    with RawServer(cut_after(part)) as server:
        answer = await open_transport(server).exchange(request_to(server), 5)
        assert (answer.fault, answer.sent, answer.status, answer.body) == (Fault.RESET, Sent.ALL, status, body)


async def test_a_reset_after_the_request_never_says_nothing_was_sent(open_transport: Open) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.reset()

    with RawServer(script) as server:
        answer = await open_transport(server).exchange(request_to(server), 5)
        assert (answer.fault, answer.sent) == (Fault.RESET, Sent.ALL)


async def test_silence_is_a_timeout_after_all_was_sent(open_transport: Open) -> None:
    with RawServer(Peer.wait_closed) as server:
        answer = await open_transport(server).exchange(request_to(server), 0.1)
        assert (answer.fault, answer.sent) == (Fault.TIMEOUT, Sent.ALL)
        await asyncio.to_thread(server.wait_ended)


async def test_a_remote_that_does_not_read_leaves_some_of_a_large_request_behind(open_transport: Open) -> None:
    with RawServer(Peer.hold_until_gone, receive_buffer=4096) as server:
        answer = await open_transport(server).exchange(request_to(server, b"x" * 30_000_000), 0.2)
        assert (answer.fault, answer.sent) == (Fault.TIMEOUT, Sent.SOME)


async def test_a_large_request_read_slowly_is_all_sent_in_the_end(open_transport: Open) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.wait_closed()

    with RawServer(script, receive_buffer=4096) as server:
        answer = await open_transport(server).exchange(request_to(server, b"x" * 3_000_000), 1.0)
        assert (answer.fault, answer.sent) == (Fault.TIMEOUT, Sent.ALL)
        assert len(server.requests[0]) > 3_000_000


@pytest.mark.parametrize("begin", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n"])
async def test_a_remote_that_drips_does_not_outlive_the_deadline(open_transport: Open, begin: bytes) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(begin or b"HTTP/1.1 200 OK\r\nX: ")
        peer.drip(b"y")

    with RawServer(script) as server:
        answer = await open_transport(server).exchange(request_to(server), 0.15)
        assert (answer.fault, answer.sent, answer.status) == (Fault.TIMEOUT, Sent.ALL, 200 if begin else 0)
        await asyncio.to_thread(server.wait_ended)


@pytest.mark.parametrize(
    "garbage",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\0\1\2\3\4\5\6\7",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02\x16",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nBad Header: 1\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    ],
)
async def test_garbage_is_a_protocol_fault(open_transport: Open, garbage: bytes) -> None:
    with RawServer(answering(garbage)) as server:
        transport = open_transport(server)
        answer = await transport.exchange(request_to(server), 5)
        assert (answer.fault, answer.sent) == (Fault.PROTOCOL, Sent.ALL)
        await asyncio.to_thread(server.wait_ended)


async def test_an_endless_header_is_a_protocol_fault(open_transport: Open) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(b"HTTP/1.1 200 OK\r\n")
        while True:
            peer.send(b"X-Pad: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n" * 100)

    with RawServer(script) as server:
        assert (await open_transport(server).exchange(request_to(server), 5)).fault is Fault.PROTOCOL


async def test_endless_interim_answers_are_a_protocol_fault(open_transport: Open) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        while True:
            peer.send(b"HTTP/1.1 102 Processing\r\n\r\n" * 100)

    with RawServer(script) as server:
        assert (await open_transport(server).exchange(request_to(server), 5)).fault is Fault.PROTOCOL


@given(noise=st.binary(min_size=0, max_size=200), keep=st.integers(0, 60))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_bytes_at_all_end_in_an_answer(noise: bytes, keep: int) -> None:
    valid = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"

    async def speak() -> None:
        with RawServer(cut_after(valid[:keep] + noise)) as server:
            egress = Egress(AddressPolicy(["127.0.0.1/32"]))
            transport = egress.transport(connections=1, max_answer_bytes=1000)
            answer = await transport.exchange(request_to(server), 5)
            assert answer.sent is Sent.ALL
            assert answer.fault in {None, Fault.RESET, Fault.PROTOCOL}
            await transport.aclose()

    asyncio.run(speak())


class FixedResolver:
    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        return self.addresses


async def test_the_next_address_is_tried_when_the_first_refuses() -> None:
    with RawServer(answering(OK)) as server:
        egress = Egress(AddressPolicy(["127.0.0.0/8"]), FixedResolver("127.0.0.9", "127.0.0.1"))
        transport = egress.transport(connections=1)
        request = RequestShape(Target.of(server.url(host="api.example.org")), "POST").request(b"/")
        answer = await transport.exchange(request, 5)
        await transport.aclose()
    assert answer.status == 200
    assert f"Host: api.example.org:{server.port}".encode() in server.requests[0]


async def test_an_address_that_failed_is_tried_last_for_a_while() -> None:
    egress = Egress(AddressPolicy(["127.0.0.0/8"]), FixedResolver("127.0.0.9", "127.0.0.1"))
    with RawServer(Peer.wait_closed) as server:
        first = await egress.open_stream("api.example.org", server.port, tls=False)
        with RawServer(Peer.wait_closed, address="127.0.0.9", port=server.port) as recovered:
            second = await egress.open_stream("api.example.org", server.port, tls=False)
            await first.aclose()
            await second.aclose()
            for _ in range(2):
                await asyncio.to_thread(server.wait_ended)
    assert (server.connections, recovered.connections) == (2, 0)


async def test_regression_a_connection_slower_than_a_sweep_keeps_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        async def resolve(self, host: str, port: int) -> Sequence[str]:
            for _ in range(50):
                await asyncio.sleep(0)
            return ("127.0.0.1",)

    monkeypatch.setattr(exchange, "SWEEP_EVERY_S", 0.0)
    with RawServer(Peer.wait_closed) as server:
        transport = Egress(AddressPolicy(["127.0.0.1/32"]), Slow()).transport(connections=1)
        request = RequestShape(Target.of(server.url(host="api.example.org")), "POST").request(b"/")
        answer = await transport.exchange(request, 0.1)
        assert (answer.fault, answer.sent) == (Fault.TIMEOUT, Sent.ALL)
        await transport.aclose()


async def test_a_name_that_never_resolves_costs_the_time_and_sends_nothing() -> None:
    class Hanging:
        async def resolve(self, host: str, port: int) -> Sequence[str]:
            await asyncio.Event().wait()
            return ()

    transport = Egress(resolver=Hanging()).transport(connections=1)
    request = RequestShape(Target.of("http://api.example.org/"), "POST").request(b"/")
    answer = await transport.exchange(request, 0.05)
    assert (answer.fault, answer.sent) == (Fault.TIMEOUT, Sent.NOTHING)
    await transport.aclose()
