"""One watcher: an ASGI response that walks along its topic.

It waits for news without polling, sends what the ring holds, and reads from the database only what the ring no longer
has. A client that takes nothing for `slow_s`, or that falls off the ring after it had caught up, is cut off: it comes
back with `Last-Event-ID`. At each heartbeat the right to watch is asked for again, so that a revoked token or a removed
member stops hearing within seconds.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from postroad.entrypoints.http.streams.frames import END, EXPIRED, HEARTBEAT, frame, opening
from postroad.entrypoints.http.streams.hub import StreamHub
from postroad.entrypoints.http.streams.log import EventLog, Place
from postroad.entrypoints.http.streams.topic import READ_AT_ONCE, Topic
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.refusals import AccessDenied, AuthenticationRequired, ResourceNotFound

_HEADERS = {"cache-control": "no-cache, no-transform", "x-accel-buffering": "no"}
_Write = Callable[[bytes], Awaitable[None]]


class EventStream(Response):
    """`key` names the topic, `after` is where the watcher stands (None: at the end). `still_allowed` blocks and raises
    when the watcher may no longer see this."""

    media_type = "text/event-stream"

    def __init__(
        self,
        hub: StreamHub,
        key: str,
        log: Callable[[], EventLog],
        *,
        after: Place | None = None,
        still_allowed: Callable[[], object],
        status_code: int = 200,
    ) -> None:
        super().__init__(headers=_HEADERS, status_code=status_code)
        del self.headers["content-length"]
        self._hub = hub
        self._key = key
        self._log = log
        self._after = after
        self._still_allowed = still_allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        topic = await self._hub.join(self._key, self._log)
        walk = asyncio.create_task(self._walk(topic, send))
        gone = asyncio.create_task(_disconnected(receive))
        try:
            await asyncio.wait((walk, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            walk.cancel()
            _, failure = await asyncio.gather(gone, walk, return_exceptions=True)
            self._hub.leave(self._key, topic)
        if isinstance(failure, Exception) and not isinstance(failure, OSError):
            raise failure

    async def _walk(self, topic: Topic, send: Send) -> None:
        """A client that takes nothing leaves by TimeoutError, which is an OSError: its stream stays without an end."""

        async def write(part: bytes) -> None:
            async with asyncio.timeout(self._hub.times.slow_s):
                await send({"type": "http.response.body", "body": part, "more_body": True})

        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await write(opening(self._hub.times.retry_ms))
        at = await self._catch_up(topic, write, topic.ring.newest if self._after is None else self._after)
        if at is not None:
            await self._follow(topic, write, at)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _catch_up(self, topic: Topic, write: _Write, at: Place) -> Place | None:
        """Reads what the ring no longer has. The place reached, or None where the events behind `at` were removed."""
        while topic.ring.after(at) is None:
            portion = await self._hub.pool.run(partial(topic.log.read, at, READ_AT_ONCE))
            if portion.has_gap or portion.reached == at:
                await write(EXPIRED)
                return None
            if portion.events:
                await write(b"".join(frame(event) for event in portion.events))
            at = portion.reached
        return at

    async def _follow(self, topic: Topic, write: _Write, at: Place) -> None:
        """Returns at the end of the topic, of the right to watch, of the service, or where the client is too slow."""
        clock = asyncio.get_running_loop().time
        asked = clock()
        while not self._hub.is_closing and (part := topic.ring.after(at)) is not None:
            if part:
                at = topic.ring.newest
                await write(part)
            elif topic.is_over:
                await write(END)
                return
            elif not await topic.news(self._hub.times.heartbeat_s):
                await write(HEARTBEAT)
            if clock() - asked >= self._hub.times.heartbeat_s:
                if not await self._may_go_on():
                    return
                asked = clock()

    async def _may_go_on(self) -> bool:
        try:
            await self._hub.pool.run(self._still_allowed)
        except (AuthenticationRequired, AccessDenied, ResourceNotFound):
            return False
        except PostroadError:
            return True
        return True


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
