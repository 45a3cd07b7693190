"""`flows.hosting.Worker` over a worker process: its words turned into ours and ours into its."""

from collections.abc import Mapping, Sequence

from postroad.app.hosting import words
from postroad.app.hosting.counts import counts_of
from postroad.engine import (
    CancelRun,
    ChangeConcurrency,
    ChangeRate,
    EngineEvent,
    EventKind,
    Lease,
    PauseRun,
    ResumeRun,
)
from postroad.flows.hosting import Heard, ShardEar, ShardOutcome
from postroad.flows.local_runs import BoardCommand, ShardOrder, WorkerEnd, WorkerProcess
from postroad.jobfile import parse_rate
from postroad.modules.runs import CommandKind, CommandOrder, Live, Posture, RunCounts, Waiting

_OWN = "host-"
"""How the ids of commands begin that nobody but the host gave."""
_NOT_TOLD = frozenset({EventKind.PROGRESS, EventKind.WAITING, EventKind.RUN_STARTED, EventKind.RUN_COMPLETED})
"""The run says these itself."""


class ChildWorker:
    def __init__(self, process: WorkerProcess, total: int) -> None:
        self._process = process
        self._total = total
        self._number = 0

    @staticmethod
    async def start(order: ShardOrder, secrets: Mapping[str, str], posture: Posture) -> "ChildWorker":
        """It is told first what was commanded before its lease."""
        first, end = order.range
        worker = ChildWorker(await WorkerProcess.start(order, secrets), end - first)
        for key, rate in posture.rates.items():
            worker._tell(ChangeRate(worker._own_id(), key, parse_rate(rate)))
        if posture.cancel:
            worker._tell(CancelRun(worker._own_id(), posture.cancel_reason))
        elif posture.paused:
            worker._tell(PauseRun(worker._own_id()))
        return worker

    @property
    def pid(self) -> int:
        return self._process.pid

    def command(self, order: CommandOrder, concurrency: int) -> None:
        self._tell(_command(order, concurrency))

    def share(self, concurrency: int) -> None:
        self._tell(ChangeConcurrency(self._own_id(), concurrency))

    def hush(self) -> None:
        self._tell(PauseRun(self._own_id()))

    def close(self) -> None:
        self._process.close()

    async def attend(self, ear: ShardEar) -> ShardOutcome:
        return _outcome(await self._process.attend(_Listener(ear, self._total)))

    def _tell(self, command: BoardCommand) -> None:
        self._process.command(command)

    def _own_id(self) -> str:
        self._number += 1
        return f"{_OWN}{self._number}"


class _Listener:
    def __init__(self, ear: ShardEar, total: int) -> None:
        self._ear = ear
        self._total = total

    def said(self, event: EngineEvent) -> None:
        progress = event.progress
        waiting = progress.waiting
        self._ear.heard(
            Heard(
                at_ms=event.at_ms,
                counts=RunCounts(
                    total=self._total,
                    succeeded=progress.succeeded,
                    failed=progress.failed,
                    unknown=progress.unknown,
                    unsent=progress.unsent,
                    skipped=progress.skipped,
                    retried=progress.retried,
                    maybe_doubled=progress.maybe_doubled,
                ),
                state=progress.state,
                live=Live(
                    in_flight=progress.in_flight,
                    parked=progress.parked,
                    per_second=progress.per_s,
                    concurrency=progress.concurrency,
                    waiting=Waiting(waiting.reason.value, waiting.until_ms) if waiting else Waiting(),
                ),
                kind="" if event.kind in _NOT_TOLD else event.kind.value.lower(),
                severity=words.severity_of(event.kind),
                payload={"reason": event.reason, **event.data} if event.reason else dict(event.data),
            )
        )

    def lend(self, key: str, want: int) -> Lease:
        return self._ear.lend(key, want)

    def slow(self, keys: Sequence[str], until_ms: float) -> None:
        self._ear.slow(keys, until_ms)

    def answered(self, command_id: str, applied: bool, text: str) -> None:
        if not command_id.startswith(_OWN):
            self._ear.answered(command_id, applied, text)


def _command(order: CommandOrder, concurrency: int) -> BoardCommand:
    match order.kind:
        case CommandKind.PAUSE:
            return PauseRun(order.command_id)
        case CommandKind.RESUME:
            return ResumeRun(order.command_id)
        case CommandKind.CANCEL:
            return CancelRun(order.command_id, str(order.payload.get("reason", "")))
        case CommandKind.CONCURRENCY:
            return ChangeConcurrency(order.command_id, concurrency)
        case CommandKind.RATE:
            return ChangeRate(order.command_id, str(order.payload["key"]), parse_rate(str(order.payload["rate"])))


def _outcome(end: WorkerEnd) -> ShardOutcome:
    account = end.account
    if account is None:
        return ShardOutcome(end.settled, end.last_words, end.refusal)
    return ShardOutcome(
        settled=end.settled,
        counts=counts_of(account.counts),
        state=account.state,
        reason=account.reason,
        category=words.category_of(account.reason),
        suppressed_errors=account.suppressed_errors,
    )
