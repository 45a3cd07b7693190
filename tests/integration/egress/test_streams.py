"""Checked streams: what a line protocol with a commit point may rely on."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.builders.authority import Authority
from tests.builders.raw_http_server import Peer, RawServer

from postroad.egress import Egress, Fault, StreamFailed, TlsOptions
from postroad.vocabulary.errors import EgressDenied


def greeting(peer: Peer) -> None:
    peer.send(b"220 hello\r\n")
    peer.wait_closed()


async def fault_of(act: Awaitable[object]) -> Fault:
    with pytest.raises(StreamFailed) as caught:
        await act
    return caught.value.fault


async def test_lines_come_one_by_one(egress: Egress) -> None:
    def script(peer: Peer) -> None:
        peer.send(b"220 a\r\n250-b\r\n25")
        peer.sock.recv(100)
        peer.send(b"0 c\r\nrest")

    with RawServer(script) as server:
        egress.allow_literal("127.0.0.1", server.port)
        stream = await egress.open_stream("127.0.0.1", server.port, tls=False)
        assert await stream.read_line(timeout_s=5) == b"220 a\r\n"
        assert await stream.read_line(timeout_s=5) == b"250-b\r\n"
        stream.write(b"NOOP\r\n")
        await stream.flush(timeout_s=5)
        assert (stream.unwritten_bytes, stream.bytes_handed_over) == (0, 6)
        assert await stream.read_line(timeout_s=5) == b"250 c\r\n"
        assert await stream.read_exactly(4, timeout_s=5) == b"rest"
        assert await stream.read(10, timeout_s=5) == b""
        await stream.aclose()


async def test_a_private_host_nobody_wrote_is_refused(egress: Egress) -> None:
    with RawServer(greeting) as server, pytest.raises(EgressDenied):
        await egress.open_stream("127.0.0.1", server.port, tls=False)
    assert server.connections == 0


async def test_a_line_without_end_is_a_protocol_fault(egress: Egress) -> None:
    with RawServer(lambda peer: peer.drip(b"xxxx", every_s=0.0)) as server:
        egress.allow_literal("127.0.0.1", server.port)
        stream = await egress.open_stream("127.0.0.1", server.port, tls=False)
        assert await fault_of(stream.read_line(limit=50, timeout_s=5)) is Fault.PROTOCOL


async def test_silence_and_ends_are_told_apart(egress: Egress) -> None:
    with RawServer(Peer.wait_closed) as server:
        egress.allow_literal("127.0.0.1", server.port)
        stream = await egress.open_stream("127.0.0.1", server.port, tls=False)
        assert await fault_of(stream.read_line(timeout_s=0.05)) is Fault.TIMEOUT
        reading = asyncio.ensure_future(stream.read_line(timeout_s=5))
        await asyncio.sleep(0)
        await stream.aclose()
        assert await fault_of(reading) is Fault.CLOSED


async def test_a_stream_the_remote_ended_is_not_quiet_and_takes_no_bytes(egress: Egress) -> None:
    with RawServer(lambda peer: peer.close()) as server:
        egress.allow_literal("127.0.0.1", server.port)
        stream = await egress.open_stream("127.0.0.1", server.port, tls=False)
        await asyncio.to_thread(server.wait_ended)
        assert not stream.is_quiet()
        assert await stream.read(10, timeout_s=5) == b""
        with pytest.raises(StreamFailed):
            stream.write(b"MAIL")
        assert stream.bytes_handed_over == 0
        await stream.aclose()


async def test_what_a_remote_does_not_read_is_known_to_be_unwritten(egress: Egress) -> None:
    with RawServer(Peer.hold_until_gone, receive_buffer=4096) as server:
        egress.allow_literal("127.0.0.1", server.port)
        stream = await egress.open_stream("127.0.0.1", server.port, tls=False)
        stream.write(b"x" * 30_000_000)
        assert await fault_of(stream.flush(timeout_s=0.1)) is Fault.TIMEOUT
        assert 0 < stream.unwritten_bytes < stream.bytes_handed_over
        stream.abort()


def starttls_script(context: object) -> Callable[[Peer], None]:
    def script(peer: Peer) -> None:
        peer.send(b"220 hello\r\n")
        peer.sock.recv(100)
        peer.send(b"220 go\r\n")
        secure = context.wrap_socket(peer.sock, server_side=True)  # type: ignore[attr-defined]
        secure.sendall(b"250 inside: " + secure.recv(100))
        secure.close()

    return script


async def test_tls_starts_on_the_same_connection_and_verifies_the_host(egress: Egress, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with RawServer(starttls_script(authority.server_context("localhost"))) as server:
        egress.allow_literal("localhost", server.port)
        options = TlsOptions(ca_file=str(authority.ca_file))
        stream = await egress.open_stream("localhost", server.port, tls=False, options=options)
        await stream.read_line(timeout_s=5)
        stream.write(b"STARTTLS\r\n")
        assert await stream.read_line(timeout_s=5) == b"220 go\r\n"
        await stream.start_tls(timeout_s=5)
        assert stream.is_tls
        stream.write(b"EHLO\r\n")
        await stream.flush(timeout_s=5)
        assert await stream.read_line(timeout_s=5) == b"250 inside: EHLO\r\n"
        assert server.connections == 1
        await stream.aclose()


async def test_a_wrong_certificate_ends_the_upgrade(egress: Egress, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with RawServer(starttls_script(authority.server_context("other.example.org"))) as server:
        egress.allow_literal("localhost", server.port)
        options = TlsOptions(ca_file=str(authority.ca_file))
        stream = await egress.open_stream("localhost", server.port, tls=False, options=options)
        await stream.read_line(timeout_s=5)
        stream.write(b"STARTTLS\r\n")
        await stream.read_line(timeout_s=5)
        assert await fault_of(stream.start_tls(timeout_s=5)) is Fault.TLS


async def test_clear_text_sent_ahead_of_the_handshake_is_refused(egress: Egress) -> None:
    def script(peer: Peer) -> None:
        peer.send(b"220 go\r\n250 injected\r\n")
        peer.wait_closed()

    with RawServer(script) as server:
        egress.allow_literal("127.0.0.1", server.port)
        stream = await egress.open_stream("127.0.0.1", server.port, tls=False)
        await stream.read_line(timeout_s=5)
        assert await fault_of(stream.start_tls(timeout_s=5)) is Fault.PROTOCOL


async def test_a_stream_that_is_encrypted_from_the_start(egress: Egress, tmp_path: Path) -> None:
    authority = Authority(tmp_path)

    def script(peer: Peer) -> None:
        peer.send(b"220 " + b"x" * 300_000 + b"\r\n")
        peer.sock.recv(100)

    with RawServer(script, tls=authority.server_context("127.0.0.1")) as server:
        egress.allow_literal("127.0.0.1", server.port)
        options = TlsOptions(ca_file=str(authority.ca_file))
        stream = await egress.open_stream("127.0.0.1", server.port, tls=True, options=options)
        assert len(await stream.read_line(limit=400_000, timeout_s=5)) == 300_006
        await stream.aclose()
