"""One leased shard, from its lease to its end.

    freeze the folder → open the budgets → acknowledge → start the worker → attend it, telling what it says → say how
    it ended

What makes the run impossible (a secret that is gone, an address that is refused) ends the shard FAILED with the account
as the journal has it. What may be different later (the disk is full, the folder has to be restored, a dying worker
still holds the journal) gives the shard back for a while. A worker that dies gives it back at once, unless several died
without progress. A lease that was lost lets the worker record the answers to what has left and sends nothing more.
"""

import logging
from collections.abc import Mapping

from postroad.flows.hosting.ports import Beginning, ShardOutcome, Worker
from postroad.flows.hosting.reporting import ShardNews
from postroad.flows.hosting.shard_parts import ShardParts
from postroad.modules.runs import CommandKind, CommandOrder, LeasedShard, Renewal, ShardEnd
from postroad.vocabulary.errors import AlreadyRunning, JournalBroken, PostroadError, SendConflict, StorageFailed
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.refusals import LeaseExpired
from postroad.vocabulary.transitions import RunState

MAX_DEATHS_IN_A_ROW = 5
WAIT_AFTER_TROUBLE_MS = 30_000
LOST_DRAIN_S = 2.0
_LONGEST_REASON = 300
_MAY_PASS = (AlreadyRunning, SendConflict, JournalBroken, StorageFailed)
_LOG = logging.getLogger(__name__)


