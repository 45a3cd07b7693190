"""From the run to its sinks, in the background and bounded: a slow sink slows the sender, never memory.

Results go in batches; while four batches wait, `is_full` stops the dispatch. Events go one by one; a progress event
that nobody has read yet is replaced by the next, everything else is kept, and a full buffer stops the dispatch too.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from postroad.engine.reporting.events import EngineEvent, EventKind
from postroad.engine.reporting.results import ItemResult

BATCHES_WAITING = 4
EVENTS_WAITING = 256

_T = TypeVar("_T")


class _Results(Protocol):
    async def append(self, batch: Sequence[ItemResult]) -> None: ...

    async def flush(self) -> None: ...


class _Events(Protocol):
    async def publish(self, event: EngineEvent) -> None: ...


class _Outbox(Generic[_T]):
    """One task that delivers in order. `room` is called when a full box has room again."""

    def __init__(self, capacity: int, room: Callable[[], None]) -> None:
        self._waiting: deque[_T] = deque()
        self._capacity = capacity
        self._room = room
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._task = asyncio.get_running_loop().create_task(self._run())

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= self._capacity

    def put(self, thing: _T) -> None:
        self._waiting.append(thing)
        self._idle.clear()
        self._wake.set()

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            while self._waiting:
                thing = self._waiting[0]
                await self._deliver(thing)
                was_full = self.is_full
                if self._waiting and self._waiting[0] is thing:
                    self._waiting.popleft()
                if was_full and not self.is_full:
                    self._room()
            self._wake.clear()
            self._idle.set()

    async def _deliver(self, thing: _T) -> None:
        raise NotImplementedError

    async def drained(self) -> None:
        """Returns when nothing waits any more."""
        await self._idle.wait()

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])


class ResultDelivery(_Outbox[list[ItemResult]]):
    """`failed` is called once, with the first error; what comes after it is not delivered: the journal has it."""

    def __init__(
        self, sink: _Results, batch_size: int, *, room: Callable[[], None], failed: Callable[[Exception], None]
    ) -> None:
        super().__init__(BATCHES_WAITING, room)
        self._sink = sink
        self._size = batch_size
        self._batch: list[ItemResult] = []
        self._failed = failed
        self.has_failed = False

    def add(self, result: ItemResult) -> None:
        self._batch.append(result)
        if len(self._batch) >= self._size:
            self.cut()

    def cut(self) -> None:
        """Sends the batch that is being filled on its way."""
        if self._batch:
            batch, self._batch = self._batch, []
            self.put(batch)

    async def _deliver(self, thing: list[ItemResult]) -> None:
        if self.has_failed:
            return
        try:
            await self._sink.append(thing)
        except Exception as error:  # whatever a sink raises  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
            self.has_failed = True
            self._failed(error)

    async def finish(self) -> None:
        """Delivers and flushes the rest. Raises what the flush raises."""
        self.cut()
        await self.drained()
        if not self.has_failed:
            await self._sink.flush()


class EventDelivery(_Outbox[EngineEvent]):
    """An event that its sink refuses is noted by `failed` and the next one tried: events never stop a run."""

    def __init__(self, sink: _Events, *, room: Callable[[], None], failed: Callable[[Exception], None]) -> None:
        super().__init__(EVENTS_WAITING, room)
        self._sink = sink
        self._failed = failed

    def publish(self, event: EngineEvent) -> None:
        waiting = self._waiting
        is_progress = event.kind is EventKind.PROGRESS
        if is_progress and len(waiting) > 1 and waiting[-1].kind is EventKind.PROGRESS:
            waiting[-1] = event
            return
        if is_progress and self.is_full:
            return
        self.put(event)

    async def _deliver(self, thing: EngineEvent) -> None:
        try:
            await self._sink.publish(thing)
        except Exception as error:  # whatever a sink raises  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
            self._failed(error)
