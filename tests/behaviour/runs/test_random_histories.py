"""Whatever workers, people and time do to a run in whatever order: its promises hold after every step.

A history is a seeded sequence of steps of three workers, one person and the clock. Workers die, come back late with old
fences, stop hard and finish; the person pauses, resumes, cancels and changes the concurrency. In the end everybody
behaves, and every run must come to an end in which its five outcomes add up.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from tests.builders.databases import WORKSPACE
from tests.builders.runs import RunRoom, ask, counts

from postroad.kernel.uow import Reading
from postroad.modules.runs import (
    CommandAnswer,
    CommandKind,
    CommandOrder,
    CommandState,
    LeasedShard,
    LeaseState,
    RunQuota,
)
from postroad.modules.runs.model import LEASED_OUT
from postroad.modules.runs.store import lease_rows, run_rows
from postroad.vocabulary.counts import add_counts
from postroad.vocabulary.refusals import LeaseExpired
from postroad.vocabulary.transitions import RUN_FINAL, RunEvent, RunState, next_run_state

HISTORIES = range(4)
STEPS = 70


@dataclass
class Hand:
    """A worker's view of one shard it has, or had."""

    leased: LeasedShard
    begun: bool = False
    state: RunState = RunState.RUNNING
    settled: int = 0
    sequence: int = 0
    answers: list[CommandAnswer] = field(default_factory=list)
    cancelled: bool = False

    def obey(self, orders: tuple[CommandOrder, ...]) -> None:
        for order in orders:
            self.answers.append(CommandAnswer(order.command_id, order.sequence, applied=True))
            if self.state is RunState.CANCELLING:
                continue
            if order.kind is CommandKind.PAUSE:
                self.state = RunState.PAUSED
            elif order.kind is CommandKind.RESUME:
                self.state = RunState.RUNNING
            elif order.kind is CommandKind.CANCEL:
                self.state, self.cancelled = RunState.CANCELLING, True


