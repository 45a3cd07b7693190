"""What the work on every shard of a host shares: ledger, place, secrets, budgets, and how often workers died."""

import asyncio
from collections.abc import Callable, Mapping

from postroad.flows.hosting.budgets import Budgets
from postroad.flows.hosting.ledger import Ledger
from postroad.flows.hosting.ports import SecretTexts, Spent, WorkPlace
from postroad.modules.runs import LeasedShard
from postroad.spi import Rate
from postroad.vocabulary.clock import Clock

_SHORTEST_PAST_MS = 2_000
_LONGEST_PAST_MS = 24 * 3_600_000
"""Older tokens are in no journal's memory either."""


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
        self._opening = asyncio.Lock()

    def lock_of(self, run_id: str) -> asyncio.Lock:
        """Two shards of one run must not make its folder at once."""
        return self._freezing.setdefault(run_id, asyncio.Lock())

    def leave_run(self, run_id: str) -> None:
        """No shard of it is worked on here any more, for now."""
        self.budgets.close(run_id, self.clock.now_ms())
        self._freezing.pop(run_id, None)

    async def open_budgets(self, shard: LeasedShard) -> None:
        """Also tells them what the journals know that no desk of this process has lent."""
        plan, now_ms = shard.plan, self.clock.now_ms()
        async with self._opening:
            if not self.budgets.knows(plan.run_id):
                rates = await self.ledger.blocking(lambda: self.place.rates(plan))
                await self._open(shard, rates, now_ms)
        for key, text in shard.posture.rates.items():
            self.budgets.change(plan.run_id, key, self.place.parsed_rate(text), now_ms)

    async def _open(self, shard: LeasedShard, rates: Mapping[str, Rate], now_ms: int) -> None:
        plan = shard.plan
        account_id = plan.account.account_id
        since = now_ms - _past_ms(rates)
        known_since = self.budgets.known_since(account_id)
        is_new = self.budgets.open(plan.run_id, account_id, rates, now_ms)
        if not any(rate.count for rate in rates.values()):
            return
        own = await self._spent([plan.run_id], since, now_ms) if is_new else []
        upto = now_ms if known_since is None else known_since
        others: list[Spent] = []
        if since < upto:
            others = await self._spent(await self.ledger.runs_of_account(plan, since), since, upto)
        self.budgets.recall(plan.run_id, own, others, min(since, upto), now_ms)

    async def _spent(self, run_ids: "list[str] | tuple[str, ...]", since_ms: int, upto_ms: int) -> list[Spent]:
        def read() -> list[Spent]:
            found = (spent for run_id in run_ids for spent in self.place.spent(run_id, since_ms))
            return sorted(spent for spent in found if since_ms <= spent[0] < upto_ms)

        return await self.ledger.blocking(read)


def _past_ms(rates: Mapping[str, Rate]) -> int:
    """How far back a token still counts."""
    widest = max((rate.per_s for rate in rates.values() if rate.count), default=0.0)
    return min(_LONGEST_PAST_MS, max(_SHORTEST_PAST_MS, round(widest * 1000) + _SHORTEST_PAST_MS))
