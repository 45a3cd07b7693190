"""One watcher: an ASGI response that walks along its topic.

It waits for news without polling, sends what the ring holds, and reads from the database only what the ring no longer
has. A client that takes nothing for `slow_s`, or that falls off the ring after it had caught up, is cut off: it comes
back with `Last-Event-ID`. At each heartbeat the right to watch is asked for again, so that a revoked token or a removed
member stops hearing within seconds.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from postroad.entrypoints.http.streams.frames import END, EXPIRED, HEARTBEAT, frame, opening
from postroad.entrypoints.http.streams.hub import StreamHub
from postroad.entrypoints.http.streams.log import EventLog
from postroad.entrypoints.http.streams.topic import READ_AT_ONCE, Topic
from postroad.vocabulary.errors import PostroadError

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
        after: int | None = None,
        still_allowed: Callable[[], object],
    ) -> None:
        super().__init__(headers=_HEADERS)
        del self.headers["content-length"]
        self._hub = hub
        self._key = key
        self._log = log
        self._after = after
        self._still_allowed = still_allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        topic = await self._hub.join(self._key, self._log)
        try:
            walk = asyncio.create_task(self._walk(topic, send))
            gone = asyncio.create_task(_disconnected(receive))
            try:
                await asyncio.wait((walk, gone), return_when=asyncio.FIRST_COMPLETED)
            finally:
                gone.cancel()
                walk.cancel()
                await asyncio.gather(walk, gone, return_exceptions=True)
        finally:
            self._hub.leave(self._key, topic)

    async def _walk(self, topic: Topic, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})

        async def write(part: bytes) -> None:
            async with asyncio.timeout(self._hub.times.slow_s):
                await send(_body(part))

        await write(opening(self._hub.times.retry_ms))
        if await self._follow(topic, write):
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _follow(self, topic: Topic, write: _Write) -> bool:
        """True when the stream has a proper end, False when the client is cut off."""
        at = await self._catch_up(topic, write, topic.ring.position if self._after is None else self._after)
        while at is not None and not self._hub.is_closing:
            part = topic.ring.after(at)
            if part is None:
                return False
            if part:
                at = topic.ring.position
                await write(part)
            elif topic.is_over:
                await write(END)
                return True
            elif not await topic.news(self._hub.times.heartbeat_s):
                if not await self._may_go_on():
                    return True
                await write(HEARTBEAT)
        return True

    async def _catch_up(self, topic: Topic, write: _Write, at: int) -> int | None:
        """Reads what the ring no longer has. The place reached, or None where the events after `at` were removed."""
        while topic.ring.after(at) is None:
            portion = await self._hub.pool.run(lambda after=at: topic.log.read(after, READ_AT_ONCE))  # type: ignore[misc]
            if portion.oldest > at + 1:
                await write(EXPIRED)
                return None
            if not portion.events:
                return topic.ring.start
            await write(b"".join(frame(event) for event in portion.events))
            at = portion.events[-1].sequence
        return at

    async def _may_go_on(self) -> bool:
        try:
            await self._hub.pool.run(self._still_allowed)
        except PostroadError:
            return False
        return True


def _body(part: bytes) -> MutableMapping[str, Any]:
    return {"type": "http.response.body", "body": part, "more_body": True}


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
