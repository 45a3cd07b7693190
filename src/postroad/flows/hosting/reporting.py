"""What one worker says, gathered until it is told to the ledger.

Bare progress is kept as the newest only and told at intervals; everything else is told once each, in order, and again
until the ledger has it. Sequences count from 1 within the lease without gaps. A worker that begins has not read its
journal yet: what it says of counts before it has caught up with what was known is passed over.
"""

from collections import deque
from collections.abc import Callable, Sequence

from postroad.engine import Lease
from postroad.flows.hosting.budgets import Budgets
from postroad.flows.hosting.ports import Heard
from postroad.modules.runs import (
    MOST_EVENTS,
    CommandAnswer,
    CommandOrder,
    LeasedShard,
    Live,
    ReportAck,
    ReportedEvent,
    ShardReport,
)
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.transitions import RunState

PROGRESS = "progress"
_WORKING = frozenset({RunState.RUNNING, RunState.PAUSED, RunState.CANCELLING})
_MOST_WAITING = 1_000
"""Events kept while the ledger cannot be reached; later ones are dropped, counts and state never."""


class ShardNews:
    """The ear of one worker."""

    def __init__(self, shard: LeasedShard, budgets: Budgets, clock: Clock, hurry: Callable[[], None]) -> None:
        self._shard = shard
        self._budgets = budgets
        self._clock = clock
        self._hurry = hurry
        """Lets the host tell soon: something happened that people wait for."""
        self._events: deque[ReportedEvent] = deque()
        self._next = 1
        self._counts = shard.counts
        self._live = Live()
        self._state = RunState.RUNNING
        self._at_ms = 0
        self._is_fresh = False
        self._answers: dict[str, CommandAnswer] = {}
        self._orders: dict[str, CommandOrder] = {}
        self.is_leaving = False
        """The host stops the worker: that it pauses to drain is nobody's news."""

    @property
    def answers(self) -> tuple[CommandAnswer, ...]:
        return tuple(sorted(self._answers.values(), key=lambda answer: answer.sequence))

    def heard(self, said: Heard) -> None:
        self._take_counts(said.counts)
        self._live, self._at_ms, self._is_fresh = said.live, said.at_ms, True
        if self.is_leaving:
            return
        if said.state in _WORKING:
            self._state = said.state
        if said.kind and len(self._events) < _MOST_WAITING:
            self._add(said.kind, said)
            self._hurry()

    def answered(self, command_id: str, applied: bool, text: str) -> None:
        order = self._orders.get(command_id)
        if order is not None:
            self._answers[command_id] = CommandAnswer(command_id, order.sequence, applied, text)
            self._hurry()

    def lend(self, key: str, want: int) -> Lease:
        return self._budgets.lend(self._shard.plan.run_id, key, want, self._clock.now_ms())

    def slow(self, keys: Sequence[str], until_ms: float) -> None:
        self._budgets.slow(self._shard.plan.run_id, keys, until_ms)

    def is_new(self, order: CommandOrder) -> bool:
        """Whether the worker has not been told this command yet. Told again it is the same command."""
        return self._orders.setdefault(order.command_id, order) is order

    def forget_answers(self, told: Sequence[CommandAnswer]) -> None:
        for answer in told:
            self._answers.pop(answer.command_id, None)

    def stopped_at(self, counts: Counts) -> None:
        """The worker has stopped unfinished with these counts."""
        self._take_counts(counts)
        self._at_ms, self._is_fresh = self._clock.now_ms(), True

    def next_report(self) -> ShardReport | None:
        """What is to be told now; None where there is nothing new. Ask again after `acknowledged`."""
        if self._is_fresh and len(self._events) < MOST_EVENTS:
            self._add(PROGRESS, None)
            self._is_fresh = False
        if not self._events:
            return None
        events = tuple(self._events)[:MOST_EVENTS]
        return ShardReport(self._shard.fence, events, self._counts, self._state, self._live)

    def acknowledged(self, ack: ReportAck) -> bool:
        """Whether the ledger took any of what it was told."""
        waiting = len(self._events)
        while self._events and self._events[0].sequence <= ack.event_sequence:
            self._events.popleft()
        return len(self._events) < waiting

    def _take_counts(self, counts: Counts) -> None:
        if counts.settled >= self._counts.settled:
            self._counts = counts

    def _add(self, kind: str, said: Heard | None) -> None:
        severity, payload = (said.severity, said.payload) if said else ("INFO", {})
        self._events.append(ReportedEvent(self._next, kind, self._at_ms, severity, payload))
        self._next += 1
