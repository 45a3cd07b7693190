"""What a schedule is, and what may become of a firing. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from postroad.vocabulary.refusals import ValidationFailed

MOST_CAUGHT_UP = 100


class MisfirePolicy(StrEnum):
    """What becomes of fire times that nobody was there for."""

    SKIP = "SKIP"
    FIRE_ONCE = "FIRE_ONCE"
    CATCH_UP_LIMITED = "CATCH_UP_LIMITED"


class ScheduleStatus(StrEnum):
    ENABLED = "ENABLED"
    DISABLED = "DISABLED"
    FINISHED = "FINISHED"
    """Nothing will fire any more: its one time, or its end, has passed."""
    ARCHIVED = "ARCHIVED"
    """Out of use for good; its firings stay to be read."""


class FiringState(StrEnum):
    DUE = "DUE"
    """Its audience is being read again; the run starts when that is done."""
    FIRED = "FIRED"
    SKIPPED = "SKIPPED"
    FAILED = "FAILED"


FIRING: dict[FiringState, frozenset[FiringState]] = {
    FiringState.DUE: frozenset({FiringState.FIRED, FiringState.SKIPPED, FiringState.FAILED}),
    FiringState.FIRED: frozenset(),
    FiringState.SKIPPED: frozenset(),
    FiringState.FAILED: frozenset(),
}


@dataclass(frozen=True, slots=True)
class Misfire:
    policy: MisfirePolicy = MisfirePolicy.FIRE_ONCE
    limit: int = 0
    """CATCH_UP_LIMITED only: how many late times fire at most, 1 to 100."""

    def __post_init__(self) -> None:
        is_limited = self.policy is MisfirePolicy.CATCH_UP_LIMITED
        if is_limited and not 1 <= self.limit <= MOST_CAUGHT_UP:
            raise ValidationFailed.of(
                "catchUpLimit",
                "OUT_OF_RANGE",
                f"catchUpLimit must be from 1 to {MOST_CAUGHT_UP} with CATCH_UP_LIMITED, not {self.limit}",
            )
        if not is_limited and self.limit:
            raise ValidationFailed.of(
                "catchUpLimit", "NOT_ALLOWED", "catchUpLimit goes with CATCH_UP_LIMITED only; leave it out"
            )


@dataclass(frozen=True, slots=True)
class When:
    """When a schedule fires, as it is asked for: `cron` or `at`, never both."""

    timezone: str
    cron: str | None = None
    at: str | None = None
    """ISO-8601: an instant with its offset, or a reading of the clocks of `timezone`."""
    start_at_ms: int | None = None
    end_at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class ScheduleView:
    id: str
    workspace_id: str
    name: str
    job_id: str
    cron: str | None
    at_ms: int | None
    timezone: str
    misfire: Misfire
    start_at_ms: int | None
    end_at_ms: int | None
    refresh_audience: bool
    """The audience of the job is read again from its query before each firing."""
    status: ScheduleStatus
    next_fire_at_ms: int | None
    """None while nothing will fire: disabled, archived or finished."""
    last_fire_at_ms: int | None
    """The newest fire time that started a run."""
    created_by: str
    version: int
    created_at_ms: int
    updated_at_ms: int


@dataclass(frozen=True, slots=True)
class FiringView:
    id: str
    schedule_id: str
    fire_at_ms: int
    """The time it was planned for."""
    state: FiringState
    reason: str
    """Why it was skipped or failed; empty otherwise."""
    run_id: str | None
    import_id: str | None
    """The import that read the audience again for it."""
    created_at_ms: int
    updated_at_ms: int


@dataclass(frozen=True, slots=True)
class FireTime:
    at_ms: int
    local: str
    """ISO-8601 with the offset of the schedule's zone at that time."""


@dataclass(frozen=True, slots=True)
class ScheduleFilter:
    name: str | None = None
    """Contained in the name, without regard to case."""
    status: str | None = None
    """None: every status but ARCHIVED."""
    job_id: str | None = None
    created_after_ms: int | None = None
    created_before_ms: int | None = None


@dataclass(frozen=True, slots=True)
class ScheduleAsk:
    """Everything of a schedule that people decide."""

    name: str
    job_id: str
    when: When
    misfire: Misfire = Misfire()
    refresh_audience: bool = False
    enabled: bool = True