class ShardWork:
    def __init__(self, shard: LeasedShard, parts: ShardParts) -> None:
        self.shard = shard
        self.news = ShardNews(shard, parts.budgets, parts.clock, parts.hurry)
        self.concurrency = shard.posture.concurrency
        self.is_acknowledged = False
        self._parts = parts
        self._worker: Worker | None = None
        self._stopping = ""
        """Why the host stops it; empty while it does not."""
        self._lost = False

    @property
    def run_id(self) -> str:
        return self.shard.plan.run_id

    async def run(self) -> None:
        """What it could not say, the end of its lease says."""
        try:
            await self._run()
        except LeaseExpired:
            _LOG.warning("shard %d of run %s is somebody else's now", self.shard.number, self.run_id)
        finally:
            if self._worker is not None:
                self._worker.close()

    def take(self, renewal: Renewal) -> bool:
        """What the ledger said with a renewal: a lost lease, commands, another share of the concurrency. Whether the
        share is another one."""
        if renewal.is_lost:
            self._lose()
            return False
        worker = self._worker
        changes = renewal.concurrency != self.concurrency
        self.concurrency = renewal.concurrency
        if worker is None:
            return changes
        if changes:
            worker.share(renewal.concurrency)
        for order in renewal.commands:
            if self._is_taken(order):
                worker.command(order, self.concurrency)
        return changes

    async def tell(self) -> None:
        """Reports what is new. Raises LeaseExpired."""
        while self.is_acknowledged and not self._lost:
            report = self.news.next_report()
            if report is None or not self.news.acknowledged(await self._parts.ledger.report(report)):
                return

    def stop(self, reason: str, within_s: float) -> None:
        """Lets what is in flight come back, for so long; then the worker is gone."""
        self._stopping = reason
        self._leave(within_s)

    def stop_hard(self) -> None:
        if self._worker is not None:
            self._worker.close()

    async def _run(self) -> None:
        parts, shard = self._parts, self.shard
        try:
            secrets = await parts.ledger.blocking(lambda: parts.secrets.of(shard.plan))
            async with parts.lock_of(shard.plan.run_id):
                await parts.ledger.blocking(lambda: parts.place.freeze(shard))
            await parts.open_budgets(shard)
        except PostroadError as error:
            await self._refused(error)
            return
        if self._stopping:
            await parts.ledger.release(shard.fence, self._stopping)
            return
        first = await self._acknowledge()
        self.concurrency = first.concurrency
        orders = tuple(order for order in first.commands if self._is_taken(order))
        await self._work(secrets, Beginning(first.concurrency, orders, parts.budgets.limited_by_others(self.run_id)))

    async def _work(self, secrets: Mapping[str, str], beginning: Beginning) -> None:
        try:
            worker = await self._parts.place.start(self.shard, secrets, beginning)
        except OSError as error:
            said = _cut(f"no worker could be started: {error}")
            await self._parts.ledger.release(self.shard.fence, said, WAIT_AFTER_TROUBLE_MS)
            return
        self._worker = worker
        if self.concurrency != beginning.concurrency:
            worker.share(self.concurrency)
        if self._lost or self._stopping:
            worker.close()
        deaf = self._parts.budgets.listen(self.run_id, worker.ask_for)
        self._parts.place.show(self.shard.plan)
        try:
            outcome = await worker.attend(self.news)
        finally:
            deaf()
        await self._ended(outcome)

    async def _acknowledge(self) -> Renewal:
        renewal = await self._parts.ledger.acknowledge(self.shard.fence)
        self.is_acknowledged = True
        self._parts.hurry()
        return renewal

    def _lose(self) -> None:
        if not self._lost:
            self._lost = True
            self._leave(LOST_DRAIN_S)

    def _leave(self, within_s: float) -> None:
        self.news.is_leaving = True
        if self._worker is not None:
            self._worker.drain(within_s)

    def _is_taken(self, order: CommandOrder) -> bool:
        """False for one that was told before. A rate holds for the desk from now on, whatever the worker says."""
        if not self.news.is_new(order):
            return False
        if order.kind is CommandKind.RATE:
            rate = self._parts.place.parsed_rate(str(order.payload["rate"]))
            self._parts.budgets.change(self.run_id, str(order.payload["key"]), rate, self._parts.clock.now_ms())
        return True

    async def _ended(self, outcome: ShardOutcome) -> None:
        if self._lost:
            return
        fence = self.shard.fence
        if outcome.refusal is not None:
            await self._refused(outcome.refusal)
        elif outcome.counts is None:
            await self._died(outcome)
        elif outcome.state is RunState.LOST:
            self.news.stopped_at(outcome.counts)
            await self._told()
            wait_ms = 0 if self._stopping else WAIT_AFTER_TROUBLE_MS
            await self._parts.ledger.release(fence, self._stopping or outcome.reason, wait_ms)
        else:
            await self._told()
            self._parts.deaths.forget(fence.shard_id)
            await self._finish(outcome.state, outcome.reason, outcome)

    async def _died(self, outcome: ShardOutcome) -> None:
        if self._stopping:
            await self._parts.ledger.release(self.shard.fence, self._stopping)
            return
        deaths = self._parts.deaths.count(self.shard.fence.shard_id, outcome.settled)
        if deaths < MAX_DEATHS_IN_A_ROW:
            await self._parts.ledger.release(self.shard.fence, _cut(f"its worker died: {outcome.last_words}"))
            return
        self._parts.deaths.forget(self.shard.fence.shard_id)
        await self._fail(f"WORKER: died {deaths} times without progress: {outcome.last_words}")

    async def _refused(self, error: PostroadError) -> None:
        """The first moment of a shard that cannot be worked on."""
        if isinstance(error, _MAY_PASS):
            await self._parts.ledger.release(
                self.shard.fence, _cut(f"{error.code}: {error.message}"), WAIT_AFTER_TROUBLE_MS
            )
            return
        if not self.is_acknowledged:
            await self._acknowledge()
        await self._fail(f"{error.code}: {error.message}")

    async def _fail(self, reason: str) -> None:
        parts, shard = self._parts, self.shard
        try:
            counts = await parts.ledger.blocking(lambda: parts.place.as_it_stands(shard))
        except PostroadError as error:
            _LOG.exception("shard %d of run %s cannot be accounted for", shard.number, self.run_id)
            await parts.ledger.release(shard.fence, _cut(f"{reason}; {error.message}"), WAIT_AFTER_TROUBLE_MS)
            return
        await self._finish(RunState.FAILED, reason, ShardOutcome(counts.settled, counts=counts))

    async def _told(self) -> None:
        """What cannot be told is no reason to leave the end unsaid."""
        try:
            await self.tell()
        except LeaseExpired:
            raise
        except PostroadError as error:
            _LOG.warning("what shard %d of run %s said last is not kept: %s", self.shard.number, self.run_id, error)

    async def _finish(self, state: RunState, reason: str, outcome: ShardOutcome) -> None:
        assert outcome.counts is not None
        category: Category | None = outcome.category
        await self._parts.ledger.finish(
            ShardEnd(self.shard.fence, state, outcome.counts, _cut(reason), category, outcome.suppressed_errors)
        )


def _cut(text: str) -> str:
    return text[:_LONGEST_REASON]
