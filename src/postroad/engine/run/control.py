"""Commands: each takes effect before its answer, and a command id has one answer for ever."""

from collections import OrderedDict
from typing import Protocol, assert_never

from postroad.engine.commands import (
    CancelRun,
    ChangeConcurrency,
    ChangeRate,
    CommandResult,
    PauseRun,
    ResumeRun,
    RunCommand,
)
from postroad.spi import Rate
from postroad.vocabulary.transitions import RunState

_ANSWERS_KEPT = 10_000


class Steerable(Protocol):
    """What a command may do to a run. Each returns why not, or an empty text when it is done."""

    @property
    def state(self) -> RunState: ...

    def pause(self) -> str: ...

    def resume(self) -> str: ...

    def cancel(self, reason: str) -> str: ...

    def change_concurrency(self, target: int) -> str: ...

    def change_rate(self, key: str, rate: Rate) -> str: ...


class Control:
    def __init__(self, run: Steerable) -> None:
        self._run = run
        self._answers: OrderedDict[str, CommandResult] = OrderedDict()

    def submit(self, command: RunCommand) -> CommandResult:
        known = self._answers.get(command.command_id)
        if known is not None:
            return known
        refusal = self._apply(command)
        answer = CommandResult(command.command_id, not refusal, self._run.state, refusal)
        self._answers[command.command_id] = answer
        if len(self._answers) > _ANSWERS_KEPT:
            self._answers.popitem(last=False)
        return answer

    def _apply(self, command: RunCommand) -> str:
        match command:
            case PauseRun():
                return self._run.pause()
            case ResumeRun():
                return self._run.resume()
            case CancelRun(reason=reason):
                return self._run.cancel(reason)
            case ChangeConcurrency(target=target):
                return self._run.change_concurrency(target)
            case ChangeRate(key=key, rate=rate):
                return self._run.change_rate(key, rate)
            case _:
                assert_never(command)
