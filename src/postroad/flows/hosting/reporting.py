"""What one worker says, gathered until it is told to the ledger.

Bare progress is kept as the newest only and told at intervals; everything else is told once each, in order, and again
until the ledger has it. Sequences count from 1 within the lease without gaps.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from postroad.engine import Lease
from postroad.flows.hosting.budgets import Budgets
from postroad.flows.hosting.ports import Heard
from postroad.modules.runs import CommandAnswer, CommandOrder, LeasedShard, ReportAck, ReportedEvent, ShardReport
from postroad.modules.runs.parts.exchange import MOST_EVENTS
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.transitions import RunState

PROGRESS = "progress"
_WORKING = frozenset({RunState.RUNNING, RunState.PAUSED, RunState.CANCELLING})


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
        self._latest: Heard | None = None
        self._is_fresh = False
        self._state = RunState.RUNNING
        self._answers: dict[str, CommandAnswer] = {}
        self._orders: dict[str, CommandOrder] = {}
        self.idle = asyncio.Event()
        """Set while nothing is in flight, as far as the worker has said."""
        self.idle.set()

    @property
    def answers(self) -> tuple[CommandAnswer, ...]:
        return tuple(sorted(self._answers.values(), key=lambda answer: answer.sequence))

    def heard(self, said: Heard) -> None:
        self._latest, self._is_fresh = said, True
        self.idle.clear() if said.live.in_flight else self.idle.set()
        if said.state in _WORKING:
            self._state = said.state
        if said.kind:
            self._add(said.kind, said.at_ms, said)
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

    def next_report(self) -> ShardReport | None:
        """What is to be told now; None where there is nothing new. Ask again after `acknowledged`."""
        if self._latest is None:
            return None
        if len(self._events) < MOST_EVENTS and self._is_fresh:
            self._add(PROGRESS, self._latest.at_ms, None)
            self._is_fresh = False
        if not self._events:
            return None
        events = tuple(self._events)[:MOST_EVENTS]
        return ShardReport(self._shard.fence, events, self._latest.counts, self._state, self._latest.live)

    def acknowledged(self, ack: ReportAck) -> None:
        while self._events and self._events[0].sequence <= ack.event_sequence:
            self._events.popleft()

    def _add(self, kind: str, at_ms: int, said: Heard | None) -> None:
        severity = said.severity if said else "INFO"
        self._events.append(ReportedEvent(self._next, kind, at_ms, severity, said.payload if said else {}))
        self._next += 1