class History:
    def __init__(self, room: RunRoom, seed: int) -> None:
        self.room = room
        self.chance = random.Random(seed)
        room.quotas.by_workspace[WORKSPACE] = RunQuota(total_concurrency=40)
        self.runs = [room.add(12, shards=self.chance.randint(1, 3)).id for _ in range(3)]
        self.hands: list[Hand] = []
        self.known: dict[str, int] = {}
        """Of each shard: how many of its items its journal knows as settled."""

    def step(self) -> None:
        moves: list[Callable[[], None]] = [
            self.claim,
            self.claim,
            self.begin,
            self.begin,
            self.tell,
            self.tell,
            self.tell,
            self.renew,
            self.renew,
            self.finish,
            self.stop_hard,
            self.command,
            self.pass_time,
            self.end,
        ]
        try:
            self.chance.choice(moves)()
        except LeaseExpired:
            self.forget_lost()
        self.check()

    def claim(self) -> None:
        worker = f"worker-{self.chance.randint(1, 3)}"
        for leased in self.room.claim(self.chance.randint(1, 3), 100, worker=worker):
            settled = self.known.get(leased.fence.shard_id, 0)
            hand = Hand(leased, settled=settled)
            hand.cancelled = leased.posture.cancel
            self.hands.append(hand)

    def begin(self) -> None:
        for hand in self.some_hand():
            renewal = self.room.begin(hand.leased)
            hand.begun = True
            hand.obey(renewal.commands)

    def tell(self) -> None:
        for hand in self.some_hand():
            hand.settled = min(self.size(hand), hand.settled + self.chance.randint(0, 2))
            self.report(hand)

    def renew(self) -> None:
        for hand in self.some_hand():
            (renewal,) = self.room.renew(ask(hand.leased, *hand.answers, room=10))
            if renewal.is_lost:
                self.hands.remove(hand)
                continue
            hand.answers.clear()
            hand.obey(renewal.commands)

    def finish(self) -> None:
        for hand in self.some_hand():
            self.finish_hand(hand, hurry=self.chance.random() < 0.3)

    def stop_hard(self) -> None:
        for hand in self.some_hand():
            self.hands.remove(hand)
            if self.chance.random() < 0.5:
                self.remember(hand)
                self.room.finish(hand.leased, counts(self.size(hand)), RunState.LOST, reason="stopped hard")

    def command(self) -> None:
        run_id = self.chance.choice(self.runs)
        kind = self.chance.choice([CommandKind.PAUSE, CommandKind.RESUME, CommandKind.CONCURRENCY, CommandKind.CANCEL])
        if kind is CommandKind.CANCEL and self.chance.random() < 0.7:
            return
        payload = {"target": self.chance.randint(1, 64)} if kind is CommandKind.CONCURRENCY else {}
        self.room.command(run_id, kind, **payload)

    def pass_time(self) -> None:
        self.room.databases.clock.advance(s=self.chance.choice([1, 5, 31]))
        self.room.expire()

    def end(self) -> None:
        for run_id in self.runs:
            shards = self.room.shards(run_id)
            if all(shard.state in RUN_FINAL for shard in shards):
                self.room.end(run_id)

    def behave(self) -> None:
        """Everybody does the work now."""
        for run_id in self.runs:
            self.room.command(run_id, CommandKind.RESUME)
        for _ in range(30):
            self.room.databases.clock.advance(s=31)
            self.room.expire()
            self.hands.clear()
            self.claim()
            for hand in list(self.hands):
                self.safely(hand, lambda hand=hand: self.work_off(hand))
            self.end()
            self.check()
            if all(self.room.run(run_id).is_final for run_id in self.runs):
                return
        raise AssertionError([self.room.run(run_id) for run_id in self.runs])

    def work_off(self, hand: Hand) -> None:
        hand.obey(self.room.begin(hand.leased).commands)
        hand.begun = True
        self.report(hand)
        self.finish_hand(hand, hurry=False)

    def report(self, hand: Hand) -> None:
        hand.sequence += 1
        counted = counts(self.size(hand), succeeded=hand.settled)
        self.room.report(hand.leased, [hand.sequence], counted, hand.state)
        self.remember(hand)

    def finish_hand(self, hand: Hand, *, hurry: bool) -> None:
        size = self.size(hand)
        if hand.cancelled:
            counted = counts(size, succeeded=hand.settled, unsent=size - hand.settled)
            self.room.finish(hand.leased, counted, RunState.CANCELLED)
        elif hurry:
            counted = counts(size, succeeded=hand.settled, failed=size - hand.settled)
            self.room.finish(hand.leased, counted, RunState.PARTIAL)
        else:
            self.room.finish(hand.leased, counts(size, succeeded=size), RunState.SUCCEEDED)
        self.hands.remove(hand)

    def some_hand(self) -> list[Hand]:
        """One hand of those there are; what a lost lease forbids it loses."""
        if not self.hands:
            return []
        return [self.chance.choice(self.hands)]

    def forget_lost(self) -> None:
        """Whoever learns that a lease is over stops with it. Leases that were never acknowledged are kept a while."""
        renewals = self.room.renew(*(ask(hand.leased) for hand in self.hands if hand.begun))
        lost = {renewal.lease_id for renewal in renewals if renewal.is_lost}
        self.hands = [hand for hand in self.hands if hand.begun and hand.leased.fence.lease_id not in lost]

    def safely(self, hand: Hand, work: Callable[[], None]) -> None:
        try:
            work()
        except LeaseExpired:
            if hand in self.hands:
                self.hands.remove(hand)

    def remember(self, hand: Hand) -> None:
        self.known[hand.leased.fence.shard_id] = hand.settled

    def size(self, hand: Hand) -> int:
        return hand.leased.end - hand.leased.first

    def check(self) -> None:
        self.room.read(self._check)

    def _check(self, reading: Reading) -> None:
        reserved = 0
        for run_id in self.runs:
            run = run_rows.find_run_anywhere(reading.connection, run_id)
            assert run is not None
            shards = run_rows.list_shards(reading.connection, run_id)
            leases = lease_rows.list_of_run(reading.connection, run_id, 1000)
            active = [lease.shard_id for lease in leases if lease.state is LeaseState.ACTIVE]
            reserved += sum(lease.concurrency for lease in leases if lease.state is LeaseState.ACTIVE)
            assert len(active) == len(set(active))
            assert len({(lease.shard_id, lease.epoch) for lease in leases}) == len(leases)
            assert run.counts == add_counts(shard.counts for shard in shards)
            assert run.pending_shards == sum(shard.state is RunState.PENDING for shard in shards)
            for shard in shards:
                held = shard.state in LEASED_OUT
                assert held == (shard.id in active)
                assert shard.state not in RUN_FINAL or shard.counts.settled == shard.total
            assert not run.is_final or (run.counts.settled == run.counts.total == 12 and not active)
        assert reserved <= 40

    def check_events(self) -> None:
        for run_id in self.runs:
            run, events = self.room.run(run_id), self.room.events(run_id)
            assert [event.sequence for event in events] == list(range(1, run.event_sequence + 1))
            states = [RunState(event.payload["to"]) for event in events if event.type == "state"]
            assert states[-1] is run.state
            for state, following in pairwise(states):
                assert any(next_run_state(state, event) is following for event in RunEvent), states


@pytest.mark.parametrize("seed", HISTORIES)
def test_every_history_keeps_the_promises_and_comes_to_an_end(room: RunRoom, seed: int) -> None:
    history = History(room, seed)

    for _ in range(STEPS):
        history.step()
    history.behave()

    history.check_events()
    for run_id in history.runs:
        run = room.run(run_id)
        assert run.is_final
        assert run.counts.settled == 12
        assert {command.state for command in room.commands(run_id)} <= {CommandState.APPLIED, CommandState.REJECTED}
