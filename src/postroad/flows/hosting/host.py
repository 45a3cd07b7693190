"""The host of embedded workers: one loop in a thread of its own.

Three things go on beside each other: shards are claimed while there is room, leases are renewed and news told at
intervals or when something hurries, and ended runs get their results. Hints make it quick; the intervals are the truth.
Raising in one of them is logged and tried again: the host goes on until it is stopped.
"""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from postroad.flows.hosting.endings import Endings
from postroad.flows.hosting.ledger import Ledger
from postroad.flows.hosting.ports import ResultKeeper, SecretTexts, WorkPlace
from postroad.flows.hosting.shard_work import ShardParts, ShardWork
from postroad.kernel.database import Database
from postroad.kernel.wakeups import Wakeups
from postroad.modules.runs import COMMANDS_TOPIC, WORK_TOPIC, RenewalAsk, RunSurroundings, WorkerCapacity
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.refusals import LeaseExpired

_LOG = logging.getLogger(__name__)
_LOOK_AGAIN_S = 1.0
_AFTER_TROUBLE_S = 1.0
SHUTTING_DOWN = "the service stopped"


@dataclass(frozen=True, slots=True)
class HostLimits:
    """`shards` worker processes at most, with `concurrency` sends at once in all."""

    shards: int = 2
    concurrency: int = 200
    progress_every_s: float = 1.0
    drain_s: float = 5.0
    """How long what is in flight may come back when the host is stopped."""


@dataclass(frozen=True, slots=True)
class HostNeeds:
    database: Database
    runs: RunSurroundings
    place: WorkPlace
    secrets: SecretTexts
    keeper: ResultKeeper
    wakeups: Wakeups
    clock: Clock
    loop_factory: Callable[[], asyncio.AbstractEventLoop]


