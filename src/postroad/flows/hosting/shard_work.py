"""One leased shard, from its lease to its end.

    freeze the folder → acknowledge → start the worker → attend it, telling what it says → say how it ended

What makes the run impossible (a secret that is gone, an address that is refused) ends the shard FAILED with the account
as the journal has it. What may be different elsewhere or later (its folder lies on another machine, the disk is full)
gives the shard back for a while. A worker that dies gives it back at once, unless several died without progress.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from postroad.flows.hosting.budgets import Budgets
from postroad.flows.hosting.ledger import Ledger
from postroad.flows.hosting.ports import SecretTexts, ShardOutcome, Worker, WorkPlace
from postroad.flows.hosting.reporting import ShardNews
from postroad.modules.runs import LeasedShard, Renewal, ShardEnd
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.errors import JournalBroken, PostroadError, SendConflict, StorageFailed
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.refusals import LeaseExpired
from postroad.vocabulary.transitions import RunState

MAX_DEATHS_IN_A_ROW = 5
WAIT_AFTER_TROUBLE_MS = 30_000
_MAY_PASS = (SendConflict, JournalBroken, StorageFailed)
_LOG = logging.getLogger(__name__)


class Deaths:
    """How often the workers of a shard died in a row without having settled anything."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, int]] = {}

    def count(self, shard_id: str, settled: int) -> int:
        before, deaths = self._known.get(shard_id, (-1, 0))
        deaths = deaths + 1 if settled <= before else 1
        self._known[shard_id] = (max(before, settled), deaths)
        return deaths

    def forget(self, shard_id: str) -> None:
        self._known.pop(shard_id, None)


class ShardParts:
    """What the work on every shard shares."""

    def __init__(
        self, ledger: Ledger, place: WorkPlace, secrets: SecretTexts, clock: Clock, hurry: Callable[[], None]
    ) -> None:
        self.ledger = ledger
        self.place = place
        self.secrets = secrets
        self.clock = clock
        self.hurry = hurry
        self.budgets = Budgets()
        self.deaths = Deaths()
        self._freezing: dict[str, asyncio.Lock] = {}

    def lock_of(self, run_id: str) -> asyncio.Lock:
        """Two shards of one run must not make its folder at once."""
        return self._freezing.setdefault(run_id, asyncio.Lock())

    def forget_run(self, run_id: str) -> None:
        self.budgets.close(run_id, self.clock.now_ms())
        self._freezing.pop(run_id, None)


