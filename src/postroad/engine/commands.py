"""What a person may tell a run while it goes on. A command's id makes it idempotent: the same id, the same answer."""

from dataclasses import dataclass

from postroad.spi import Rate
from postroad.vocabulary.transitions import RunState


@dataclass(frozen=True, slots=True)
class PauseRun:
    command_id: str


@dataclass(frozen=True, slots=True)
class ResumeRun:
    command_id: str


@dataclass(frozen=True, slots=True)
class CancelRun:
    command_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ChangeConcurrency:
    command_id: str
    target: int


@dataclass(frozen=True, slots=True)
class ChangeRate:
    """Sets the rate of a scope or of one bucket from now on; a count of 0 lifts it. What was sent still counts."""

    command_id: str
    key: str
    rate: Rate


RunCommand = PauseRun | ResumeRun | CancelRun | ChangeConcurrency | ChangeRate


@dataclass(frozen=True, slots=True)
class CommandResult:
    """`applied` is False for a refused command; `message` then says why and what would be allowed."""

    command_id: str
    applied: bool
    state: RunState
    message: str = ""
