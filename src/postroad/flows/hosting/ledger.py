"""The port of workers as the host calls it: each call one transaction, in a thread, tried again while the database is
away. What a worker must say is said; only a lost lease ends the trying, or the end of the host.

Two pools of threads: files may take minutes, and a renewal must not wait behind them.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
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
    RunPlan,
    RunSurroundings,
    RunToEnd,
    ShardEnd,
    ShardFence,
    ShardReport,
    WorkerCapacity,
)
from postroad.vocabulary.errors import StorageFull
from postroad.vocabulary.refusals import CommitUnknown, DatabaseUnavailable, Overloaded

_T = TypeVar("_T")
_LOG = logging.getLogger(__name__)
_HOST = Principal.system("embedded-workers")
_AWAY = (Overloaded, DatabaseUnavailable, CommitUnknown, StorageFull)
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.2, 5.0


class Ledger:
    """Made on the loop that uses it."""

    def __init__(self, database: Database, around: RunSurroundings) -> None:
        self._database = database
        self._around = around
        self._calls = ThreadPoolExecutor(4, thread_name_prefix="hosting")
        self._files = ThreadPoolExecutor(4, thread_name_prefix="hosting-files")
        self._giving_up = asyncio.Event()

    @property
    def rules(self) -> runs.LeaseRules:
        return self._around.rules

    def give_up(self) -> None:
        """What cannot be said now is not tried again."""
        self._giving_up.set()

    def close(self) -> None:
        for pool in (self._calls, self._files):
            pool.shutdown(wait=False, cancel_futures=True)

    async def blocking(self, work: Callable[[], _T]) -> _T:
        """`work` on files, in a thread of the host's own."""
        return await asyncio.get_running_loop().run_in_executor(self._files, work)

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
        await self._surely(lambda uow: runs.release(uow, fence, self._around, reason, wait_ms=wait_ms))

    async def forget(self, worker_id: str) -> int:
        return await self._surely(lambda uow: runs.forget_worker(uow, worker_id, self._around))

    async def runs_to_end(self, worker_id: str) -> list[RunToEnd]:
        return await self._once(lambda uow: runs.claim_runs_to_end(uow, worker_id, self._around, keeps_journals=True))

    async def end_run(self, end: RunEnd) -> None:
        await self._surely(lambda uow: runs.end_run(uow, end, self._around))

    async def runs_of_account(self, plan: RunPlan, since_ms: int) -> tuple[str, ...]:
        """Those that may have sent by the account of this plan since then."""

        def find() -> tuple[str, ...]:
            return self._database.read(
                _HOST,
                lambda reading: runs.runs_of_account_since(
                    reading, plan.workspace_id, plan.account.account_id, since_ms
                ),
            )

        return await self._call(find)

    async def _call(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._calls, work)

    async def _once(self, work: Callable[[UnitOfWork], _T]) -> _T:
        return await self._call(lambda: self._database.write(_HOST, work))

    async def _surely(self, work: Callable[[UnitOfWork], _T]) -> _T:
        wait_s = _FIRST_WAIT_S
        while True:
            try:
                return await self._once(work)
            except _AWAY as error:
                if self._giving_up.is_set():
                    raise
                _LOG.warning("the database is away (%s); what is to be written waits", error.code)
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait_s):
                        await self._giving_up.wait()
                wait_s = min(_LONGEST_WAIT_S, wait_s * 2)
