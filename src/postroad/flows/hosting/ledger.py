"""The port of workers as the host calls it: each call one transaction, in a thread, tried again while the database is
away. What a worker must say is said; only a lost lease ends the trying."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.kernel.uow import UnitOfWork
from postroad.modules import runs
from postroad.modules.runs import (
    LeasedShard,
    Renewal,
    RenewalAsk,
    ReportAck,
    RunEnd,
    RunSurroundings,
    RunToEnd,
    ShardEnd,
    ShardFence,
    ShardReport,
    WorkerCapacity,
)
from postroad.vocabulary.refusals import CommitUnknown, DatabaseUnavailable, Overloaded

_T = TypeVar("_T")
_LOG = logging.getLogger(__name__)
_HOST = Principal.system("embedded-workers")
_AWAY = (Overloaded, DatabaseUnavailable, CommitUnknown)
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.2, 5.0


class Ledger:
    def __init__(self, database: Database, around: RunSurroundings, threads: int = 4) -> None:
        self._database = database
        self._around = around
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="hosting")

    @property
    def rules(self) -> runs.LeaseRules:
        return self._around.rules

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def blocking(self, work: Callable[[], _T]) -> _T:
        """`work` in a thread of the host's own."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def claim(self, capacity: WorkerCapacity) -> list[LeasedShard]:
        return await self._once(lambda uow: runs.claim_shards(uow, capacity, self._around))

    async def acknowledge(self, fence: ShardFence) -> Renewal:
        return await self._surely(lambda uow: runs.acknowledge(uow, fence, self._around))

    async def renew(self, asks: Sequence[RenewalAsk]) -> list[Renewal]:
        return await self._once(lambda uow: runs.renew(uow, asks, self._around))

    async def report(self, said: ShardReport) -> ReportAck:
        return await self._once(lambda uow: runs.report(uow, said, self._around))

    async def finish(self, end: ShardEnd) -> None:
        await self._surely(lambda uow: runs.finish_shard(uow, end, self._around))

    async def release(self, fence: ShardFence, reason: str, wait_ms: int = 0) -> None:
        await self._once(lambda uow: runs.release(uow, fence, self._around, reason, wait_ms=wait_ms))

    async def expire(self) -> int:
        return await self._once(lambda uow: runs.expire_leases(uow, self._around))

    async def forget(self, worker_id: str) -> int:
        return await self._surely(lambda uow: runs.forget_worker(uow, worker_id, self._around))

    async def runs_to_end(self, worker_id: str) -> list[RunToEnd]:
        return await self._once(lambda uow: runs.claim_runs_to_end(uow, worker_id, self._around))

    async def end_run(self, end: RunEnd) -> None:
        await self._surely(lambda uow: runs.end_run(uow, end, self._around))

    async def _once(self, work: Callable[[UnitOfWork], _T]) -> _T:
        return await self.blocking(lambda: self._database.write(_HOST, work))

    async def _surely(self, work: Callable[[UnitOfWork], _T]) -> _T:
        wait_s = _FIRST_WAIT_S
        while True:
            try:
                return await self._once(work)
            except _AWAY as error:
                _LOG.warning("the database is away (%s); what is to be written waits", error.code)
                await asyncio.sleep(wait_s)
                wait_s = min(_LONGEST_WAIT_S, wait_s * 2)
