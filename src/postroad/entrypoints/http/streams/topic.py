"""One topic while it is watched: the task that reads what is new, and the ring it fills."""

import asyncio

from postroad.entrypoints.http.blocking import BlockingPool
from postroad.entrypoints.http.streams.log import EventLog
from postroad.entrypoints.http.streams.ring import Ring
from postroad.foundation.telemetry import logger

_LOG = logger(__name__)

READ_AT_ONCE = 500


class Topic:
    """Belongs to one event loop. `hint()` says that something may be new; without hints it looks every `sweep_s`."""

    def __init__(self, log: EventLog, ring: Ring, sweep_s: float) -> None:
        self.log = log
        self.ring = ring
        self.watchers = 0
        self.is_over = False
        self._sweep_s = sweep_s
        self._hinted = asyncio.Event()
        self._news = asyncio.Event()

    def hint(self) -> None:
        self._hinted.set()

    def wake(self) -> None:
        """Lets every watcher look again."""
        self._news.set()
        self._news = asyncio.Event()

    async def news(self, patience_s: float) -> bool:
        """True when something came, False after `patience_s` without."""
        return await _within(self._news, patience_s)

    async def follow(self, pool: BlockingPool) -> None:
        """Reads until the topic is over or the task is cancelled. A failed read is logged and tried again."""
        while not self.is_over:
            self._hinted.clear()
            if not await self._read_all(pool):
                await _within(self._hinted, self._sweep_s)

    async def _read_all(self, pool: BlockingPool) -> bool:
        """True when there may be more at once."""
        try:
            portion = await pool.run(lambda: self.log.read(self.ring.newest, READ_AT_ONCE))
        except Exception:  # noqa: BLE001  (entrypoints: one failed read ends no stream; until 2027-11-30)
            _LOG.exception("stream.read_failed")
            return False
        self.ring.add(portion.events, portion.reached)
        self.is_over = portion.is_last
        if portion.events or portion.is_last:
            self.wake()
        return portion.has_more


async def _within(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
