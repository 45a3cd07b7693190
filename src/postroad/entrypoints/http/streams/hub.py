"""All topics that are watched now.

`join` starts the reader with the first watcher and `leave` stops it with the last. Hints come from the kernel's
wake-ups; without any, readers look at intervals. `close` ends every stream at once, so that a stop of the service need
not wait.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from postroad.entrypoints.http.blocking import BlockingPool
from postroad.entrypoints.http.streams.log import EventLog
from postroad.entrypoints.http.streams.ring import Ring
from postroad.entrypoints.http.streams.topic import Topic
from postroad.kernel.wakeups import EVERYTHING, Subscription, Wakeups
from postroad.vocabulary.refusals import Overloaded

_LISTEN_S = 60.0


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
        self._heard: set[str] = set()

    @property
    def watchers(self) -> int:
        return self._watchers

    async def join(self, key: str, log: Callable[[], EventLog]) -> Topic:
        """The topic `key`, one watcher more. Raises Overloaded when there are too many, or the service stops."""
        if self.is_closing or self._watchers >= self._most_watchers:
            raise Overloaded("there are too many live streams; try again later", retry_after_s=5)
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

    def listen(self, wakeup_topic: str) -> None:
        """Lets hints of this topic of `Wakeups` reach the streams with the keys `<wakeup_topic>:<key>`."""
        self._heard.add(wakeup_topic)

    @asynccontextmanager
    async def hearing(self, wakeups: Wakeups) -> AsyncIterator[None]:
        """Hears hints while the context is open."""
        subscriptions = {topic: wakeups.subscribe(topic) for topic in self._heard}
        ears = [asyncio.create_task(self._hear(topic, ear)) for topic, ear in subscriptions.items()]
        try:
            yield
        finally:
            for ear in ears:
                ear.cancel()
            await asyncio.gather(*ears, return_exceptions=True)
            for subscription in subscriptions.values():
                subscription.close()

    def close(self) -> None:
        """Ends every stream and refuses new ones. Call it on the loop's thread."""
        self.is_closing = True
        for topic in self._topics.values():
            topic.wake()

    async def _hear(self, wakeup_topic: str, subscription: Subscription) -> None:
        while True:
            keys = await subscription.next(_LISTEN_S)
            everything = EVERYTHING in keys
            for name, topic in self._topics.items():
                about, _, key = name.partition(":")
                if about == wakeup_topic and (everything or key in keys):
                    topic.hint()

    async def _open(self, key: str, log: EventLog) -> Topic:
        newest = await self.pool.run(log.newest)
        topic = self._topics.get(key)
        if topic is None:
            topic = self._topics[key] = Topic(log, Ring(newest, self._ring_bytes), self.times.sweep_s)
            self._readers[key] = asyncio.create_task(topic.follow(self.pool))
        return topic
