"""Whole answers, in every framing HTTP/1.1 knows, and what becomes of the connection afterwards."""

import asyncio
import gzip
from collections.abc import Callable

import pytest
from tests.builders.raw_http_server import OK, Peer, RawServer, answering, request_to

from postroad.egress import HttpTransport, Sent

Open = Callable[..., HttpTransport]


async def test_a_connection_serves_one_exchange_after_another(open_transport: Open) -> None:
    with RawServer(answering(OK)) as server:
        transport = open_transport(server)
        for _ in range(3):
            answer = await transport.exchange(request_to(server), 5)
            assert (answer.status, answer.body, answer.fault, answer.sent) == (200, b"ok", None, Sent.ALL)
        assert server.connections == 1
        assert server.requests[0].startswith(b"POST /send HTTP/1.1\r\nHost: 127.0.0.1:")
        assert b"\r\nAccept-Encoding: identity\r\n" in server.requests[0]


async def test_headers_are_read_when_asked(open_transport: Open) -> None:
    raw = b"HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 0\r\n\r\n"
    with RawServer(answering(raw)) as server:
        answer = await open_transport(server).exchange(request_to(server), 5)
        assert (answer.status, answer.header("retry-after"), answer.header("X-None")) == (429, "7", None)
        assert answer.headers[1:3] == [(b"x-a", b"1"), (b"x-a", b"2")]


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: 1\r\n\r\n"
INTERIM = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: a\r\n\r\n"


@pytest.mark.parametrize(
    ("raw", "body"),
    [
        (CHUNKED, b"abcde"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde", b"abcde"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", b""),
        (INTERIM + OK, b"ok"),
    ],
    ids=["chunked", "length", "204", "304", "interim"],
)
async def test_a_framed_answer_is_whole_and_keeps_the_connection(open_transport: Open, raw: bytes, body: bytes) -> None:
    with RawServer(answering(raw)) as server:
        transport = open_transport(server)
        for _ in range(2):
            answer = await transport.exchange(request_to(server), 5)
            assert (answer.body, answer.fault, answer.truncated) == (body, None, False)
            assert answer.header("link") is None
        assert server.connections == 1


async def test_an_answer_cut_into_single_bytes_is_the_same_answer(open_transport: Open) -> None:
    raw = b"HTTP/1.1 200 OK\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"

    def script(peer: Peer) -> None:
        peer.read_request()
        for position in range(len(raw)):
            peer.send(raw[position : position + 1])
        peer.wait_closed()

    with RawServer(script) as server:
        answer = await open_transport(server).exchange(request_to(server), 5)
        assert (answer.status, answer.body, answer.header("x")) == (200, b"abc", "y")


async def test_an_answer_without_length_ends_with_the_connection(open_transport: Open) -> None:
    with RawServer(answering(b"HTTP/1.1 200 OK\r\n\r\nall of it", then_close=True)) as server:
        answer = await open_transport(server).exchange(request_to(server), 5)
        assert (answer.status, answer.body, answer.fault) == (200, b"all of it", None)


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nConnection: close\r\n", b"HTTP/1.0 200 OK\r\n"])
async def test_a_connection_the_server_will_not_keep_is_not_used_again(open_transport: Open, head: bytes) -> None:
    with RawServer(answering(head + b"Content-Length: 2\r\n\r\nok")) as server:
        transport = open_transport(server)
        for _ in range(2):
            assert (await transport.exchange(request_to(server), 5)).body == b"ok"
        assert server.connections == 2


async def test_a_head_answer_has_no_body_whatever_its_length_says(open_transport: Open) -> None:
    with RawServer(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", OK)) as server:
        transport = open_transport(server)
        head = await transport.exchange(request_to(server, b"", method="HEAD"), 5)
        assert (head.status, head.body, head.header("content-length")) == (200, b"", "500")
        assert (await transport.exchange(request_to(server), 5)).body == b"ok"
        assert server.connections == 1


@pytest.mark.parametrize("behind", [b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", b"HTTP/1.1 2", b"\0\0", b"x"])
async def test_bytes_behind_an_answer_cost_the_connection_and_not_the_answer(
    open_transport: Open, behind: bytes
) -> None:
    with RawServer(answering(OK + behind)) as server:
        transport = open_transport(server)
        for _ in range(2):
            answer = await transport.exchange(request_to(server), 5)
            assert (answer.body, answer.fault) == (b"ok", None)
        assert server.connections == 2


async def test_an_answer_longer_than_the_cap_is_cut_and_marked(open_transport: Open) -> None:
    with RawServer(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n0123456789A")) as server:
        transport = open_transport(server, max_answer_bytes=10)
        for _ in range(2):
            answer = await transport.exchange(request_to(server), 5)
            assert (answer.body, answer.truncated, answer.fault) == (b"0123456789", True, None)
        assert server.connections == 2


async def test_an_answer_as_long_as_the_cap_is_whole(open_transport: Open) -> None:
    with RawServer(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789")) as server:
        answer = await open_transport(server, max_answer_bytes=10).exchange(request_to(server), 5)
        assert (answer.body, answer.truncated) == (b"0123456789", False)


async def test_an_endless_answer_is_left_at_the_cap(open_transport: Open) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            peer.send(b"x" * 65_536)

    with RawServer(script) as server:
        answer = await open_transport(server).exchange(request_to(server), 5)
        assert (len(answer.body), answer.truncated) == (1000, True)
        await asyncio.to_thread(server.wait_ended)


async def test_a_compressed_answer_is_not_unpacked(open_transport: Open) -> None:
    packed = gzip.compress(b"\0" * 1_000_000)[:900]
    raw = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (len(packed), packed)
    with RawServer(answering(raw)) as server:
        assert (await open_transport(server).exchange(request_to(server), 5)).body == packed


async def test_a_redirect_is_an_answer_and_not_an_order(open_transport: Open) -> None:
    raw = b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/\r\nContent-Length: 0\r\n\r\n"
    with RawServer(answering(raw)) as server:
        answer = await open_transport(server).exchange(request_to(server), 5)
        assert (answer.status, answer.fault, len(server.requests)) == (302, None, 1)


async def test_an_answer_before_the_whole_request_left_is_taken_and_the_connection_closed(open_transport: Open) -> None:
    def script(peer: Peer) -> None:
        peer.sock.recv(1000)
        peer.send(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        peer.hold_until_gone()

    with RawServer(script, receive_buffer=4096) as server:
        transport = open_transport(server)
        answer = await transport.exchange(request_to(server, b"x" * 30_000_000), 5)
        assert (answer.status, answer.fault, answer.sent) == (413, None, Sent.SOME)
        assert (await transport.exchange(request_to(server, b"x"), 5)).status == 413
        assert server.connections == 2
