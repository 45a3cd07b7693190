"""Several shards in worker processes, under one shared rate.

The parent owns the budgets (a `TokenDesk`) and lends whole tokens; what a dead worker held counts as spent. A worker
that dies is replaced: the new one opens the shard's journal as its next epoch and goes on. When one shard fails, the
others are cancelled; when one is refused at its start, the others are stopped hard and the refusal is raised.
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from postroad.engine import CancelRun, ChangeConcurrency, ChangeRate, PauseRun, ResumeRun, TokenDesk
from postroad.engine.pacing import spent_by
from postroad.flows.local_runs.ending.account import ShardAccount
from postroad.flows.local_runs.running.board import AbortRun, Board, BoardCommand
from postroad.flows.local_runs.running.display import Display
from postroad.flows.local_runs.running.shard_order import ShardOrder
from postroad.flows.local_runs.running.wire import (
    MAX_LINE,
    command_json,
    error_of,
    event_of,
    lease_json,
    line,
)
from postroad.flows.local_runs.views import Counts, Notice, NoticeKind
from postroad.foundation.secret_lookup import PREFIX
from postroad.journal import read_state
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.transitions import RunState

COMMAND = (sys.executable, "-m", "postroad.worker")
MAX_DEATHS_IN_A_ROW = 5
"""So often a worker may die without having settled anything before the run is given up, unfinished."""
_KEPT_STDERR = 2_000


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


class _Worker:
    """One child process of one shard."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.account: ShardAccount | None = None
        self.refusal: PostroadError | None = None
        self.settled = 0

    def tell(self, message: Mapping[str, Any]) -> None:
        pipe = self.process.stdin
        if pipe is not None and not pipe.is_closing():
            pipe.write(line(message))

    def close(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()


class _Crew:
    def __init__(self, orders: Sequence[ShardOrder], parts: CrewParts) -> None:
        self._parts = parts
        self._shards = len(orders)
        self._workers: dict[int, _Worker] = {}
        self._posture: dict[str, BoardCommand] = {}
        """What a worker that starts later must be told as well: the last command of each kind."""
        self._stopping = False

    async def keep(self, order: ShardOrder) -> ShardAccount:
        """One shard, with as many workers one after the other as it takes."""
        deaths, settled_before = 0, -1
        counts = Counts(total=order.range[1] - order.range[0])
        while not self._stopping:
            worker = await self._start(replace(order, fencing_token=self._parts.new_id()))
            try:
                complaint = await self._attend(order, worker)
            finally:
                worker.close()
            if worker.refusal is not None:
                self._submit(AbortRun("another-shard-was-refused"))
                raise worker.refusal
            if worker.account is not None:
                if worker.account.state is RunState.FAILED:
                    self._submit(CancelRun("another-shard-failed", worker.account.reason))
                return worker.account
            deaths = deaths + 1 if worker.settled <= settled_before else 1
            settled_before = max(settled_before, worker.settled)
            if deaths >= MAX_DEATHS_IN_A_ROW:
                self._submit(AbortRun("a-worker-keeps-dying"))
                return _lost(
                    counts, f"worker {order.shard} died {deaths} times without progress: {complaint}", self._now()
                )
            self._note_death(order, complaint)
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
            worker.tell({"command": command_json(self._part_of(command, shard))})

    def _part_of(self, command: BoardCommand, shard: int) -> BoardCommand:
        if not isinstance(command, ChangeConcurrency):
            return command
        target, shards = command.target, self._shards
        return replace(command, target=max(1, target * (shard + 1) // shards - target * shard // shards))

    async def _start(self, order: ShardOrder) -> _Worker:
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={name: value for name, value in os.environ.items() if not name.startswith(PREFIX)},
            limit=MAX_LINE,
        )
        worker = self._workers[order.shard] = _Worker(process)
        worker.tell({"order": order.to_json(), "secrets": dict(self._parts.secrets)})
        for command in self._posture.values():
            worker.tell({"command": command_json(self._part_of(command, order.shard))})
        return worker

    async def _attend(self, order: ShardOrder, worker: _Worker) -> str:
        """Answers a worker until it is gone; what it last wrote to standard error."""
        assert worker.process.stdout is not None
        complaining = asyncio.create_task(_tail(worker.process.stderr))
        while said := await worker.process.stdout.readline():
            for message in _whole(said):
                self._hear(order, worker, message)
            if worker.account is not None or worker.refusal is not None:
                worker.close()
        code = await worker.process.wait()
        complaint = (await complaining).strip().splitlines()
        return complaint[-1] if complaint else f"exit code {code}"

    def _hear(self, order: ShardOrder, worker: _Worker, message: Mapping[str, Any]) -> None:
        if "event" in message:
            event = event_of(message["event"], order.plan.run_id)
            worker.settled = event.progress.settled
            self._parts.display.show(order.shard, event)
        elif "want" in message:
            lease = self._parts.desk.lend(message["want"], message["tokens"], self._now())
            worker.tell({"lent": lease_json(lease), "number": message["number"]})
        elif "slow" in message:
            self._parts.desk.slow(message["slow"], message["until"])
        elif "answer" in message:
            self._parts.display.note(Notice(NoticeKind.COMMAND, message["answer"]))
        elif "end" in message:
            worker.account = ShardAccount.from_json(message["end"])
        elif "refused" in message:
            worker.refusal = error_of(message["refused"])

    def _note_death(self, order: ShardOrder, complaint: str) -> None:
        text = f"worker {order.shard} died ({complaint}); a new one goes on with its shard"
        self._parts.display.note(Notice(NoticeKind.WORKER, text))

    def _now(self) -> int:
        return self._parts.clock.now_ms()


def _whole(said: bytes) -> Iterator[Mapping[str, Any]]:
    """The message of a line; nothing for a line that was cut off by a kill."""
    try:
        yield json.loads(said)
    except ValueError:
        return


async def _tail(pipe: asyncio.StreamReader | None) -> str:
    kept = b""
    while pipe is not None and (piece := await pipe.read(4096)):
        kept = (kept + piece)[-_KEPT_STDERR:]
    return kept.decode(errors="replace")


def _lost(counts: Counts, reason: str, now_ms: int) -> ShardAccount:
    return ShardAccount(RunState.LOST, reason, counts, now_ms, now_ms)
