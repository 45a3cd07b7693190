"""All topics that are watched now.

`join` starts the reader with the first watcher and `leave` stops it with the last. `hint` may be called from any
thread: after a commit, or from a wake-up. `close` ends every stream at once, so that a stop of the service need not
wait.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from postroad.entrypoints.http.conventions.blocking import BlockingPool
from postroad.entrypoints.http.streams.log import EventLog
from postroad.entrypoints.http.streams.ring import Ring
from postroad.entrypoints.http.streams.topic import Topic
from postroad.vocabulary.refusals import Overloaded


@dataclass(frozen=True, slots=True)
class StreamTimes:
    """`heartbeat_s` between comments on a silent stream, `sweep_s` between looks without a hint, `slow_s` until a
    client that takes nothing is cut off. `retry_ms` is what clients are told to wait before they come back."""

    heartbeat_s: float = 15
    sweep_s: float = 2
    slow_s: float = 30
    retry_ms: int = 2000


class StreamHub:
    """Belongs to one event loop once the first stream was opened."""

    def __init__(
        self, *, most_watchers: int = 1000, ring_bytes: int = 1024 * 1024, times: StreamTimes = StreamTimes()
    ) -> None:
        self.times = times
        self.pool = BlockingPool(threads=4, waiting=most_watchers)
        self.is_closing = False
        self._most_watchers = most_watchers
        self._ring_bytes = ring_bytes
        self._watchers = 0
        self._topics: dict[str, Topic] = {}
        self._readers: dict[str, asyncio.Task[None]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def watchers(self) -> int:
        return self._watchers

    async def join(self, key: str, log: Callable[[], EventLog]) -> Topic:
        """The topic `key`, one watcher more. Raises Overloaded when there are too many, or the service stops."""
        if self.is_closing or self._watchers >= self._most_watchers:
            raise Overloaded("there are too many live streams; try again later", retry_after_s=5)
        self._loop = asyncio.get_running_loop()
        self._watchers += 1
        try:
            topic = self._topics.get(key) or await self._open(key, log())
        except BaseException:
            self._watchers -= 1
            raise
        topic.watchers += 1
        return topic

    def leave(self, key: str, topic: Topic) -> None:
        self._watchers -= 1
        topic.watchers -= 1
        if topic.watchers == 0 and self._topics.get(key) is topic:
            del self._topics[key]
            self._readers.pop(key).cancel()

    def hint(self, key: str) -> None:
        """Something may be new in `key`. Cheap and safe from any thread; nothing depends on it."""
        loop, topic = self._loop, self._topics.get(key)
        if loop is not None and topic is not None and not loop.is_closed():
            loop.call_soon_threadsafe(topic.hint)

    def close(self) -> None:
        """Ends every stream and refuses new ones. Call it on the loop's thread."""
        self.is_closing = True
        for topic in self._topics.values():
            topic.wake()

    async def _open(self, key: str, log: EventLog) -> Topic:
        position = await self.pool.run(log.position)
        topic = self._topics.get(key)
        if topic is None:
            topic = self._topics[key] = Topic(log, Ring(position, self._ring_bytes), self.times.sweep_s)
            self._readers[key] = asyncio.create_task(topic.follow(self.pool))
        return topic
