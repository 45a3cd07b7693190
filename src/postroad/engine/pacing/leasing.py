"""One budget over several processes: a desk lends whole tokens, workers spend them.

The desk owns the real buckets. A lease is a number of tokens of one key that may be spent until it expires; what is
not spent by then counts as spent, so a worker that dies costs rate and never exceeds it. Because a token may be used
anywhere in the life of its lease, and is written down anywhere in it too, the desk counts over the window plus two
lease lives: any window seen by the remote then holds no more than the promised count. A lease lives a twentieth of the
window, at least 50 ms and at most one second.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from postroad.engine.pacing.bucket import Bucket
from postroad.engine.pacing.pacer import SWEEP_AT, WIDE, Wait
from postroad.spi import Rate

_POLL_MS = 20.0
_LEND_AT_MOST = 500


@dataclass(frozen=True, slots=True)
class Lease:
    """`tokens` may be 0: `retry_at_ms` then says when to ask again. `unlimited` holds until the lease expires."""

    tokens: int
    expires_at_ms: float
    retry_at_ms: float = 0.0
    unlimited: bool = False


class Lender(Protocol):
    async def lease(self, key: str, want: int) -> Lease:
        """Asks the desk for `want` tokens or more. May fail or be slow: the worker then just waits."""
        ...

    def slow(self, keys: Sequence[str], until_ms: float) -> None:
        """Tells the desk that the remote asked for patience. Returns at once."""
        ...


class TokenDesk:
    """The lender's side: call it from one process for all workers of a run."""

    def __init__(self, rates: Mapping[str, Rate]) -> None:
        self._rates = {str(key): rate for key, rate in rates.items() if rate.count}
        self._buckets: dict[str, Bucket] = {}
        self._sweep_at = SWEEP_AT

    def lend(self, key: str, want: int, now_ms: float) -> Lease:
        """At least `want` tokens or none: one message may need that many at once. And what more a lease life holds."""
        if len(self._buckets) >= self._sweep_at:
            self._buckets = {name: bucket for name, bucket in self._buckets.items() if not bucket.is_idle(now_ms)}
            self._sweep_at = max(SWEEP_AT, 2 * len(self._buckets))
        rate = self._rate_of(key)
        bucket = self._bucket_of(key)
        if rate is None:
            blocked = bucket.due(1, now_ms) if bucket else 0.0
            return Lease(0, now_ms, blocked) if blocked else Lease(0, now_ms + 1000.0, unlimited=True)
        assert bucket is not None
        end = now_ms + life_ms(rate)
        due = bucket.due(want, now_ms)
        if due > end:
            return Lease(0, end, retry_at_ms=due)
        at, tokens = max(now_ms, due), want
        bucket.take(want, at)
        while tokens < _LEND_AT_MOST:
            due = bucket.due(1, at)
            if due > end:
                break
            at = max(at, due)
            bucket.take(1, at)
            tokens += 1
        return Lease(tokens, end)

    def slow(self, keys: Sequence[str], until_ms: float) -> None:
        for key in keys:
            bucket = self._bucket_of(key)
            if bucket is None:
                bucket = self._buckets[key] = Bucket(Rate(0, 1.0))
            bucket.slow(until_ms)

    def set_rate(self, key: str, rate: Rate, now_ms: float) -> None:
        if rate.count:
            self._rates[key] = rate
        else:
            self._rates.pop(key, None)
        for name, bucket in self._buckets.items():
            if name == key or name.partition(":")[0] == key:
                self._buckets[name] = bucket.at_rate(_widened(self._rate_of(name) or Rate(0, 1.0)), now_ms)

    def rebuild(self, spent: Iterable[tuple[int, tuple[str, ...], int]]) -> None:
        """What earlier workers spent, from journals, in any order; also while others take tokens already."""
        by_key: dict[str, list[tuple[float, int]]] = {}
        for at_ms, keys, cost in spent:
            for key in (*WIDE, *keys):
                by_key.setdefault(key, []).append((at_ms, cost))
        for key, times in by_key.items():
            bucket = self._bucket_of(key)
            if bucket is not None:
                bucket.recall(times)

    def _rate_of(self, key: str) -> Rate | None:
        return self._rates.get(key) or self._rates.get(key.partition(":")[0])

    def _bucket_of(self, key: str) -> Bucket | None:
        bucket = self._buckets.get(key)
        if bucket is None:
            rate = self._rate_of(key)
            if rate is None:
                return None
            bucket = self._buckets[key] = Bucket(_widened(rate))
        return bucket


