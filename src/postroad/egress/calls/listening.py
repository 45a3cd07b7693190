"""An answer that goes on: its pieces as they come, with a patience for each look.

The wait for the next piece goes on between two looks, so that whoever listens may do something else in between. A
silence of `QUIET_S` is a broken connection: live streams of ours say something every quarter of a minute.
"""

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self

import httpx

from postroad.egress.calls.faults import as_faults
from postroad.egress.calls.reply import Reply

QUIET_S = 45.0


class Listening:
    """Close it, or use it as a context."""

    def __init__(self, runner: asyncio.Runner, response: httpx.Response, reply: Reply) -> None:
        self.reply = reply
        """Its body is there only where the status is not 200; then there is nothing to listen to."""
        self.is_over = reply.status != httpx.codes.OK
        self._runner = runner
        self._response = response
        self._pieces: AsyncIterator[bytes] = response.aiter_raw()
        self._pending: asyncio.Task[bytes] | None = None

    def next(self, patience_s: float) -> bytes | None:
        """The next piece; None where none came in time; empty at the end. Raises StreamFailed."""
        with as_faults():
            return self._runner.run(self._next(patience_s))

    def close(self) -> None:
        self._runner.run(self._close())

    async def _next(self, patience_s: float) -> bytes | None:
        if self.is_over:
            return b""
        if self._pending is None:
            self._pending = asyncio.create_task(self._read())
        done, _ = await asyncio.wait({self._pending}, timeout=patience_s)
        if not done:
            return None
        task, self._pending = self._pending, None
        piece = task.result()
        self.is_over = not piece
        return piece

    async def _read(self) -> bytes:
        return await anext(self._pieces, b"")

    async def _close(self) -> None:
        if self._pending is not None:
            self._pending.cancel()
            await asyncio.wait({self._pending})
        await self._response.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
