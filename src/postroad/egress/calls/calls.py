"""Calls to one address, each to its end before the next begins."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeVar

import httpx

from postroad.egress.calls.faults import as_faults
from postroad.egress.calls.listening import QUIET_S, Listening
from postroad.egress.calls.reply import Reply
from postroad.egress.tls import TlsOptions
from postroad.egress.url import Url
from postroad.egress.way_out import Egress

T = TypeVar("T")
_CALL_S, _TRANSFER_S = 60.0, 6 * 3600.0
_STEP_S = 60.0
"""The longest silence within a transfer."""
_ANSWER_BYTES, _TRANSFER_BYTES = 64 * 1024 * 1024, 1 << 40
_PIECE_BYTES = 256 * 1024
Progress = Callable[[int], None]
"""Told the bytes that have passed so far."""


class Calls:
    """Not for several threads, and not inside a running event loop. Use it as a context, or `close` it."""

    def __init__(self, egress: Egress, url: Url, *, tls: TlsOptions | None = None) -> None:
        """`url` was given by a person: its host is allowed wherever it is, except metadata services. Its path is put
        before the path of each call."""
        egress.allow_literal(url.host.text, url.port)
        self._egress = egress
        self._root = str(url).rstrip("/")
        self._tls = tls
        self._runner = asyncio.Runner()
        self._quick: httpx.AsyncClient | None = None
        self._long: httpx.AsyncClient | None = None

    def call(self, method: str, path: str, *, headers: Mapping[str, str] = {}, body: bytes | None = None) -> Reply:
        """The whole answer, redirects included: none is followed. Raises StreamFailed, EgressDenied."""
        return self._run(self._call(method, path, headers, body))

    def send_file(
        self, method: str, path: str, file: BinaryIO, *, headers: Mapping[str, str], size: int, progressed: Progress
    ) -> Reply:
        """Sends the next `size` bytes of `file` as the body. Raises as `call`."""
        return self._run(
            self._send_file(method, path, {**headers, "content-length": str(size)}, _read(file, progressed))
        )

    def fetch(self, path: str, into: BinaryIO, *, headers: Mapping[str, str], progressed: Progress) -> Reply:
        """Writes the body of a 200 into `into`; every other answer has its body. Raises as `call`; `into` then holds a
        part."""
        return self._run(self._fetch(path, into, headers, progressed))

    def listen(self, path: str, *, headers: Mapping[str, str]) -> Listening:
        """Opens an answer that goes on. Raises as `call`."""
        response, reply = self._run(self._open(path, headers))
        return Listening(self._runner, response, reply)

    def wait(self, seconds: float) -> None:
        self._runner.run(asyncio.sleep(seconds))

    def close(self) -> None:
        for client in (self._quick, self._long):
            if client is not None:
                self._runner.run(client.aclose())
        self._quick = self._long = None
        self._runner.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        with as_faults():
            return self._runner.run(work)

    async def _call(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> Reply:
        if self._quick is None:
            self._quick = self._egress.client(timeout_s=_CALL_S, max_bytes=_ANSWER_BYTES, tls=self._tls)
        response = await self._quick.request(method, self._root + path, headers=headers, content=body)
        return _reply(response, response.content)

    async def _send_file(
        self, method: str, path: str, headers: Mapping[str, str], content: AsyncIterator[bytes]
    ) -> Reply:
        response = await self._transfers().request(
            method, self._root + path, headers=headers, content=content, timeout=_STEP_S
        )
        return _reply(response, response.content)

    async def _fetch(self, path: str, into: BinaryIO, headers: Mapping[str, str], progressed: Progress) -> Reply:
        passed = 0
        transfers = self._transfers()
        async with transfers.stream("GET", self._root + path, headers=headers, timeout=_STEP_S) as response:
            if response.status_code != httpx.codes.OK:
                return _reply(response, await response.aread())
            async for piece in response.aiter_raw():
                into.write(piece)
                passed += len(piece)
                progressed(passed)
            return _reply(response)

    async def _open(self, path: str, headers: Mapping[str, str]) -> tuple[httpx.Response, Reply]:
        request = self._transfers().build_request("GET", self._root + path, headers=headers, timeout=QUIET_S)
        response = await self._transfers().send(request, stream=True)
        if response.status_code != httpx.codes.OK:
            return response, _reply(response, await response.aread())
        return response, _reply(response)

    def _transfers(self) -> httpx.AsyncClient:
        if self._long is None:
            self._long = self._egress.client(timeout_s=_TRANSFER_S, max_bytes=_TRANSFER_BYTES, tls=self._tls)
        return self._long

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


async def _read(file: BinaryIO, progressed: Progress) -> AsyncIterator[bytes]:
    passed = 0
    while piece := file.read(_PIECE_BYTES):
        yield piece
        passed += len(piece)
        progressed(passed)


def _reply(response: httpx.Response, body: bytes = b"") -> Reply:
    headers = tuple((name.lower(), value) for name, value in response.headers.multi_items())
    return Reply(response.status_code, headers, body)
