"""What a job may decide about a run: how many at once, how fast, how often again, how long (spec wepush §6.5)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from postroad.spi import Rate
from postroad.vocabulary.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class ConcurrencyPolicy:
    """Sends in flight at once. A live change stays between `min` and `max`."""

    min: int = 1
    max: int = 64
    target: int = 16


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`delay = min(max_delay, initial * multiplier^(attempt - 1)) + jitter` (spec wepush §11.3).

    `jitter` is the largest share of the delay added on top. `retry_after_sent="never"` settles at once what the remote
    answered although it may hold the message; `table` follows the provider's own table.
    """

    max_attempts: int = 3
    initial_s: float = 1.0
    multiplier: float = 2.0
    max_delay_s: float = 60.0
    jitter: float = 0.2
    retry_after_sent: Literal["table", "never"] = "table"


@dataclass(frozen=True, slots=True)
class TimeoutPolicy:
    """`item_s` runs from an item's first attempt and stands still while the run is paused; `run_s` never stands still.

    None means no limit, and for `send_s` the provider's own.
    """

    item_s: float | None = None
    run_s: float | None = None
    send_s: float | None = None


@dataclass(frozen=True, slots=True)
class ResultPolicy:
    save_body: bool = False
    """Hand captured answers to the result sink; otherwise only the summary is kept."""
    batch_size: int = 500


@dataclass(frozen=True, slots=True)
class ExecutionPolicies:
    """`rates` maps a scope (`run`, `account`, `domain`) or one bucket (`domain:example.org`) to its rate.

    A rate for a scope with names holds for each name by itself; a rate for one bucket wins over its scope's. A count
    of 0 means unlimited. What is not named follows the provider's limits.
    """

    concurrency: ConcurrencyPolicy = ConcurrencyPolicy()
    rates: Mapping[str, Rate] = field(default_factory=dict)
    retry: RetryPolicy = RetryPolicy()
    timeout: TimeoutPolicy = TimeoutPolicy()
    result: ResultPolicy = ResultPolicy()
    max_pause_s: float | None = None
    on_max_pause: Literal["resume", "cancel"] = "cancel"

    def check(self) -> None:
        """Raises InvalidInput for the first field that contradicts itself."""
        limits, retry = self.concurrency, self.retry
        _must(limits.min >= 1, "concurrency.min", limits.min, "must be 1 or more")
        _must(limits.max >= limits.min, "concurrency.max", limits.max, f"must be at least the minimum ({limits.min})")
        within = limits.min <= limits.target <= limits.max
        _must(within, "concurrency.target", limits.target, f"must lie between {limits.min} and {limits.max}")
        _must(retry.max_attempts >= 1, "retry.max_attempts", retry.max_attempts, "must be 1 or more: 1 means no retry")
        _must(retry.initial_s >= 0, "retry.initial_s", retry.initial_s, "must not be negative")
        _must(retry.multiplier >= 1, "retry.multiplier", retry.multiplier, "must be 1 or more")
        _must(retry.max_delay_s >= 0, "retry.max_delay_s", retry.max_delay_s, "must not be negative")
        _must(0 <= retry.jitter <= 1, "retry.jitter", retry.jitter, "must lie between 0 and 1")
        _must(retry.retry_after_sent in ("table", "never"), "retry.retry_after_sent", retry.retry_after_sent, "unknown")
        _must(self.on_max_pause in ("resume", "cancel"), "on_max_pause", self.on_max_pause, "must be resume or cancel")
        size = self.result.batch_size
        _must(1 <= size <= 10_000, "result.batch_size", size, "must lie between 1 and 10000")
        for name in ("item_s", "run_s", "send_s"):
            seconds = getattr(self.timeout, name)
            _must(seconds is None or seconds > 0, f"timeout.{name}", seconds, "must be above 0, or left out")
        _must(self.max_pause_s is None or self.max_pause_s > 0, "max_pause_s", self.max_pause_s, "must be above 0")
        for key, rate in self.rates.items():
            _must(rate.count >= 0, f"rates.{key}.count", rate.count, "must be 0 (unlimited) or more")
            _must(rate.per_s > 0, f"rates.{key}.per_s", rate.per_s, "must be above 0")


def _must(holds: bool, name: str, value: object, rule: str) -> None:
    if not holds:
        raise InvalidInput(f"policies.{name} is {value!r}: {rule}", field=f"policies.{name}")
