"""All budgets of one run. An item takes from every bucket it belongs to, or from none.

`run` and `account` are wide: they hold for every item, so when one of them is empty nothing at all can go and the
dispatcher simply waits. Any other key is narrow: only the items that carry it wait, in a lane of their own.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from postroad.engine.pacing.bucket import Bucket
from postroad.spi import Rate, RateLimit, RateScope

WIDE = (RateScope.RUN.value, RateScope.ACCOUNT.value)
_UNLIMITED = Rate(0, 1.0)
SWEEP_AT = 4096
"""So many buckets are kept before idle ones are looked for."""


class Wait(NamedTuple):
    """Which bucket refused, and when to ask again."""

    key: str
    until_ms: float


class Pacer(Protocol):
    wake: Callable[[], None]
    """Set by the run: to be called when tokens have come that a refusal did not foresee."""

    def try_take(self, keys: Sequence[str], cost: int, now_ms: float) -> Wait | None:
        """Takes `cost` tokens of run, account and each of `keys`; or nothing, and says what to wait for."""
        ...

    def slow(self, keys: Sequence[str], until_ms: float) -> None:
        """The remote asked everybody who shares these buckets to wait."""
        ...

    def set_rate(self, key: str, rate: Rate, now_ms: float) -> None: ...

    def rebuild(self, spent: Iterable[tuple[int, tuple[str, ...], int]]) -> None:
        """What earlier processes spent: (wall milliseconds, keys, cost), oldest first."""
        ...


Spent = tuple[int, tuple[str, ...], int]
"""Wall milliseconds, keys, cost."""


def spent_by(times: Iterable[Spent], now_ms: float) -> Iterator[Spent]:
    """What a journal says was spent, for `rebuild`: at the latest now, since the clock may have been set back since."""
    return ((min(at_ms, int(now_ms)), keys, cost) for at_ms, keys, cost in times)


def effective_rates(
    given: Mapping[str, Rate], limits: Iterable[RateLimit], default: Rate | None = None
) -> dict[str, Rate]:
    """The job's rates, then the provider's limits for scopes the job says nothing about.

    The provider's safe default holds for the run when the job gives no rate at all. Of several limits of one scope the
    one with the lowest average is kept: tokens are spaced evenly, so it keeps the others too.
    """
    rates = {str(key): rate for key, rate in given.items()}
    named = {key.partition(":")[0] for key in rates}
    for limit in limits:
        scope = limit.scope.value
        if scope not in named:
            rates[scope] = _slower(rates.get(scope), limit.rate)
    if not given and default is not None:
        rates.setdefault(RateScope.RUN.value, default)
    return rates


def _slower(one: Rate | None, other: Rate) -> Rate:
    if one is None or not one.count:
        return other
    return other if other.count and other.count / other.per_s < one.count / one.per_s else one


class LocalPacer:
    """Budgets of one process. Buckets of narrow keys appear when first used and go when idle."""

    def __init__(self, rates: Mapping[str, Rate]) -> None:
        self._rates = {str(key): rate for key, rate in rates.items() if rate.count}
        self._wide: dict[str, Bucket] = {key: Bucket(self._rates[key]) for key in WIDE if key in self._rates}
        self._narrow: dict[str, Bucket] = {}
        self._sweep_at = SWEEP_AT
        self.wake: Callable[[], None] = lambda: None
        self._limits_narrow = any(key not in WIDE for key in self._rates)

    def try_take(self, keys: Sequence[str], cost: int, now_ms: float) -> Wait | None:
        wide = self._wide
        if not wide and not self._limits_narrow:
            return None
        for key, bucket in wide.items():
            due = bucket.due(cost, now_ms)
            if due:
                return Wait(key, due)
        narrow: list[Bucket] = []
        if keys and self._limits_narrow:
            for key in keys:
                found = self._narrow.get(key) or self._open(key, now_ms)
                if found is None:
                    continue
                due = found.due(cost, now_ms)
                if due:
                    return Wait(key, due)
                narrow.append(found)
        for bucket in wide.values():
            bucket.take(cost, now_ms)
        for bucket in narrow:
            bucket.take(cost, now_ms)
        return None

    def _open(self, key: str, now_ms: float) -> Bucket | None:
        rate = self._rate_of(key)
        if rate is None:
            return None
        if len(self._narrow) >= self._sweep_at:
            self._narrow = {name: bucket for name, bucket in self._narrow.items() if not bucket.is_idle(now_ms)}
            self._sweep_at = max(SWEEP_AT, 2 * len(self._narrow))
        bucket = self._narrow[key] = Bucket(rate)
        return bucket

    def _rate_of(self, key: str) -> Rate | None:
        return self._rates.get(key) or self._rates.get(key.partition(":")[0])

    def slow(self, keys: Sequence[str], until_ms: float) -> None:
        for key in keys:
            buckets = self._wide if key in WIDE else self._narrow
            bucket = buckets.get(key)
            if bucket is None:
                bucket = buckets[key] = Bucket(self._rate_of(key) or _UNLIMITED)
                self._limits_narrow = self._limits_narrow or key not in WIDE
            bucket.slow(until_ms)

    def set_rate(self, key: str, rate: Rate, now_ms: float) -> None:
        if rate.count:
            self._rates[key] = rate
        else:
            self._rates.pop(key, None)
        if key in WIDE:
            old = self._wide.get(key) or Bucket(_UNLIMITED)
            self._wide[key] = old.at_rate(rate, now_ms)
            return
        for name, bucket in self._narrow.items():
            if name == key or name.partition(":")[0] == key:
                self._narrow[name] = bucket.at_rate(self._rate_of(name) or _UNLIMITED, now_ms)
        self._limits_narrow = bool(self._narrow) or any(name not in WIDE for name in self._rates)

    def rebuild(self, spent: Iterable[tuple[int, tuple[str, ...], int]]) -> None:
        for at_ms, keys, cost in spent:
            for bucket in self._wide.values():
                bucket.take(cost, at_ms)
            for key in keys:
                bucket_of = self._narrow.get(key) or self._open(key, at_ms)
                if bucket_of is not None:
                    bucket_of.take(cost, at_ms)
