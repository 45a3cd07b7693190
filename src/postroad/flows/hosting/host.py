"""The host of embedded workers: one loop in a thread of its own.

Three things go on beside each other: shards are claimed while there is room, leases are renewed and news told at
intervals or when something hurries, and ended runs get their results. Hints make it quick; the intervals are the truth.
Raising in one of them is logged and tried again: the host goes on until it is stopped.

A stop lets nothing more leave, waits a while for the answers to what has left, and gives every shard back. What it
leaves undone a kill leaves undone as well, and the next start does.
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
from postroad.flows.hosting.shard_parts import ShardParts
from postroad.flows.hosting.shard_work import ShardWork
from postroad.kernel.database import Database
from postroad.kernel.wakeups import Wakeups
from postroad.modules.runs import COMMANDS_TOPIC, WORK_TOPIC, RenewalAsk, RunSurroundings, WorkerCapacity
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.refusals import LeaseExpired

_LOG = logging.getLogger(__name__)
_LOOK_AGAIN_S = 1.0
_AFTER_TROUBLE_S = 1.0
_LAST_WORDS_S = 2.0
"""How long a stop waits for the ledger after the workers are gone."""
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
        self._turn = 0
        self._has_forgotten = False
        """The leases of an earlier process with this id were given back."""

    @property
    def worker_id(self) -> str:
        return self._id

    @property
    def active_shards(self) -> int:
        return len(self._works)

    def start(self) -> None:
        """Returns when the host claims."""
        self._thread = threading.Thread(target=self._serve, name="hosting", daemon=True)
        self._thread.start()
        self._ready.wait()

    def ask_to_stop(self) -> None:
        """Begins the stop and does not wait. From any thread."""
        if self._loop is not None and self._stop_asked is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stop_asked.set)

    def stop(self, grace_s: float) -> bool:
        """Waits for the end of the stop. False where it takes longer."""
        self.ask_to_stop()
        if self._thread is None:
            return True
        self._thread.join(grace_s)
        return not self._thread.is_alive()

    def _serve(self) -> None:
        try:
            with asyncio.Runner(loop_factory=self._needs.loop_factory) as runner:
                runner.run(self._run())
        finally:
            self._ready.set()

    async def _run(self) -> None:
        needs = self._needs
        self._news, self._room = asyncio.Event(), asyncio.Event()
        self._ledger = Ledger(needs.database, needs.runs)
        self._parts = ShardParts(self._ledger, needs.place, needs.secrets, needs.clock, self._news.set)
        self._endings = Endings(self._parts, needs.keeper, self._id)
        self._loop, self._stop_asked = asyncio.get_running_loop(), asyncio.Event()
        self._ready.set()
        stop = self._stop_asked
        going_on = [
            asyncio.create_task(self._for_ever("claims shards", self._claim_when_due, stop)),
            asyncio.create_task(self._for_ever("renews leases", self._renew_when_due, stop)),
            asyncio.create_task(self._for_ever("ends runs", self._end_when_due, stop)),
        ]
        try:
            await stop.wait()
            await self._give_all_back()
        finally:
            for task in going_on:
                task.cancel()
            await asyncio.gather(*going_on, return_exceptions=True)
            self._ledger.close()

    async def _for_ever(self, what: str, once: Callable[[asyncio.Event], Awaitable[None]], stop: asyncio.Event) -> None:
        while not stop.is_set():
            try:
                await once(stop)
            except Exception:  # noqa: BLE001  (hosting: one failure must not end the host; until 2028-01-01)
                _LOG.exception("the host %s and failed; it tries again", what)
                await _first(stop.wait(), asyncio.sleep(_AFTER_TROUBLE_S))

    async def _claim_when_due(self, stop: asyncio.Event) -> None:
        if not self._has_forgotten:
            await self._ledger.forget(self._id)
            self._has_forgotten = True
        with self._needs.wakeups.subscribe(WORK_TOPIC) as hints:
            while not stop.is_set():
                await self._claim(stop)
                await _first(hints.next(_LOOK_AGAIN_S), self._room.wait(), stop.wait())
                self._room.clear()

    async def _claim(self, stop: asyncio.Event) -> None:
        """What is claimed at the moment of a stop is given back with the rest."""
        room = max(0, self._limits.concurrency - self._reserved())
        free = self._limits.shards - len(self._works)
        if free <= 0 or room <= 0:
            return
        capacity = WorkerCapacity(self._id, free, room, keeps_journals=True)
        for shard in await self._ledger.claim(capacity):
            if stop.is_set():
                return
            work = ShardWork(shard, self._parts)
            task = asyncio.create_task(work.run())
            self._works[shard.fence.lease_id] = (work, task)
            task.add_done_callback(partial(self._done, work))

    def _reserved(self) -> int:
        return sum(work.concurrency for work, _ in self._works.values())

    def _done(self, work: ShardWork, task: asyncio.Task[None]) -> None:
        self._works.pop(work.shard.fence.lease_id, None)
        if not any(other.run_id == work.run_id for other, _ in self._works.values()):
            self._parts.leave_run(work.run_id)
        self._room.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("the work on shard %d of run %s failed", work.shard.number, work.run_id, exc_info=error)

    async def _renew_when_due(self, stop: asyncio.Event) -> None:
        """Tells news at each progress interval, renews at a third of a lease's time or when something hurries."""
        every_s = self._ledger.rules.lease_for_ms / 3000
        renewed_at = float("-inf")
        loop = asyncio.get_running_loop()
        with self._needs.wakeups.subscribe(COMMANDS_TOPIC) as hints:
            while not stop.is_set():
                hurried = await _first(hints.next(self._limits.progress_every_s), self._news.wait(), stop.wait())
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
        asks = [
            RenewalAsk(work.shard.fence, work.news.answers, room)
            for work, room in zip(works.values(), self._rooms(len(works)), strict=True)
        ]
        for ask, renewal in zip(asks, await self._ledger.renew(asks), strict=True):
            work = works[renewal.lease_id]
            work.news.forget_answers(ask.answers)
            if work.take(renewal):
                self._news.set()  # what one gives back another may have

    def _rooms(self, leases: int) -> list[int]:
        """What is left of the host's limit, shared by the leases that may want it; the odd ones go round."""
        room = max(0, self._limits.concurrency - self._reserved())
        self._turn += 1
        each, odd = divmod(room, leases)
        return [each + ((number + self._turn) % leases < odd) for number in range(leases)]

    async def _end_when_due(self, stop: asyncio.Event) -> None:
        with self._needs.wakeups.subscribe(WORK_TOPIC) as hints:
            while not stop.is_set():
                if not await self._endings.end_one():
                    await _first(hints.next(_LOOK_AGAIN_S), stop.wait())

    async def _give_all_back(self) -> None:
        """Bounded by `drain_s` and a little more."""
        self._needs.place.give_up()
        works = [work for work, _ in self._works.values()]
        for work in works:
            work.stop(SHUTTING_DOWN, self._limits.drain_s)
        if not await self._all_gone(self._limits.drain_s + 1.0):
            for work in works:
                work.stop_hard()
        self._ledger.give_up()
        if await self._all_gone(_LAST_WORDS_S):
            with suppress(PostroadError):
                await self._ledger.forget(self._id)

    async def _all_gone(self, within_s: float) -> bool:
        tasks = [task for _, task in self._works.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=within_s)
        return all(task.done() for task in tasks)


async def _first(*awaitables: Awaitable[object]) -> bool:
    """Waits for the first of them; whether it said something. The others are taken back."""
    waiting = [asyncio.ensure_future(one) for one in awaitables]
    try:
        done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        return any(bool(one.result()) for one in done)
    finally:
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
