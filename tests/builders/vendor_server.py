"""What the vendor emulators share: a loopback HTTP server whose next answers a test can script.

An emulator answers by its vendor's rules. A test that wants trouble puts `Trouble` values into `troubles`; each is
used up by one request, before the rules are asked, so what is counted as accepted is what the vendor took.
"""

from collections import deque
from dataclasses import dataclass
from email.utils import formatdate
from types import TracebackType
from typing import Self

from aiohttp import web

from postroad.vocabulary.clock import Clock


@dataclass(frozen=True, slots=True)
class Trouble:
    """`drop` closes the connection without an answer; otherwise `status` and `body` are the answer.

    `after_taking` lets the vendor take the message first: the case in which a second copy would be a double.
    """

    status: int = 200
    body: bytes = b""
    drop: bool = False
    after_taking: bool = False
    headers: tuple[tuple[str, str], ...] = ()


class VendorServer:
    """`async with Emulator(clock) as vendor:` gives `vendor.endpoint`, a loopback address with a free port."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.troubles: deque[Trouble] = deque()
        self.requests = 0
        self.endpoint = ""
        self._runner: web.AppRunner | None = None

    async def answer(self, request: web.Request, body: bytes) -> tuple[int, bytes]:
        """By the vendor's rules. Counts what it takes."""
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=4 << 20)
        application.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.endpoint = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        self.requests += 1
        trouble = self.troubles.popleft() if self.troubles else None
        if trouble is None:
            status, answer = await self.answer(request, body)
            return self._response(status, answer, "application/json; charset=utf-8")
        if trouble.after_taking:
            await self.answer(request, body)
        if trouble.drop:
            assert request.transport is not None
            request.transport.abort()
        response = self._response(trouble.status, trouble.body, "text/plain")
        for name, value in trouble.headers:
            response.headers[name] = value
        return response

    def _response(self, status: int, body: bytes, content_type: str) -> web.Response:
        date = formatdate(self.clock.now_ms() / 1000, usegmt=True)
        return web.Response(status=status, body=body, headers={"Content-Type": content_type, "Date": date})