def life_ms(rate: Rate) -> float:
    return min(1000.0, max(50.0, rate.per_s * 1000.0 / 20))


def _widened(rate: Rate) -> Rate:
    return Rate(rate.count, rate.per_s + 2 * life_ms(rate) / 1000.0) if rate.count else rate


class _Stock:
    __slots__ = ("asking", "expires_at_ms", "retry_at_ms", "tokens", "unlimited")

    def __init__(self) -> None:
        self.tokens = 0
        self.expires_at_ms = 0.0
        self.retry_at_ms = 0.0
        self.unlimited = False
        self.asking = False


class LeasedPacer:
    """The worker's side. Spends what it holds, asks for more in the background, and never waits.

    `keys` are the scopes and buckets that have a rate anywhere: what is not named costs no round trip. `wake` is called
    when tokens arrive. Needs a running loop once the first token is asked for.
    """

    def __init__(self, lender: Lender, keys: Iterable[str], wake: Callable[[], None] = lambda: None) -> None:
        self._lender = lender
        self._limited = {str(key) for key in keys}
        self._stocks: dict[str, _Stock] = {}
        self._blocked: dict[str, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.wake = wake

    def try_take(self, keys: Sequence[str], cost: int, now_ms: float) -> Wait | None:
        stocks: list[_Stock] = []
        for key in (*WIDE, *keys):
            if self._blocked and self._blocked.get(key, 0.0) > now_ms:
                return Wait(key, self._blocked[key])
            if key not in self._limited and key.partition(":")[0] not in self._limited:
                continue
            stock = self._stocks.get(key)
            if stock is None:
                stock = self._stocks[key] = _Stock()
            if stock.unlimited and stock.expires_at_ms > now_ms:
                continue
            if stock.expires_at_ms <= now_ms:
                stock.tokens = 0
            if stock.tokens < cost:
                self._ask(key, stock, cost, now_ms)
                return Wait(key, max(stock.retry_at_ms, now_ms + _POLL_MS))
            stocks.append(stock)
        for stock in stocks:
            stock.tokens -= cost
        return None

    def _ask(self, key: str, stock: _Stock, cost: int, now_ms: float) -> None:
        if stock.asking or stock.retry_at_ms > now_ms:
            return
        stock.asking = True
        task = asyncio.get_running_loop().create_task(self._fetch(key, stock, cost))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _fetch(self, key: str, stock: _Stock, want: int) -> None:
        try:
            lease = await self._lender.lease(key, want)
        except Exception:  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
            return  # a desk that cannot answer lends nothing; the next try_take asks again
        finally:
            stock.asking = False
        stock.tokens = lease.tokens  # what was left of an older lease counts as spent
        stock.expires_at_ms = lease.expires_at_ms
        stock.retry_at_ms = lease.retry_at_ms
        stock.unlimited = lease.unlimited
        self.wake()

    def slow(self, keys: Sequence[str], until_ms: float) -> None:
        for key in keys:
            self._blocked[key] = max(until_ms, self._blocked.get(key, 0.0))
        self._lender.slow(keys, until_ms)

    def set_rate(self, key: str, rate: Rate, now_ms: float) -> None:
        """The desk changes the rate; here the key only becomes one to ask for, at once."""
        del rate
        self._limited.add(key)
        for name, stock in self._stocks.items():
            if name == key or name.partition(":")[0] == key:
                stock.retry_at_ms = min(stock.retry_at_ms, now_ms)
                stock.unlimited = False

    def rebuild(self, spent: Iterable[tuple[int, tuple[str, ...], int]]) -> None:
        """Nothing to do: the desk knows what was spent."""