class ShardWork:
    def __init__(self, shard: LeasedShard, parts: ShardParts) -> None:
        self.shard = shard
        self.news = ShardNews(shard, parts.budgets, parts.clock, parts.hurry)
        self.concurrency = shard.posture.concurrency
        self.is_acknowledged = False
        self._parts = parts
        self._worker: Worker | None = None
        self._lost = False
        self._stopping = ""

    async def run(self) -> None:
        """Never raises for what one shard can do; what it could not say the end of its lease says."""
        try:
            await self._run()
        except LeaseExpired:
            _LOG.warning("shard %d of run %s is somebody else's now", self.shard.number, self.shard.plan.run_id)
        finally:
            if self._worker is not None:
                self._worker.close()

    def take(self, renewal: Renewal) -> None:
        """What the ledger said with a renewal: a lost lease, commands, another share of the concurrency."""
        if renewal.is_lost:
            self._lost = True
            if self._worker is not None:
                self._worker.close()
            return
        worker = self._worker
        if worker is None:
            return
        if renewal.concurrency != self.concurrency:
            self.concurrency = renewal.concurrency
            worker.share(renewal.concurrency)
        for order in renewal.commands:
            if self.news.is_new(order):
                self._set_rate(order.kind.value, order.payload)
                worker.command(order, renewal.concurrency)

    async def tell(self) -> None:
        """Reports what is new. Raises LeaseExpired."""
        while self.is_acknowledged and not self._lost:
            report = self.news.next_report()
            if report is None:
                return
            self.news.acknowledged(await self._parts.ledger.report(report))

    async def stop(self, reason: str, until: float) -> None:
        """Lets what is in flight come back until the loop's time `until`, then stops the worker hard."""
        self._stopping = reason
        worker = self._worker
        if worker is None:
            return
        worker.hush()
        with suppress(TimeoutError):
            async with asyncio.timeout_at(until):
                await self.news.idle.wait()
        worker.close()

    async def _run(self) -> None:
        parts, shard = self._parts, self.shard
        try:
            secrets = await parts.ledger.blocking(lambda: parts.secrets.of(shard.plan))
            async with parts.lock_of(shard.plan.run_id):
                await parts.ledger.blocking(lambda: parts.place.freeze(shard))
                await self._open_budgets()
        except PostroadError as error:
            await self._refused(error)
            return
        if self._stopping:
            return
        first = await self._acknowledge()
        self._worker = await parts.place.start(shard, secrets)
        self.take(first)
        outcome = await self._worker.attend(self.news)
        await self._ended(outcome)

    async def _acknowledge(self) -> Renewal:
        renewal = await self._parts.ledger.acknowledge(self.shard.fence)
        self.is_acknowledged = True
        return renewal

    async def _open_budgets(self) -> None:
        parts, plan, posture = self._parts, self.shard.plan, self.shard.posture
        if not parts.budgets.knows(plan.run_id):
            rates = await parts.ledger.blocking(lambda: parts.place.rates(plan))
            spent = await parts.ledger.blocking(lambda: list(parts.place.spent(plan)))
            parts.budgets.open(plan.run_id, plan.account.account_id, rates, spent, parts.clock.now_ms())
        for key, rate in posture.rates.items():
            parts.budgets.change(plan.run_id, key, parts.place.parsed_rate(rate), parts.clock.now_ms())

    def _set_rate(self, kind: str, payload: object) -> None:
        if kind == "rate" and isinstance(payload, dict):
            rate = self._parts.place.parsed_rate(str(payload["rate"]))
            run_id, now_ms = self.shard.plan.run_id, self._parts.clock.now_ms()
            self._parts.budgets.change(run_id, str(payload["key"]), rate, now_ms)

    async def _ended(self, outcome: ShardOutcome) -> None:
        if self._lost:
            return
        fence = self.shard.fence
        if self._stopping and outcome.counts is None:
            await self._parts.ledger.release(fence, self._stopping)
        elif outcome.refusal is not None:
            await self._refused(outcome.refusal)
        elif outcome.counts is None:
            await self._died(outcome)
        elif outcome.state is RunState.LOST:
            wait_ms = 0 if self._stopping else WAIT_AFTER_TROUBLE_MS
            await self._parts.ledger.release(fence, self._stopping or outcome.reason, wait_ms)
        else:
            await self.tell()
            self._parts.deaths.forget(self.shard.fence.shard_id)
            await self._parts.ledger.finish(
                ShardEnd(
                    fence,
                    outcome.state,
                    outcome.counts,
                    outcome.reason,
                    outcome.category,
                    outcome.suppressed_errors,
                )
            )

    async def _died(self, outcome: ShardOutcome) -> None:
        deaths = self._parts.deaths.count(self.shard.fence.shard_id, outcome.settled)
        if deaths < MAX_DEATHS_IN_A_ROW:
            await self._parts.ledger.release(self.shard.fence, f"its worker died: {outcome.last_words}"[:300])
            return
        reason = f"WORKER: died {deaths} times without progress: {outcome.last_words}"[:300]
        self._parts.deaths.forget(self.shard.fence.shard_id)
        await self._fail(reason, None)

    async def _refused(self, error: PostroadError) -> None:
        if isinstance(error, _MAY_PASS):
            await self._parts.ledger.release(self.shard.fence, error.message[:300], WAIT_AFTER_TROUBLE_MS)
            return
        if not self.is_acknowledged:
            await self._acknowledge()
        await self._fail(f"{error.code}: {error.message}"[:300], None)

    async def _fail(self, reason: str, category: Category | None) -> None:
        counts = await self._parts.ledger.blocking(lambda: self._parts.place.as_it_stands(self.shard))
        await self._parts.ledger.finish(ShardEnd(self.shard.fence, RunState.FAILED, counts, reason, category))
