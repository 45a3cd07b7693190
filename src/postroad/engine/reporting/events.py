"""The facts a run publishes while it goes on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from postroad.vocabulary.transitions import RunState, WaitReason


class EventKind(StrEnum):
    RUN_STARTED = "RUN_STARTED"
    PROGRESS = "PROGRESS"
    """The only kind that may be merged: a newer one replaces one that nobody has read yet."""
    PAUSED = "PAUSED"
    RESUMED = "RESUMED"
    CANCELLING = "CANCELLING"
    CONCURRENCY_CHANGED = "CONCURRENCY_CHANGED"
    RATE_CHANGED = "RATE_CHANGED"
    WAITING = "WAITING"
    STALLED = "STALLED"
    """Sends are in flight and none has come back for several send timeouts."""
    ERROR = "ERROR"
    RUN_COMPLETED = "RUN_COMPLETED"


@dataclass(frozen=True, slots=True)
class Waiting:
    """Why a run sends nothing just now, and until when (wall milliseconds)."""

    reason: WaitReason
    until_ms: int
    key: str = ""
    """The bucket that is empty, where one is."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The counts of one moment. `total` is None where nobody knows it yet; `per_s` is that of the last seconds."""

    state: RunState
    total: int | None
    succeeded: int
    failed: int
    unknown: int
    unsent: int
    skipped: int
    retried: int
    maybe_doubled: int
    in_flight: int
    parked: int
    concurrency: int
    per_s: float
    waiting: Waiting | None = None

    @property
    def settled(self) -> int:
        return self.succeeded + self.failed + self.unknown + self.unsent + self.skipped


@dataclass(frozen=True, slots=True)
class EngineEvent:
    run_id: str
    kind: EventKind
    at_ms: int
    progress: Progress
    reason: str = ""
    data: Mapping[str, str | int | float] = field(default_factory=dict)
