"""`flows.hosting.Worker` over a worker process: its words turned into ours and ours into its."""

from collections.abc import Mapping, Sequence

from postroad.app.hosting import words
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
from postroad.flows.hosting import Beginning, Heard, ShardEar, ShardOutcome
from postroad.flows.local_runs import BoardCommand, DrainRun, ShardOrder, WorkerEnd, WorkerProcess
from postroad.jobfile import parse_rate
from postroad.modules.runs import CommandKind, CommandOrder, Live, Posture, Waiting
from postroad.spi import Rate
from postroad.vocabulary.counts import Counts

_OWN = "host-"
"""How the ids of commands begin that nobody but the host gave."""
_TOLD = frozenset({EventKind.PAUSED, EventKind.RESUMED, EventKind.CANCELLING, EventKind.STALLED, EventKind.ERROR})
"""Everything else the run or its commands say themselves."""
_LIMITED = Rate(0, 1.0)
"""Tells a worker that a key has a budget; how large it is the desk knows."""


class ChildWorker:
    def __init__(self, process: WorkerProcess, total: int) -> None:
        self._process = process
        self._total = total
        self._number = 0

    @staticmethod
    async def start(order: ShardOrder, secrets: Mapping[str, str]) -> "ChildWorker":
        first, end = order.range
        return ChildWorker(await WorkerProcess.start(order, secrets), end - first)

    @property
    def pid(self) -> int:
        return self._process.pid

    def command(self, order: CommandOrder, concurrency: int) -> None:
        self._tell(command_of(order, concurrency))

    def share(self, concurrency: int) -> None:
        self._tell(ChangeConcurrency(self._own_id(), concurrency))

    def ask_for(self, key: str) -> None:
        self._tell(ChangeRate(self._own_id(), key, _LIMITED))

    def drain(self, within_s: float) -> None:
        self._tell(DrainRun(self._own_id(), within_s))

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
                counts=Counts(
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
                kind=event.kind.value.lower() if event.kind in _TOLD else "",
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


def first_commands(posture: Posture, beginning: Beginning) -> tuple[BoardCommand, ...]:
    """What a worker obeys before anything leaves: what was commanded before its lease, then what came since."""
    commands: list[BoardCommand] = [ChangeRate(f"{_OWN}first-{key}", key, _LIMITED) for key in beginning.budgets]
    for key, rate in posture.rates.items():
        commands.append(ChangeRate(f"{_OWN}first-{key}", key, parse_rate(rate)))
    if posture.cancel:
        commands.append(CancelRun(f"{_OWN}first-cancel", posture.cancel_reason))
    elif posture.paused:
        commands.append(PauseRun(f"{_OWN}first-pause"))
    return (*commands, *(command_of(order, beginning.concurrency) for order in beginning.orders))


def command_of(order: CommandOrder, concurrency: int) -> BoardCommand:
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
        counts=account.counts,
        state=account.state,
        reason=account.reason,
        category=words.category_of(account.reason),
        suppressed_errors=account.suppressed_errors,
    )
