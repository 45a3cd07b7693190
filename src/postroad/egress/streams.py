"""Checked byte streams for protocols that are not HTTP: SMTP, telecom, databases.

The connection is made to a judged address and stays that one connection, also when TLS is started on it later. What a
protocol with a commit point needs is exact: `write` hands bytes over, `flush` returns when all of them went to the
kernel, `unwritten_bytes` says what did not.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable
from typing import cast

from postroad.egress.dialing import Dialer, attach
from postroad.egress.faults import Fault, StreamFailed
from postroad.egress.handshake import start_tls
from postroad.egress.liveness import Liveness
from postroad.egress.names import parse_host

_READ_AHEAD_BYTES = 262_144
_LOOK_AGAIN_S = 0.005


class Stream:
    """Made by `Egress.open_stream`. One reader and one writer at a time. Failures raise `StreamFailed`."""

    def __init__(self, wire: "_Wire", sock: socket.socket, host: str, context: ssl.SSLContext) -> None:
        self._wire = wire
        self._liveness = Liveness(sock, expects_silence=False)
        self._host = host
        self._context = context
        self._is_tls = False
        self.bytes_handed_over = 0
        """Everything ever given to `write`. Zero means that certainly nothing left."""

    @property
    def is_tls(self) -> bool:
        return self._is_tls

    @property
    def unwritten_bytes(self) -> int:
        """Bytes handed over that did not go to the kernel yet."""
        return self._wire.unwritten_bytes

    def is_quiet(self) -> bool:
        """Whether nothing unread is here and the other end has not hung up, as far as the kernel knows.

        Ask before reusing an idle connection: False means take a new one; nothing was sent on this one meanwhile.
        """
        return not self._wire.is_over and not self._wire.buffer and self._liveness.is_quiet()

    async def read(self, limit: int, *, timeout_s: float) -> bytes:
        """From 1 to `limit` bytes; empty at the end of the stream."""
        await self._wire.until(lambda: bool(self._wire.buffer), timeout_s, may_end=True)
        return self._wire.take(min(limit, len(self._wire.buffer)))

    async def read_exactly(self, count: int, *, timeout_s: float) -> bytes:
        await self._wire.until(lambda: len(self._wire.buffer) >= count, timeout_s)
        return self._wire.take(count)

    async def read_until(self, mark: bytes, *, limit: int, timeout_s: float) -> bytes:
        """Everything up to and with `mark`. More than `limit` bytes without it is a PROTOCOL fault."""
        buffer = self._wire.buffer
        await self._wire.until(lambda: mark in buffer or len(buffer) > limit, timeout_s)
        end = buffer.find(mark) + len(mark)
        if end < len(mark) or end > limit:
            self.abort()
            raise StreamFailed(Fault.PROTOCOL, f"the remote sent more than {limit} bytes where a line was due")
        return self._wire.take(end)

    async def read_line(self, *, limit: int = 4096, timeout_s: float) -> bytes:
        """One line with its LF; `limit` counts it."""
        return await self.read_until(b"\n", limit=limit, timeout_s=timeout_s)

    def write(self, data: bytes) -> None:
        """Hands `data` over and returns. Raises StreamFailed (RESET) where the connection is known to be gone."""
        self._wire.check()
        self.bytes_handed_over += len(data)
        self._wire.transport.write(data)

    async def flush(self, *, timeout_s: float) -> None:
        """Returns when every byte handed over went to the kernel."""
        await self._wire.until_flushed(timeout_s)

    async def start_tls(
        self, *, timeout_s: float, server_name: str = "", context: ssl.SSLContext | None = None
    ) -> None:
        """TLS on this same connection (STARTTLS), verified for the dialled host or `server_name`.

        Clear text that the remote sent ahead is refused: it would be taken for encrypted (CVE-2011-0411).
        """
        if self._wire.buffer:
            self.abort()
            raise StreamFailed(Fault.PROTOCOL, "the remote sent clear text behind its STARTTLS answer")
        await self._wire.until_flushed(timeout_s)
        name = server_name or self._host
        upgraded = await start_tls(self._wire.transport, self._wire, context or self._context, name, timeout_s)
        self._wire.encrypted(upgraded)
        self._is_tls = True

    def abort(self) -> None:
        """Closes at once; what was not written is lost."""
        self._wire.abort()

    async def aclose(self) -> None:
        """Closes after what was handed over is written. Idempotent; a reader under way gets CLOSED."""
        self._wire.close()
        await asyncio.sleep(0)


class _Wire(asyncio.Protocol):
    """The event side of a stream: collects bytes, wakes who waits."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.buffer = bytearray()
        self.is_over = False
        self._raw: asyncio.Transport | None = None
        self._transport: asyncio.Transport | None = None
        self._failure: StreamFailed | None = None
        self._news: asyncio.Future[None] | None = None
        self._is_paused = False

    @property
    def transport(self) -> asyncio.Transport:
        assert self._transport is not None
        return self._transport

    @property
    def unwritten_bytes(self) -> int:
        assert self._raw is not None
        below = self._raw.get_write_buffer_size() if self._raw is not self._transport else 0
        return below + self.transport.get_write_buffer_size()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        duplex = cast(asyncio.Transport, transport)
        duplex.set_write_buffer_limits(high=0)
        self._raw = self._transport = duplex

    def encrypted(self, transport: asyncio.Transport) -> None:
        transport.set_write_buffer_limits(high=1, low=0)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if len(self.buffer) > _READ_AHEAD_BYTES and not self._is_paused:
            self._is_paused = True
            self.transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self.is_over = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_over = True
        if exc is not None and self._failure is None:
            fault = Fault.TLS if isinstance(exc, ssl.SSLError) else Fault.RESET
            self._failure = StreamFailed(fault, "the connection was lost")
        self._wake()

    def resume_writing(self) -> None:
        self._wake()

    def check(self) -> None:
        """Raises where nothing can be written any more."""
        if self._failure is not None:
            raise self._failure
        if self.is_over or self.transport.is_closing():
            raise StreamFailed(Fault.RESET, "the connection was ended by the remote")

    def take(self, count: int) -> bytes:
        taken = bytes(self.buffer[:count])
        del self.buffer[:count]
        if self._is_paused and len(self.buffer) <= _READ_AHEAD_BYTES // 2:
            self._is_paused = False
            self.transport.resume_reading()
        return taken

    async def until(self, is_enough: Callable[[], bool], timeout_s: float, *, may_end: bool = False) -> None:
        """Waits for bytes. At the end of the stream what is buffered still counts."""
        deadline = self._loop.time() + timeout_s
        while not is_enough():
            if self._failure is not None:
                raise self._failure
            if self.is_over:
                if may_end:
                    return
                raise StreamFailed(Fault.RESET, "the connection was ended by the remote")
            await self._next_news(deadline)

    async def until_flushed(self, timeout_s: float) -> None:
        """A cipher layer does not tell when the socket below it is empty, so there we look again and again."""
        deadline = self._loop.time() + timeout_s
        while self.unwritten_bytes:
            self.check()
            look_again = self._loop.call_later(_LOOK_AGAIN_S, self._wake)
            try:
                await self._next_news(deadline)
            finally:
                look_again.cancel()
        if self._failure is not None:
            raise self._failure

    def abort(self) -> None:
        self._fail_closed()
        self.transport.abort()
        if self._raw is not None:
            self._raw.abort()

    def close(self) -> None:
        self._fail_closed()
        self.transport.close()

    def _fail_closed(self) -> None:
        if self._failure is None:
            self._failure = StreamFailed(Fault.CLOSED, "the connection was closed on this side")
        self._wake()

    async def _next_news(self, deadline: float) -> None:
        self._news = self._loop.create_future()
        try:
            async with asyncio.timeout_at(deadline):
                await self._news
        except TimeoutError:
            raise StreamFailed(Fault.TIMEOUT, "the remote did not answer in time") from None
        finally:
            self._news = None

    def _wake(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)


async def open_stream(
    dialer: Dialer, host: str, port: int, *, context: ssl.SSLContext, tls: bool, timeout_s: float, server_name: str
) -> Stream:
    """Raises InvalidInput, EgressDenied, or StreamFailed (DNS, CONNECT, TLS, TIMEOUT)."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_s
    sock = await dialer.dial(host, port, timeout_s)
    wire = _Wire()
    await attach(sock, wire)
    stream = Stream(wire, sock, parse_host(host).text, context)
    if tls:
        await stream.start_tls(timeout_s=max(0.001, deadline - loop.time()), server_name=server_name)
    return stream
