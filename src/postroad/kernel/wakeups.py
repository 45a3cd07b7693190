"""Hints that something is there to do, so that nobody has to look all the time. The rows in the database are the truth.

A hint may be lost, doubled or late; whoever waits also looks at intervals. Hints of one topic that come within 10 ms
wake a waiter once, with all their keys. `forward` carries hints to other instances; what comes from them enters by
`deliver` and goes no further.
"""

import asyncio
import threading
from collections.abc import Callable

COALESCED_S = 0.010
MOST_KEYS = 1000
EVERYTHING = ""
"""The key that stands for all keys of a topic."""


class Subscription:
    """Waits for hints of one topic, from one thread or one task. Close it, or use it as a context manager."""

    def __init__(self, leave: Callable[["Subscription"], None]) -> None:
        self._leave = leave
        self._condition = threading.Condition()
        self._keys: set[str] = set()
        self._closed = False
        self._waiting: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None

    def wait(self, timeout_s: float) -> frozenset[str]:
        """Blocks the thread until a hint comes, the time is over or it is closed; the keys, empty without a hint."""
        with self._condition:
            self._condition.wait_for(lambda: self._keys or self._closed, timeout_s)
            if self._keys and not self._closed:
                self._condition.wait_for(lambda: self._closed, COALESCED_S)
            return self._taken()

    async def next(self, timeout_s: float) -> frozenset[str]:
        """As `wait`, for a task."""
        woken = asyncio.Event()
        with self._condition:
            self._waiting = (asyncio.get_running_loop(), woken)
            if self._keys or self._closed:
                woken.set()
        try:
            async with asyncio.timeout(timeout_s):
                await woken.wait()
            if not self._closed:
                await asyncio.sleep(COALESCED_S)
        except TimeoutError:
            pass
        finally:
            with self._condition:
                self._waiting = None
        with self._condition:
            return self._taken()

    def close(self) -> None:
        self._leave(self)
        with self._condition:
            self._closed = True
            self._wake()

    def __enter__(self) -> "Subscription":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, key: str) -> None:
        with self._condition:
            if self._closed:
                return
            if len(self._keys) >= MOST_KEYS:
                self._keys = {EVERYTHING}
            self._keys.add(key)
            self._wake()

    def _taken(self) -> frozenset[str]:
        keys, self._keys = frozenset(self._keys), set()
        return keys

    def _wake(self) -> None:
        self._condition.notify_all()
        if self._waiting is not None:
            loop, woken = self._waiting
            if not loop.is_closed():
                loop.call_soon_threadsafe(woken.set)


class Wakeups:
    def __init__(self, forward: Callable[[str, str], None] | None = None) -> None:
        self._forward = forward
        self._lock = threading.Lock()
        self._topics: dict[str, list[Subscription]] = {}
        self._calls: dict[str, list[Callable[[], None]]] = {}

    def forward_to(self, forward: Callable[[str, str], None] | None) -> None:
        """Lets hints also go to other instances, or no longer."""
        self._forward = forward

    def notify(self, topic: str, key: str = EVERYTHING) -> None:
        """Never blocks for long and never raises."""
        self.deliver(topic, key)
        if self._forward is not None:
            self._forward(topic, key)

    def deliver(self, topic: str, key: str = EVERYTHING) -> None:
        """Wakes the waiters of this process only."""
        with self._lock:
            waiting = tuple(self._topics.get(topic, ()))
            calls = tuple(self._calls.get(topic, ()))
        for subscription in waiting:
            subscription.add(key)
        for call in calls:
            call()

    def deliver_all(self) -> None:
        """Wakes everybody: hints may have been missed."""
        with self._lock:
            topics = self._topics.keys() | self._calls.keys()
        for topic in topics:
            self.deliver(topic)

    def call(self, topic: str, wake: Callable[[], None]) -> None:
        """Calls `wake` at each hint, for good. It must not block and not raise: setting an event is what it is for."""
        with self._lock:
            self._calls.setdefault(topic, []).append(wake)

    def subscribe(self, topic: str) -> Subscription:
        def leave(subscription: Subscription) -> None:
            with self._lock:
                left = [other for other in self._topics.get(topic, ()) if other is not subscription]
                if left:
                    self._topics[topic] = left
                else:
                    self._topics.pop(topic, None)

        subscription = Subscription(leave)
        with self._lock:
            self._topics.setdefault(topic, []).append(subscription)
        return subscription
