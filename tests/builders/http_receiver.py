"""A loopback HTTP receiver that counts copies by recipient and can be told to lose, refuse, hang or cut.

It runs in a thread of its own, so a blocking sender and any number of other processes can send to it. A copy counts as
soon as the whole request is here, whatever becomes of the answer. The recipient is the last piece of the path.
"""

import asyncio
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Self

OK = "200"
CUT_AFTER = "cut after"
"""The request counts, the answer never comes."""
HANG = "hang"
"""The request counts and the line stays open until `release`."""

Fate = Callable[[str, int], str]
"""(recipient, number of the copy from 1) → what happens: a status code, CUT_AFTER or HANG."""


class HttpReceiver:
    def __init__(self, fate: Fate = lambda _recipient, _copy: OK, *, slow_s: float = 0.0) -> None:
        self.copies: Counter[str] = Counter()
        self.accepted: Counter[str] = Counter()
        self.keys: dict[str, list[str]] = {}
        """Idempotency keys that came with the copies of each recipient."""
        self.bodies: dict[str, bytes] = {}
        self.times: list[float] = []
        """When each request came, in seconds of `time.monotonic`."""
        self.port = 0
        self._fate = fate
        self._slow_s = slow_s
        self._counted = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._released = asyncio.Event()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def release(self) -> None:
        """Answers everybody who hangs, now and later."""
        self._loop.call_soon_threadsafe(self._released.set)

    def most_in_any(self, window_s: float) -> int:
        """The most requests that came within any such time."""
        with self._counted:
            times = sorted(self.times)
        return max((bisect_left(times, at + window_s) - place for place, at in enumerate(times)), default=0)

    def wait_for(self, copies: int, timeout_s: float = 20.0) -> None:
        """Blocks until so many requests came. Raises AssertionError where they do not."""
        with self._counted:
            assert self._counted.wait_for(lambda: self.copies.total() >= copies, timeout_s), self.copies.total()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._connection, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        self._loop.run_forever()
        server.close()
        pending = asyncio.all_tasks(self._loop)
        for task in pending:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._request(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head.split("\r\n")[1:] if line)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        recipient = head.split(" ", 2)[1].rsplit("/", 1)[1]
        with self._counted:
            self.copies[recipient] += 1
            self.times.append(time.monotonic())
            self.bodies[recipient] = body
            self.keys.setdefault(recipient, []).append(headers.get("idempotency-key", ""))
            self._counted.notify_all()
        fate = self._fate(recipient, self.copies[recipient])
        if self._slow_s:
            await asyncio.sleep(self._slow_s)
        if fate == HANG:
            await self._released.wait()
            fate = OK
        if fate == CUT_AFTER:
            return False
        self.accepted[recipient] += fate == OK
        writer.write(f"HTTP/1.1 {fate} So\r\nContent-Length: 2\r\n\r\n{{}}".encode())
        await writer.drain()
        return True