class Host:
    def __init__(self, worker_id: str, limits: HostLimits, needs: HostNeeds) -> None:
        """`worker_id` belongs to the data folder, not to the process: a new start takes the leases of the last back."""
        self._id = worker_id
        self._limits = limits
        self._needs = needs
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop_asked: asyncio.Event | None = None
        self._ready = threading.Event()
        self._works: dict[str, tuple[ShardWork, asyncio.Task[None]]] = {}

    @property
    def active_shards(self) -> int:
        return len(self._works)

    def start(self) -> None:
        self._thread = threading.Thread(target=self._serve, name="hosting", daemon=True)
        self._thread.start()
        self._ready.wait()

    def stop(self, grace_s: float) -> bool:
        """Lets nothing more leave, waits for what is in flight, gives the shards back. False where it takes longer."""
        if self._thread is None or self._loop is None or self._stop_asked is None:
            return True
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stop_asked.set)
        self._thread.join(grace_s)
        return not self._thread.is_alive()

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=self._needs.loop_factory) as runner:
            runner.run(self._run())

    async def _run(self) -> None:
        needs = self._needs
        self._loop, self._stop_asked = asyncio.get_running_loop(), asyncio.Event()
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._ledger = Ledger(needs.database, needs.runs)
        self._parts = ShardParts(self._ledger, needs.place, needs.secrets, needs.clock, self._news.set)
        self._endings = Endings(self._ledger, needs.place, needs.keeper, self._id)
        self._ready.set()
        try:
            await self._ledger.forget(self._id)
            going_on = [
                asyncio.create_task(self._for_ever("claims shards", self._claim_when_due)),
                asyncio.create_task(self._for_ever("renews leases", self._renew_when_due)),
                asyncio.create_task(self._for_ever("ends runs", self._end_when_due)),
            ]
            await self._stop_asked.wait()
            for task in going_on:
                task.cancel()
            await asyncio.gather(*going_on, return_exceptions=True)
            await self._give_all_back()
        finally:
            self._ledger.close()

    async def _for_ever(self, what: str, once: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await once()
            except Exception:  # noqa: BLE001  (hosting: one failure must not end the host; until 2028-01-01)
                _LOG.exception("the host %s and failed; it tries again", what)
                await asyncio.sleep(_AFTER_TROUBLE_S)

    async def _claim_when_due(self) -> None:
        with self._needs.wakeups.subscribe(WORK_TOPIC) as hints:
            while True:
                await self._ledger.expire()
                await self._claim()
                await _first(hints.next(_LOOK_AGAIN_S), self._room.wait())
                self._room.clear()

    async def _claim(self) -> None:
        room = self._limits.concurrency - sum(work.concurrency for work, _ in self._works.values())
        capacity = WorkerCapacity(self._id, self._limits.shards - len(self._works), max(0, room))
        for shard in await self._ledger.claim(capacity):
            work = ShardWork(shard, self._parts)
            task = asyncio.create_task(work.run())
            self._works[shard.fence.lease_id] = (work, task)
            task.add_done_callback(partial(self._done, work))

    def _done(self, work: ShardWork, task: asyncio.Task[None]) -> None:
        self._works.pop(work.shard.fence.lease_id, None)
        run_id = work.shard.plan.run_id
        if not any(other.shard.plan.run_id == run_id for other, _ in self._works.values()):
            self._parts.forget_run(run_id)
        self._room.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("the work on shard %d of run %s failed", work.shard.number, run_id, exc_info=error)

    async def _renew_when_due(self) -> None:
        """Tells news at each progress interval, renews at a third of a lease's time or when something hurries."""
        every_s = self._ledger.rules.lease_for_ms / 3000
        renewed_at = float("-inf")
        loop = asyncio.get_running_loop()
        with self._needs.wakeups.subscribe(COMMANDS_TOPIC) as hints:
            while True:
                hurried = await _first(hints.next(self._limits.progress_every_s), self._news.wait())
                self._news.clear()
                await self._tell()
                if hurried or loop.time() - renewed_at >= every_s:
                    renewed_at = loop.time()
                    await self._renew()

    async def _tell(self) -> None:
        for work, _ in list(self._works.values()):
            try:
                await work.tell()
            except LeaseExpired:
                continue  # the next renewal says so too
            except PostroadError as error:
                _LOG.warning("what shard %d said is not kept: %s", work.shard.number, error.message)

    async def _renew(self) -> None:
        works = {work.shard.fence.lease_id: work for work, _ in self._works.values() if work.is_acknowledged}
        if not works:
            return
        room = max(0, self._limits.concurrency - sum(work.concurrency for work in works.values()))
        asks = [RenewalAsk(work.shard.fence, work.news.answers, room) for work in works.values()]
        for ask, renewal in zip(asks, await self._ledger.renew(asks), strict=True):
            work = works[renewal.lease_id]
            work.news.forget_answers(ask.answers)
            work.take(renewal)

    async def _end_when_due(self) -> None:
        with self._needs.wakeups.subscribe(WORK_TOPIC) as hints:
            while True:
                if not await self._endings.end_one():
                    await hints.next(_LOOK_AGAIN_S)

    async def _give_all_back(self) -> None:
        until = asyncio.get_running_loop().time() + self._limits.drain_s
        works = list(self._works.values())
        await asyncio.gather(*(work.stop(SHUTTING_DOWN, until) for work, _ in works))
        await asyncio.gather(*(task for _, task in works), return_exceptions=True)


async def _first(hints: Awaitable[frozenset[str]], event: Awaitable[object]) -> bool:
    """Whether a hint or the event came, before the hints' time was over."""
    hinted, woken = asyncio.ensure_future(hints), asyncio.ensure_future(event)
    try:
        await asyncio.wait({hinted, woken}, return_when=asyncio.FIRST_COMPLETED)
        return woken.done() or bool(hinted.done() and hinted.result())
    finally:
        for task in (hinted, woken):
            task.cancel()
        await asyncio.gather(hinted, woken, return_exceptions=True)
