"""One connection, one exchange at a time.

The write buffer limit is zero: the loop tries to write at once and tells us when something stays behind, so at any
moment we know whether the whole request went to the kernel. Under TLS the bytes are looked for in the buffer below the
cipher as well.

The connection is given back only after a whole answer with nothing behind it, on both sides' word that it may live.
Everything else (a byte nobody asked for, a cap reached, a fault) closes it.
"""

import asyncio
import math
import socket
import ssl
from collections.abc import Callable
from typing import cast

import httptools

from postroad.egress.faults import Fault
from postroad.egress.liveness import Liveness
from postroad.egress.transport.answer import Answer, Sent, parse_headers
from postroad.egress.transport.request import WireRequest

MAX_HEAD_BYTES = 65_536


class Connection(asyncio.Protocol):
    """`on_free` is called when it may serve again, `on_gone` once when it never will.

    `deadline` belongs to the exchange under way (infinite while idle) and is kept by the pool's sweeper.
    """

    def __init__(
        self,
        sock: socket.socket,
        *,
        is_tls: bool,
        max_answer_bytes: int,
        on_free: "Callable[[Connection], None]",
        on_gone: "Callable[[Connection], None]",
    ) -> None:
        self.deadline = math.inf
        self.idle_since = 0.0
        self._loop = asyncio.get_running_loop()
        self._liveness = Liveness(sock, expects_silence=not is_tls)
        self._is_tls = is_tls
        self._cap = max_answer_bytes
        self._on_free = on_free
        self._on_gone = on_gone
        self._raw: asyncio.Transport | None = None
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[Answer] | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._is_gone = False
        self._has_unwritten = False
        self._is_head_request = False
        self._head = b""
        self._status = 0
        self._body = b""
        self._pieces: list[bytes] | None = None
        self._size = 0
        self._is_head_done = False
        self._is_complete = False
        self._is_truncated = False
        self._may_live = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        duplex = cast(asyncio.Transport, transport)
        duplex.set_write_buffer_limits(high=0)
        self._raw = self._transport = duplex

    @property
    def raw(self) -> asyncio.Transport:
        assert self._raw is not None
        return self._raw

    def encrypted(self, transport: asyncio.Transport) -> None:
        """Takes the TLS transport that now stands over the raw one.

        Its limit is one byte: with zero the cipher layer would call itself full while it is empty.
        """
        transport.set_write_buffer_limits(high=1, low=0)
        self._transport = transport

    def is_usable(self) -> bool:
        """Whether nothing says that the other end is gone. Costs one system call."""
        if self._is_gone or self._waiter is not None or self._transport is None or self._transport.is_closing():
            return False
        return self._liveness.is_quiet()

    def begin(self, request: WireRequest, deadline: float) -> "asyncio.Future[Answer]":
        """Hands the request to the socket; the future always gets an `Answer`. Only for a usable connection."""
        assert self._transport is not None
        waiter: asyncio.Future[Answer] = self._loop.create_future()
        self._waiter = waiter
        self.deadline = deadline
        self._is_head_request = request.is_head
        self._head = self._body = b""
        self._pieces = None
        self._status = self._size = 0
        self._is_head_done = self._is_complete = self._is_truncated = self._has_unwritten = False
        try:
            self._transport.write(request.wire)
            if self._is_tls and self.raw.get_write_buffer_size():
                self._has_unwritten = True
        except (OSError, RuntimeError):
            self._has_unwritten = True
            self.fail(Fault.RESET, "the connection was lost while the request was written")
        return waiter

    def fail(self, fault: Fault, detail: str) -> None:
        """Ends the exchange under way, if any, with what is known of it, and closes."""
        if self._waiter is not None:
            body = self._body if self._pieces is None else b"".join(self._pieces)
            head = self._head if self._is_head_done else b""
            answer = Answer(self._status, head, body, False, self._sent(), fault, detail, detail)
            self._settle(answer)
        self.drop()

    def drop(self) -> None:
        """Closes without ceremony: nothing waits for it."""
        if self._transport is not None:
            self._transport.abort()
        if self._raw is not None:
            self._raw.abort()
        self._gone()

    def data_received(self, data: bytes) -> None:
        if self._waiter is None:
            self.drop()
            return
        if not self._is_head_done:
            self._head += data
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._may_live = False
            if not self._is_complete:
                self.fail(Fault.PROTOCOL, "the answer is not HTTP/1.1")
                return
        if self._is_complete:
            self._complete()
        elif not self._is_head_done and len(self._head) > MAX_HEAD_BYTES:
            self.fail(Fault.PROTOCOL, f"the header of the answer is longer than {MAX_HEAD_BYTES} bytes")

    def eof_received(self) -> None:
        if self._waiter is None:
            self.drop()
        elif self._is_head_done and _ends_with_connection(self._head):
            self._may_live = False
            self._complete()
        else:
            self.fail(Fault.RESET, "the connection ended before the whole answer was there")

    def connection_lost(self, exc: Exception | None) -> None:
        if isinstance(exc, BrokenPipeError):
            self._has_unwritten = True
        if isinstance(exc, ssl.SSLError):
            self.fail(Fault.TLS, "the TLS connection broke")
        else:
            self.fail(Fault.RESET, "the connection was lost before the whole answer was there")

    def pause_writing(self) -> None:
        self._has_unwritten = True

    def resume_writing(self) -> None:
        """Under TLS this speaks for the cipher's buffer only, not for the socket's below."""
        if not self._is_tls:
            self._has_unwritten = False

    def on_message_begin(self) -> None:
        if self._is_complete:
            self._may_live = False

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < 200 or self._is_complete:
            return
        self._status = status
        self._is_head_done = True
        if self._is_head_request:
            self._may_live = self._parser.should_keep_alive()
            self._is_complete = True

    def on_body(self, chunk: bytes) -> None:
        if self._is_complete:
            return
        size = self._size + len(chunk)
        if size > self._cap:
            chunk = chunk[: self._cap - self._size]
            self._is_truncated = self._is_complete = True
            self._may_live = False
        if self._pieces is not None:
            self._pieces.append(chunk)
        elif self._size:
            self._pieces = [self._body, chunk]
        else:
            self._body = chunk
        self._size = size

    def on_message_complete(self) -> None:
        if self._is_complete or not self._is_head_done:
            return
        self._may_live = self._parser.should_keep_alive()
        self._is_complete = True

    def _complete(self) -> None:
        """Order matters: the connection is free before its waiter runs, so that the next exchange finds it."""
        body = self._body if self._pieces is None else b"".join(self._pieces)
        answer = Answer(self._status, self._head, body, self._is_truncated, self._sent())
        may_live = self._may_live and answer.sent is Sent.ALL
        self._settle(answer)
        if not may_live:
            self.drop()
            return
        if self._is_head_request:
            self._parser = httptools.HttpResponseParser(self)
        self._on_free(self)

    def _settle(self, answer: Answer) -> None:
        waiter, self._waiter = self._waiter, None
        self.deadline = math.inf
        if waiter is not None and not waiter.done():
            waiter.set_result(answer)

    def _sent(self) -> Sent:
        if not self._has_unwritten:
            return Sent.ALL
        if self._is_tls and self._transport is not None and not self.raw.is_closing():
            self._has_unwritten = self.raw.get_write_buffer_size() + self._transport.get_write_buffer_size() > 0
        return Sent.SOME if self._has_unwritten else Sent.ALL

    def _gone(self) -> None:
        if not self._is_gone:
            self._is_gone = True
            self._on_gone(self)


def _ends_with_connection(head: bytes) -> bool:
    """Whether the body has no length of its own (RFC 9112 §6.3)."""
    names = dict(parse_headers(head))
    coding = names.get(b"transfer-encoding")
    if coding is not None:
        return not coding.lower().rstrip().endswith(b"chunked")
    return b"content-length" not in names
