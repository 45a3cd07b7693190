"""httpx for everything that is not a bulk send, over the same checked connections.

Only the bottom is ours: httpcore asks our backend for every connection, so every name and literal is judged. On top of
that: no redirects, no proxies from the environment, HTTP/1.1, one deadline over the whole call with its body, a cap on
the body, and no compressed answers (a small one can unpack to gigabytes).
"""

import asyncio
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from typing import Any

import httpcore
import httpx

from postroad.egress.dialing import Dialer
from postroad.egress.faults import Fault, StreamFailed
from postroad.egress.streams import Stream, open_stream
from postroad.vocabulary.errors import EgressDenied, InvalidInput

_NO_LIMIT_S = 3600.0


def make_client(
    dialer: Dialer, *, timeout_s: float, max_bytes: int, context: Callable[[], ssl.SSLContext], connections: int = 10
) -> httpx.AsyncClient:
    """Faults raise httpx's own `TransportError`s; what the policy refuses raises `EgressDenied`."""
    return httpx.AsyncClient(
        transport=_GuardedTransport(dialer, timeout_s, max_bytes, context(), connections),
        timeout=timeout_s,
        trust_env=False,
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
    )


class _GuardedTransport(httpx.AsyncBaseTransport):
    def __init__(
        self, dialer: Dialer, timeout_s: float, max_bytes: int, context: ssl.SSLContext, connections: int
    ) -> None:
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            max_connections=connections,
            keepalive_expiry=4.0,
            network_backend=_CheckedBackend(dialer, context),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        deadline = asyncio.get_running_loop().time() + self._timeout_s
        assert isinstance(request.stream, httpx.AsyncByteStream)
        outgoing = httpcore.Request(
            method=request.method,
            url=httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        try:
            async with asyncio.timeout_at(deadline):
                response = await self._pool.handle_async_request(outgoing)
        except Exception as problem:
            raise _translated(problem, request) from problem
        assert isinstance(response.stream, AsyncIterable)
        body = _BoundedBody(response, request, deadline, self._max_bytes)
        if any(name.lower() == b"content-encoding" and value != b"identity" for name, value in response.headers):
            await body.aclose()
            raise httpx.DecodingError("the answer is compressed although that was not asked for", request=request)
        return httpx.Response(
            status_code=response.status, headers=response.headers, stream=body, extensions=response.extensions
        )

    async def aclose(self) -> None:
        await self._pool.aclose()


class _BoundedBody(httpx.AsyncByteStream):
    """The body of an answer, under the deadline of its call and the cap on bytes."""

    def __init__(self, response: httpcore.Response, request: httpx.Request, deadline: float, max_bytes: int) -> None:
        self._response = response
        self._request = request
        self._deadline = deadline
        self._max_bytes = max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = 0
        pieces = self._response.aiter_stream()
        try:
            while True:
                async with asyncio.timeout_at(self._deadline):
                    piece = await anext(pieces, None)
                if piece is None:
                    return
                received += len(piece)
                if received > self._max_bytes:
                    break
                yield piece
        except Exception as problem:
            raise _translated(problem, self._request) from problem
        raise httpx.ReadError(f"the answer is longer than {self._max_bytes} bytes", request=self._request)

    async def aclose(self) -> None:
        await self._response.aclose()


class _CheckedBackend(httpcore.AsyncNetworkBackend):
    """Where httpcore gets its connections: from the dialer, or not at all."""

    def __init__(self, dialer: Dialer, context: ssl.SSLContext) -> None:
        self._dialer = dialer
        self._context = context

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  (egress: httpcore's word; until 2028-01-01)
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        if local_address is not None or socket_options:
            raise httpcore.ConnectError("local address and socket options are not for callers to choose")
        stream = await open_stream(
            self._dialer,
            host,
            port,
            context=self._context,
            tls=False,
            timeout_s=timeout if timeout is not None else _NO_LIMIT_S,
            server_name="",
        )
        return _CheckedStream(stream)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class _CheckedStream(httpcore.AsyncNetworkStream):
    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    async def read(
        self,
        max_bytes: int,
        timeout: float | None = None,  # noqa: ASYNC109  (egress: httpcore's word; until 2028-01-01)
    ) -> bytes:
        return await self._stream.read(max_bytes, timeout_s=timeout if timeout is not None else _NO_LIMIT_S)

    async def write(
        self,
        buffer: bytes,
        timeout: float | None = None,  # noqa: ASYNC109  (egress: httpcore's word; until 2028-01-01)
    ) -> None:
        self._stream.write(buffer)
        await self._stream.flush(timeout_s=timeout if timeout is not None else _NO_LIMIT_S)

    async def aclose(self) -> None:
        self._stream.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  (egress: httpcore's word; until 2028-01-01)
    ) -> httpcore.AsyncNetworkStream:
        limit = timeout if timeout is not None else _NO_LIMIT_S
        await self._stream.start_tls(timeout_s=limit, server_name=server_hostname or "", context=ssl_context)
        return self

    def get_extra_info(self, info: str) -> Any:
        return not self._stream.is_quiet() if info == "is_readable" else None


_RAISED: dict[Fault, type[httpx.TransportError]] = {
    Fault.DNS: httpx.ConnectError,
    Fault.CONNECT: httpx.ConnectError,
    Fault.TLS: httpx.ConnectError,
    Fault.TIMEOUT: httpx.TimeoutException,
    Fault.RESET: httpx.ReadError,
    Fault.PROTOCOL: httpx.RemoteProtocolError,
    Fault.CLOSED: httpx.ReadError,
}


def _translated(problem: Exception, request: httpx.Request) -> Exception:
    """What a caller of httpx expects; refusals of ours stay what they are."""
    if isinstance(problem, (EgressDenied, InvalidInput)):
        return problem
    if isinstance(problem, StreamFailed):
        return _RAISED.get(problem.fault, httpx.TransportError)(problem.message, request=request)
    if isinstance(problem, (TimeoutError, httpcore.TimeoutException)):
        return httpx.TimeoutException("the whole time given was used up", request=request)
    if isinstance(problem, httpcore.RemoteProtocolError):
        return httpx.RemoteProtocolError("the answer is not HTTP/1.1", request=request)
    if isinstance(problem, httpcore.LocalProtocolError):
        return httpx.LocalProtocolError(str(problem), request=request)
    if isinstance(problem, httpcore.UnsupportedProtocol):
        return httpx.UnsupportedProtocol("only http and https can be reached", request=request)
    return httpx.NetworkError("the connection was lost", request=request)
