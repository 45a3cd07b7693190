"""One shard in one worker process: its start, what is said both ways, its end.

The worker lives as long as the pipe to it is open and stops hard when it closes, whatever the reason; what was in
flight stays in the journal, and the next worker of the shard settles it.
"""

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import postroad
from postroad.engine import EngineEvent, Lease
from postroad.flows.local_runs.ending.account import ShardAccount
from postroad.flows.local_runs.running.board import BoardCommand
from postroad.flows.local_runs.running.shard_order import ShardOrder
from postroad.flows.local_runs.running.wire import MAX_LINE, command_json, error_of, event_of, lease_json, line
from postroad.vocabulary.errors import PostroadError

COMMAND = (sys.executable, "-P", "-m", "postroad.worker")
_KEPT_STDERR = 2_000
_OURS = "POSTROAD_"


class ShardListener(Protocol):
    """Called from the loop's thread; each call must return at once."""

    def said(self, event: EngineEvent, /) -> None: ...

    def lend(self, key: str, want: int, /) -> Lease:
        """At most `want` tokens of the shared budget `key`; only asked where the order says `shares_rate`."""
        ...

    def slow(self, keys: Sequence[str], until_ms: float, /) -> None:
        """The remote asked for silence on these budgets."""
        ...

    def answered(self, command_id: str, applied: bool, text: str, /) -> None:
        """What became of a command; `text` is empty where there is nothing to say."""
        ...


@dataclass(frozen=True, slots=True)
class WorkerEnd:
    """How a worker went: with an account, with a refusal, or dead (neither) with its last words."""

    account: ShardAccount | None
    refusal: PostroadError | None
    last_words: str
    settled: int
    """What it last said was settled."""


class WorkerProcess:
    def __init__(self, process: asyncio.subprocess.Process, order: ShardOrder) -> None:
        self._process = process
        self._order = order
        self._account: ShardAccount | None = None
        self._refusal: PostroadError | None = None
        self._settled = 0

    @staticmethod
    async def start(order: ShardOrder, secrets: Mapping[str, str]) -> "WorkerProcess":
        """The secrets go through the pipe; its environment has none of them, nor any other setting of ours."""
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=worker_environment(os.environ),
            limit=MAX_LINE,
        )
        worker = WorkerProcess(process, order)
        worker._tell({"order": order.to_json(), "secrets": dict(secrets)})
        return worker

    @property
    def pid(self) -> int:
        return self._process.pid

    def command(self, command: BoardCommand) -> None:
        """On its way; a worker that is gone does not hear it."""
        self._tell({"command": command_json(command)})

    def close(self) -> None:
        """Stops it hard, unless it has ended already."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def attend(self, listener: ShardListener) -> WorkerEnd:
        """Answers the worker until it is gone."""
        assert self._process.stdout is not None
        complaining = asyncio.create_task(_tail(self._process.stderr))
        while said := await self._process.stdout.readline():
            for message in _whole(said):
                self._hear(message, listener)
            if self._account is not None or self._refusal is not None:
                self.close()
        code = await self._process.wait()
        complaint = (await complaining).strip().splitlines()
        words = complaint[-1] if complaint else f"exit code {code}"
        return WorkerEnd(self._account, self._refusal, words, self._settled)

    def _tell(self, message: Mapping[str, Any]) -> None:
        pipe = self._process.stdin
        if pipe is not None and not pipe.is_closing():
            pipe.write(line(message))

    def _hear(self, message: Mapping[str, Any], listener: ShardListener) -> None:
        if "event" in message:
            event = event_of(message["event"], self._order.plan.run_id)
            self._settled = event.progress.settled
            listener.said(event)
        elif "want" in message:
            lease = listener.lend(message["want"], message["tokens"])
            self._tell({"lent": lease_json(lease), "number": message["number"]})
        elif "slow" in message:
            listener.slow(message["slow"], message["until"])
        elif "answer" in message:
            answer = message["answer"]
            listener.answered(answer["id"], answer["applied"], answer["text"])
        elif "end" in message:
            self._account = ShardAccount.from_json(message["end"])
        elif "refused" in message:
            self._refusal = error_of(message["refused"])


def worker_environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Of another program, with the place this one was imported from: a worker is never of another installation."""
    kept = {name: value for name, value in ours.items() if not name.startswith(_OURS)}
    here = str(Path(postroad.__file__).parents[1])
    return {**kept, "PYTHONPATH": os.pathsep.join([here, *filter(None, [ours.get("PYTHONPATH")])])}


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
