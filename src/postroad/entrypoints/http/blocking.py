"""Use cases run here: plain functions on a bounded set of threads, one hop each.

The event loop never waits for a database. When all threads are busy a few more calls may wait in line; beyond that the
pool refuses with Overloaded, which becomes 503 with Retry-After. A client that goes away does not stop the function it
started: it ends in its thread and commits or rolls back there.
"""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from postroad.vocabulary.refusals import Overloaded

T = TypeVar("T")


class BlockingPool:
    """`threads` calls run at once, `waiting` more may wait."""

    def __init__(self, threads: int = 16, waiting: int = 128) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="http")
        self._room = threads + waiting
        self._taken = 0

    @property
    def taken(self) -> int:
        """Calls that run or wait."""
        return self._taken

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`. Call it on the event loop's thread. Raises Overloaded when the line is full."""
        if self._taken >= self._room:
            raise Overloaded("the service has more work than it can do now; try again in a second", retry_after_s=1)
        context = contextvars.copy_context()
        self._taken += 1
        future = self._threads.submit(context.run, work)
        loop = asyncio.get_running_loop()
        future.add_done_callback(lambda _: _on_loop(loop, self._give_back))
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Waits for the calls that run; those that wait are dropped."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _give_back(self) -> None:
        self._taken -= 1


def _on_loop(loop: asyncio.AbstractEventLoop, step: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(step)
    except RuntimeError:
        step()
