"""Who wants to know of which events, and what is done about each: data that the composition root collects.

A consumer of effect DATABASE gets up to `at_once` events and a unit of work; what it writes is committed together with
the note that these events are done, so each has its effect exactly once. Where the batch fails, each event is tried
alone. A consumer of effect OUTSIDE is asked one delivery after the other, outside any transaction; it may be asked
again after a crash and carries `idempotency_key` to whoever it calls.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from postroad.kernel.uow import UnitOfWork
from postroad.vocabulary.events import Event, EventName

MOST_AT_ONCE = 100


class Order(StrEnum):
    AGGREGATE = "AGGREGATE"
    """One aggregate's events in the order of its versions; aggregates in parallel."""
    NONE = "NONE"


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits between attempts: `first_s`, then `factor` times longer each, at most `most_s`, each ±20 %."""

    first_s: float = 1.0
    factor: float = 3.0
    most_s: float = 3600.0
    attempts: int = 10
    """After so many receipts without a success the delivery is DEAD; a receipt that ends in a crash counts too."""

    def wait_ms(self, attempts: int, chance: float) -> int:
        """How long after the given number of attempts; `chance` is 0..1."""
        plain_s = min(self.most_s, self.first_s * self.factor ** min(max(0, attempts - 1), 40))
        return round(plain_s * 1000 * (0.8 + 0.4 * chance))


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event for a consumer of effect OUTSIDE."""

    event: Event
    generation: int
    """1, and one more with each replay by a person."""
    attempt: int
    """1 for the first of this generation."""
    idempotency_key: str
    """The same in every attempt and generation: `<consumer>:<event id>`."""


class Verdict(StrEnum):
    DONE = "DONE"
    SKIPPED = "SKIPPED"
    RETRY = "RETRY"
    DEAD = "DEAD"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Outcome:
    verdict: Verdict
    reason: str = ""
    """A code such as `HTTP_503`, no text of strangers; at most 200 characters are kept."""
    retry_after_s: float | None = None
    """With RETRY: not before; None leaves it to the consumer's `Backoff`."""


class RefusedForGood(Exception):
    """A handler of effect DATABASE raises it for an event that no repetition makes better: the delivery is DEAD."""

    def __init__(self, reason: str) -> None:
        """`reason` is a code."""
        super().__init__(reason)
        self.reason = reason


DatabaseHandler = Callable[[UnitOfWork, Sequence[Event]], Collection[str]]
"""Does what the events ask for in the unit of work. Returns the ids of those it has no use for; they are SKIPPED.

`events` are in order. May run again as a whole, so it has no effect but on the transaction. Use `uow.caused_by(event)`
around what emits. Raises RefusedForGood, or anything else to be asked again later.
"""
OutsideHandler = Callable[[Delivery], Outcome]
"""Blocks for at most the consumer's `lease_s`; what it raises counts as RETRY."""


@dataclass(frozen=True, slots=True)
class DatabaseWork:
    handle: DatabaseHandler
    deadline_s: float = 5.0
    """Of one transaction."""


@dataclass(frozen=True, slots=True)
class OutsideWork:
    act: OutsideHandler
    lease_s: float = 60.0
    """Longer than `act` ever takes."""
    parallel: int = 4
    """Deliveries in hand at once in each instance."""
    repeatable: bool = True
    """The receiver knows the key, or does not mind: after a crash it is asked again. Otherwise UNKNOWN."""


@dataclass(frozen=True, slots=True)
class Consumer:
    name: str
    """Stable: it is kept in the rows."""
    events: frozenset[EventName]
    work: DatabaseWork | OutsideWork
    order: Order = Order.AGGREGATE
    required: bool = True
    """Events are kept until it is done with them."""
    skip_dead: bool = False
    """Later versions of an aggregate do not wait for one that is DEAD or UNKNOWN."""
    backoff: Backoff = field(default_factory=Backoff)
    at_once: int = MOST_AT_ONCE

    def __post_init__(self) -> None:
        if not 1 <= self.at_once <= MOST_AT_ONCE:
            raise ValueError(f"at_once of the consumer {self.name} must be 1..{MOST_AT_ONCE}")

    @property
    def topic(self) -> str:
        """The topic of `Wakeups` that tells of new deliveries for it."""
        return f"deliveries.{self.name}"


class ConsumerRegistry:
    """Raises ValueError for two consumers of one name."""

    def __init__(self, consumers: Iterable[Consumer] = ()) -> None:
        self._all = tuple(consumers)
        self._by_name = {consumer.name: consumer for consumer in self._all}
        if len(self._by_name) != len(self._all):
            raise ValueError("two consumers of events have the same name")
        self._by_event = {
            name: tuple(consumer for consumer in self._all if name in consumer.events) for name in EventName
        }

    @property
    def all(self) -> tuple[Consumer, ...]:
        return self._all

    def of(self, name: EventName) -> tuple[Consumer, ...]:
        """Who wants to know of such an event."""
        return self._by_event[name]

    def find(self, name: str) -> Consumer | None:
        return self._by_name.get(name)
