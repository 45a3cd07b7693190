"""One consumer's dispatcher: find what is due, do it, settle it, in rounds, in every instance.

Effects in the database, the quick way: one transaction locks what is due, takes the receipts, lets the handler write,
and marks it done. It is all there or not at all, whenever the process dies. Where that fails, and in the first rounds
after every start, the careful way: the deliveries are claimed first, so that each receipt is counted even where it
kills the process, then tried together, then each in a transaction of its own, and of an aggregate nothing after the
first that fails.

Effects outside: `act` runs outside any transaction, several deliveries at once, and each result is written when it is
there. A crash between the two leaves the lease to run out: the delivery is tried again with the same key, or is UNKNOWN
where the receiver knows no keys.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from postroad.foundation.chance import chance
from postroad.kernel.authz import Principal
from postroad.kernel.consumers import (
    Consumer,
    DatabaseWork,
    Delivery,
    Order,
    Outcome,
    OutsideWork,
    RefusedForGood,
    Verdict,
)
from postroad.kernel.database import Database
from postroad.kernel.deliveries import results
from postroad.kernel.deliveries.claims import Claim, Claimed, claim, look
from postroad.kernel.uow import UnitOfWork
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.events import Event
from postroad.vocabulary.refusals import CommitUnknown, DatabaseUnavailable

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")
_CAREFUL_ROUNDS = 3
TOO_LATE = "TOO_LATE"
"""In the counters: the result of somebody who no longer held the delivery."""


class Meter(Protocol):
    def settled(self, consumer: str, result: str, number: int) -> None: ...


class NoMeter:
    def settled(self, consumer: str, result: str, number: int) -> None:
        del consumer, result, number


@dataclass(frozen=True, slots=True)
class DispatcherParts:
    database: Database
    owner: str
    """New with every start of the process."""
    meter: Meter = field(default_factory=NoMeter)
    chance: Callable[[], float] = chance


class Dispatcher:
    """`tick` claims and does up to `consumer.at_once` deliveries; True where there may be more."""

    def __init__(self, consumer: Consumer, parts: DispatcherParts) -> None:
        self._consumer = consumer
        self._parts = parts
        self.principal = Principal.system(consumer.name)
        self._careful_rounds = _CAREFUL_ROUNDS

    def tick(self) -> bool:
        work = self._consumer.work
        if isinstance(work, OutsideWork):
            found = self._claim(work.parallel)
            self._do_outside(work, found)
        elif self._careful_rounds:
            found = self._claim(self._consumer.at_once)
            self._do_carefully(work, found)
            self._careful_rounds -= 1
            return bool(found.deliveries) or found.has_more
        else:
            return self._do_quickly(work)
        return found.has_more

    def _claim(self, most: int) -> Claim:
        return self._write(lambda uow: claim(uow, self._consumer, self._parts.owner, most))

    def _do_quickly(self, work: DatabaseWork) -> bool:
        def do(uow: UnitOfWork) -> tuple[int, int, bool]:
            found = look(uow, self._consumer, self._consumer.at_once)
            by_id = {one.event.event_id: one.event for one in found.deliveries}
            if by_id:
                results.finish(uow, self._consumer, tuple(by_id))
            return len(by_id), self._handle(uow, work, by_id, by_id.keys()), found.has_more

        try:
            done, skipped, has_more = self._write(do, work.deadline_s)
        except (DatabaseUnavailable, CommitUnknown):
            raise
        except Exception as error:  # noqa: BLE001  (kernel: a handler may raise what it likes; until 2028-01-01)
            _LOG.info("a batch of %s failed with %s; carefully now", self._consumer.name, type(error).__name__)
            self._careful_rounds = 1
            return True
        self._count(Verdict.DONE, done - skipped)
        self._count(Verdict.SKIPPED, skipped)
        return has_more

    def _handle(self, uow: UnitOfWork, work: DatabaseWork, by_id: Mapping[str, Event], mine: Collection[str]) -> int:
        """Has the effect of those that had none yet, in order, with their receipts; how many were skipped."""
        fresh = results.take_receipts(uow, self._consumer, mine) if mine else frozenset[str]()
        events = [event for event_id, event in by_id.items() if event_id in fresh]
        skipped = frozenset(work.handle(uow, events)) & fresh if events else frozenset[str]()
        if skipped:
            results.skip(uow, self._consumer, skipped)
        return len(skipped)

    def _do_carefully(self, work: DatabaseWork, found: Claim) -> None:
        if len(found.deliveries) > 1:
            try:
                self._apply(work, found.fence, found.deliveries)
            except (DatabaseUnavailable, CommitUnknown):
                raise
            except Exception as error:  # noqa: BLE001  (kernel: as above; until 2028-01-01)
                _LOG.info("a batch of %s failed with %s; one by one", self._consumer.name, type(error).__name__)
            else:
                return
        self._one_by_one(work, found)

    def _one_by_one(self, work: DatabaseWork, found: Claim) -> None:
        stopped: set[str] = set()
        for one in found.deliveries:
            if one.aggregate_key in stopped:
                continue
            try:
                self._apply(work, found.fence, (one,))
            except (DatabaseUnavailable, CommitUnknown):
                raise
            except RefusedForGood as refusal:
                self._settle(found.fence, one, Outcome(Verdict.DEAD, refusal.reason))
                stopped.update(self._stopped_by(one))
            except Exception as error:  # noqa: BLE001  (kernel: as above; until 2028-01-01)
                self._note(one, error)
                self._settle(found.fence, one, Outcome(Verdict.RETRY, reason_of(error)))
                stopped.update(self._stopped_by(one))
        self._give_back(found, stopped)

    def _stopped_by(self, one: Claimed) -> tuple[str, ...]:
        return (one.aggregate_key,) if self._consumer.order is Order.AGGREGATE else ()

    def _give_back(self, found: Claim, stopped: set[str]) -> None:
        """What was not tried because of a failure before it. What was tried is no longer SENDING, so it is safe."""
        left = [one.event.event_id for one in found.deliveries if one.aggregate_key in stopped]
        if left:
            self._write(lambda uow: results.give_back(uow, self._consumer, found.fence, left, uow.now_ms))

    def _apply(self, work: DatabaseWork, fence: str, batch: Sequence[Claimed]) -> None:
        by_id = {one.event.event_id: one.event for one in batch}

        def apply(uow: UnitOfWork) -> tuple[int, int]:
            mine = results.succeed(uow, self._consumer, fence, tuple(by_id))
            return len(mine), self._handle(uow, work, by_id, mine)

        done, skipped = self._write(apply, work.deadline_s)
        self._count(Verdict.DONE, done - skipped)
        self._count(Verdict.SKIPPED, skipped)
        self._count(TOO_LATE, len(batch) - done)

    def _do_outside(self, work: OutsideWork, found: Claim) -> None:
        def act(one: Claimed) -> None:
            event = one.event
            key = f"{self._consumer.name}:{event.event_id}"
            try:
                outcome = work.act(Delivery(event, one.generation, one.attempt, key))
            except Exception as error:  # noqa: BLE001  (kernel: as above; until 2028-01-01)
                self._note(one, error)
                outcome = Outcome(Verdict.RETRY, reason_of(error))
            self._settle(found.fence, one, outcome)

        if len(found.deliveries) <= 1:
            for one in found.deliveries:
                act(one)
            return
        with ThreadPoolExecutor(len(found.deliveries), f"consumer-{self._consumer.name}") as pool:
            for _ in pool.map(act, found.deliveries):
                pass

    def _settle(self, fence: str, one: Claimed, outcome: Outcome) -> None:
        backoff = self._consumer.backoff
        verdict = outcome.verdict
        if verdict is Verdict.RETRY and one.attempt >= backoff.attempts:
            verdict = Verdict.DEAD
        wait_ms = backoff.wait_ms(one.attempt, self._parts.chance())
        if outcome.retry_after_s is not None:
            wait_ms = max(wait_ms, round(outcome.retry_after_s * 1000))

        result = results.Result(one.event.event_id, verdict, outcome.reason, wait_ms)
        is_kept = self._write(lambda uow: results.settle(uow, self._consumer, fence, result))
        self._count(verdict if is_kept else TOO_LATE, 1)

    def _write(self, work: Callable[[UnitOfWork], _T], deadline_s: float | None = None) -> _T:
        return self._parts.database.write(self.principal, work, deadline_s=deadline_s)

    def _count(self, result: str, number: int) -> None:
        if number:
            self._parts.meter.settled(self._consumer.name, result, number)

    def _note(self, one: Claimed, error: Exception) -> None:
        name, event = self._consumer.name, one.event.event_id
        _LOG.warning("%s failed on event %s, attempt %d: %s", name, event, one.attempt, type(error).__name__)


def reason_of(error: Exception) -> str:
    """The code of our own errors, the class of others; texts may hold what is not ours to keep."""
    return error.code if isinstance(error, PostroadError) else type(error).__name__
