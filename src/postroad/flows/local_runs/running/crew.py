"""Several shards in worker processes, under one shared rate.

The parent owns the budgets (a `TokenDesk`) and lends whole tokens; what a dead worker held counts as spent. A worker
that dies is replaced: the new one opens the shard's journal as its next epoch and goes on. When one shard fails, the
others are cancelled; when one is refused at its start, the others are stopped hard and the refusal is raised.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from postroad.engine import (
    CancelRun,
    ChangeConcurrency,
    ChangeRate,
    EngineEvent,
    Lease,
    PauseRun,
    ResumeRun,
    TokenDesk,
)
from postroad.engine.pacing import spent_by
from postroad.flows.local_runs.ending.account import ShardAccount
from postroad.flows.local_runs.running.board import AbortRun, Board, BoardCommand
from postroad.flows.local_runs.running.display import Display
from postroad.flows.local_runs.running.one_worker import WorkerProcess
from postroad.flows.local_runs.running.shard_order import ShardOrder
from postroad.flows.local_runs.views import Notice, NoticeKind
from postroad.journal import read_state
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.transitions import RunState

MAX_DEATHS_IN_A_ROW = 5
"""So often a worker may die without having settled anything before the run is given up, unfinished."""


@dataclass(frozen=True, slots=True)
class CrewParts:
    desk: TokenDesk
    secrets: Mapping[str, str]
    clock: Clock
    board: Board
    display: Display
    new_id: Callable[[], str]


async def run_crew(orders: Sequence[ShardOrder], parts: CrewParts) -> list[ShardAccount]:
    """Runs every shard to its end. Raises the first refusal of a worker, after all others have stopped."""
    crew = _Crew(orders, parts)
    obeying = asyncio.create_task(crew.obey())
    try:
        results = await asyncio.gather(*(crew.keep(order) for order in orders), return_exceptions=True)
    finally:
        obeying.cancel()
        crew.stop_all()
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if isinstance(result, ShardAccount)]


def desk_for(orders: Sequence[ShardOrder], rates: Mapping[str, Any], now_ms: int) -> TokenDesk:
    """A desk that knows what earlier processes spent, by their journals."""
    desk = TokenDesk(rates)
    spent = [
        time
        for order in orders
        if order.send_folder.journal.is_dir()
        for time in read_state(order.send_folder.journal, order.shard).bucket_times
    ]
    desk.rebuild(spent_by(sorted(spent), now_ms))
    return desk


class _Ear:
    """What one worker says goes to the desk and to the display."""

    def __init__(self, shard: int, parts: CrewParts) -> None:
        self._shard = shard
        self._parts = parts

    def said(self, event: EngineEvent) -> None:
        self._parts.display.show(self._shard, event)

    def lend(self, key: str, want: int) -> Lease:
        return self._parts.desk.lend(key, want, self._parts.clock.now_ms())

    def slow(self, keys: Sequence[str], until_ms: float) -> None:
        self._parts.desk.slow(keys, until_ms)

    def answered(self, _command_id: str, applied: bool, text: str) -> None:
        if text or not applied:
            self._parts.display.note(Notice(NoticeKind.COMMAND, text or "refused"))


class _Crew:
    def __init__(self, orders: Sequence[ShardOrder], parts: CrewParts) -> None:
        self._parts = parts
        self._shards = len(orders)
        self._workers: dict[int, WorkerProcess] = {}
        self._posture: dict[str, BoardCommand] = {}
        """What a worker that starts later must be told as well: the last command of each kind."""
        self._stopping = False

    async def keep(self, order: ShardOrder) -> ShardAccount:
        """One shard, with as many workers one after the other as it takes."""
        deaths, settled_before = 0, -1
        counts = Counts(total=order.range[1] - order.range[0])
        while not self._stopping:
            worker = await self._start(order)
            try:
                end = await worker.attend(_Ear(order.shard, self._parts))
            finally:
                worker.close()
            if end.refusal is not None:
                self._submit(AbortRun("another-shard-was-refused"))
                raise end.refusal
            if end.account is not None:
                if end.account.state is RunState.FAILED:
                    self._submit(CancelRun("another-shard-failed", end.account.reason))
                return end.account
            deaths = deaths + 1 if end.settled <= settled_before else 1
            settled_before = max(settled_before, end.settled)
            if deaths >= MAX_DEATHS_IN_A_ROW:
                self._submit(AbortRun("a-worker-keeps-dying"))
                return _lost(
                    counts, f"worker {order.shard} died {deaths} times without progress: {end.last_words}", self._now()
                )
            self._note_death(order, end.last_words)
        return _lost(counts, "ABORTED", self._now())

    async def obey(self) -> None:
        async for command in self._parts.board.commands():
            self._submit(command)

    def stop_all(self) -> None:
        """Closes every pipe: the workers go by themselves."""
        self._stopping = True
        for worker in self._workers.values():
            worker.close()

    def _submit(self, command: BoardCommand) -> None:
        match command:
            case AbortRun():
                self._stopping = True
            case PauseRun() | ResumeRun():
                self._posture["pause"] = command
            case ChangeRate():
                self._parts.desk.set_rate(command.key, command.rate, self._now())
                self._posture[f"rate {command.key}"] = command
            case ChangeConcurrency():
                self._posture["concurrency"] = command
            case CancelRun():
                self._posture["cancel"] = command
        for shard, worker in self._workers.items():
            worker.command(self._part_of(command, shard))

    def _part_of(self, command: BoardCommand, shard: int) -> BoardCommand:
        if not isinstance(command, ChangeConcurrency):
            return command
        target, shards = command.target, self._shards
        return replace(command, target=max(1, target * (shard + 1) // shards - target * shard // shards))

    async def _start(self, order: ShardOrder) -> WorkerProcess:
        first = tuple(self._part_of(command, order.shard) for command in self._posture.values())
        order = replace(order, fencing_token=self._parts.new_id(), first=first)
        worker = self._workers[order.shard] = await WorkerProcess.start(order, self._parts.secrets)
        for command in self._posture.values():
            part = self._part_of(command, order.shard)
            if part not in first:
                worker.command(part)
        if self._stopping:
            worker.close()
        return worker

    def _note_death(self, order: ShardOrder, complaint: str) -> None:
        text = f"worker {order.shard} died ({complaint}); a new one goes on with its shard"
        self._parts.display.note(Notice(NoticeKind.WORKER, text))

    def _now(self) -> int:
        return self._parts.clock.now_ms()


def _lost(counts: Counts, reason: str, now_ms: int) -> ShardAccount:
    return ShardAccount(RunState.LOST, reason, counts, now_ms, now_ms)
