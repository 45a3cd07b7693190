"""What a run and its shards are, and what may become of them. Pure: it decides and does not do.

A run is the fold of its shards. Both walk the table `vocabulary.transitions.RUN`; a shard is moved by what its worker
says, and the run follows (`following`). Three wishes stand beside the state of a run, because a shard that nobody works
on just now cannot obey a command: `wants_pause`, `wants_end` and the concurrency. A worker that takes a shard later is
told them first.

A run that has begun is never ended over its journals' heads: when its worker is gone and a person cancels, the shard is
given to a worker once more, which settles what was in flight and leaves the rest unsent. Only a run whose shards were
never acknowledged is cancelled on the spot, because certainly nobody was sent to.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from postroad.vocabulary.counts import Counts, add_counts
from postroad.vocabulary.refusals import RunStateConflict
from postroad.vocabulary.transitions import RUN, RUN_FINAL, RunEvent, RunState, next_run_state

_S, _E = RunState, RunEvent

WORKED_ON = frozenset({_S.RUNNING, _S.PAUSED, _S.CANCELLING})
"""States of a shard whose worker has acknowledged its lease."""
LEASED_OUT = WORKED_ON | {_S.LEASED}


class CommandKind(StrEnum):
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    CONCURRENCY = "concurrency"
    RATE = "rate"


class CommandState(StrEnum):
    ACCEPTED = "ACCEPTED"
    """Kept; no worker has it yet."""
    DELIVERED = "DELIVERED"
    APPLIED = "APPLIED"
    REJECTED = "REJECTED"


COMMAND_FINAL = frozenset({CommandState.APPLIED, CommandState.REJECTED})


class LeaseState(StrEnum):
    ACTIVE = "ACTIVE"
    RELEASED = "RELEASED"
    EXPIRED = "EXPIRED"


class WantsEnd(StrEnum):
    """Why a run that still has open shards is to end."""

    NO = ""
    CANCEL = "CANCEL"
    """A person cancelled it."""
    FAILURE = "FAILURE"
    """One of its shards failed for a reason that holds for all."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Why nothing is sent just now, and until when where that is known."""

    reason: str = ""
    until_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Live:
    """What a worker said last about its shard. Nothing of it decides anything."""

    in_flight: int = 0
    parked: int = 0
    per_second: float = 0.0
    concurrency: int = 0
    waiting: Waiting = Waiting()


@dataclass(frozen=True, slots=True)
class Shard:
    """A contiguous range of items, `first` to before `end`, that one worker executes under one lease."""

    id: str
    run_id: str
    workspace_id: str
    number: int
    first: int
    end: int
    state: RunState = _S.PENDING
    epoch: int = 0
    """Counts the leases it had; the fence of an earlier one opens nothing."""
    begun: bool = False
    """A worker acknowledged a lease once, so its journal may know of attempts."""
    counts: Counts = field(default_factory=Counts)
    live: Live = Live()
    reason: str = ""
    failure: str = ""
    """The category of the error that ended it, where it FAILED."""
    version: int = 1

    @property
    def total(self) -> int:
        return self.end - self.first

    def moved(self, event: RunEvent, reason: str = "") -> "Shard":
        """Raises RunStateConflict where the table has no such cell."""
        return replace(self, state=_next(self.state, event, f"shard {self.number}"), reason=reason)


@dataclass(frozen=True, slots=True)
class Run:
    id: str
    workspace_id: str
    job_id: str
    job_name: str
    snapshot_id: str
    provider_id: str
    account_id: str
    created_by: str
    state: RunState = _S.PENDING
    state_reason: str = ""
    waiting: Waiting = Waiting()
    dry_run: bool = False
    reason: str = ""
    """Why somebody started it, in their words."""
    counts: Counts = field(default_factory=Counts)
    concurrency: int = 1
    concurrency_min: int = 1
    concurrency_max: int = 1
    rates: dict[str, str] = field(default_factory=dict)
    """Rates changed while it went on, by bucket key, as a job file writes them."""
    wants_pause: bool = False
    wants_end: WantsEnd = WantsEnd.NO
    end_reason: str = ""
    shard_count: int = 1
    pending_shards: int = 1
    open_shards: int = 1
    not_before_ms: int = 0
    """Not leased earlier: the account's circuit was open."""
    started_at_ms: int | None = None
    ended_at_ms: int | None = None
    source_run_id: str | None = None
    source_outcomes: tuple[str, ...] = ()
    schedule_id: str | None = None
    fire_at_ms: int | None = None
    command_sequence: int = 0
    event_sequence: int = 0
    events_from: int = 1
    """The oldest event that was not cleaned up."""
    results_wanted: bool = True
    """Its result files are still to be made."""
    artifacts: dict[str, dict[str, str | int]] = field(default_factory=dict)
    suppressed_errors: tuple[str, ...] = ()
    version: int = 1
    created_at_ms: int = 0
    updated_at_ms: int = 0

    @property
    def is_final(self) -> bool:
        return self.state in RUN_FINAL

    def moved(self, event: RunEvent, now_ms: int, reason: str = "") -> "Run":
        """Raises RunStateConflict where the table has no such cell, as from every final state."""
        state = _next(self.state, event, "the run")
        started = now_ms if state is _S.RUNNING and self.started_at_ms is None else self.started_at_ms
        ended = now_ms if state in RUN_FINAL else self.ended_at_ms
        return replace(
            self,
            state=state,
            state_reason=reason,
            started_at_ms=started,
            ended_at_ms=ended,
            waiting=Waiting() if state is not self.state else self.waiting,
        )

    def folded(self, shards: Sequence[Shard]) -> "Run":
        """With the sums of its shards."""
        return replace(
            self,
            counts=add_counts(shard.counts for shard in shards),
            pending_shards=sum(shard.state is _S.PENDING for shard in shards),
            open_shards=sum(shard.state not in RUN_FINAL for shard in shards),
            waiting=_waiting_of(self, shards),
        )

    def allows(self, kind: CommandKind) -> bool:
        return kind in self.allowed_commands

    @property
    def allowed_commands(self) -> tuple[CommandKind, ...]:
        """What may be asked of it now, in the order in which pages show it.

        A wish that is still on its way to the workers can be withdrawn: a pause by resume, a resume by pause.
        """
        if self.is_final:
            return ()
        if self.wants_end is not WantsEnd.NO:
            return (CommandKind.CANCEL,) if self.wants_end is WantsEnd.FAILURE else ()
        cells = RUN[self.state]
        found = []
        if not self.wants_pause and (_E.PAUSE in cells or self.state is _S.PAUSED):
            found.append(CommandKind.PAUSE)
        if self.wants_pause or _E.RESUME in cells:
            found.append(CommandKind.RESUME)
        if _E.CANCEL in cells:
            found.append(CommandKind.CANCEL)
        return (*found, CommandKind.CONCURRENCY, CommandKind.RATE)


def following(run: Run, shards: Sequence[Shard]) -> tuple[RunEvent, ...]:
    """The events that bring the run to what its shards say. They never end it: that needs the results as well.

    A run with several shards goes on while one of them is worked on; it is lost only when nobody works on any.
    """
    states = [shard.state for shard in shards]
    out = [state for state in states if state in LEASED_OUT]
    lost = any(state in (_S.LOST, _S.RECOVERING) for state in states)
    match run.state:
        case _S.PENDING:
            return (_E.LEASE, *_started(run, out)) if out else ()
        case _S.LEASED if out:
            return _started(run, out)
        case _S.LEASED:
            return (_E.LEASE_LOST,) if lost else (_E.LEASE_UNACKNOWLEDGED,)
        case _S.RUNNING | _S.PAUSED | _S.CANCELLING if not out:
            return (_E.LEASE_LOST,) if lost else ()
        case _S.RUNNING:
            return _posture(run, out)
        case _S.PAUSED if run.wants_end is WantsEnd.CANCEL:
            return (_E.CANCEL,)
        case _S.PAUSED:
            return (_E.RESUME,) if _S.RUNNING in out else ()
        case _S.LOST if not lost:
            return (_E.RECOVER, _E.REQUEUE)
        case _S.RECOVERING if not lost:
            return (_E.REQUEUE,)
        case _:
            return ()


def ending(run: Run, shards: Sequence[Shard]) -> tuple[RunEvent, ...]:
    """The events that end a run whose shards have all ended. Raises RunStateConflict while one is open."""
    states = {shard.state for shard in shards}
    if not states <= RUN_FINAL:
        raise RunStateConflict(f"run {run.id} has shards that have not ended; it ends after them")
    if run.is_final:
        return ()
    if _S.FAILED in states:
        return (_E.RUN_ERROR,)
    if run.state is _S.CANCELLING:
        return (_E.DRAINED,)
    if _S.CANCELLED in states or run.wants_end is WantsEnd.CANCEL:
        drains = next_run_state(run.state, _E.CANCEL) is _S.CANCELLING
        return (_E.CANCEL, _E.DRAINED) if drains else (_E.CANCEL,)
    return _settled(run.state, run.counts)


def ending_of_shard(shard: Shard, said: RunState, counts: Counts) -> tuple[RunEvent, ...]:
    """The events that end a shard whose worker says it ended so. Raises RunStateConflict for what is no end."""
    match said:
        case _S.FAILED:
            return (_E.RUN_ERROR,)
        case _S.CANCELLED | _S.SUCCEEDED | _S.PARTIAL if shard.state is _S.CANCELLING:
            return (_E.DRAINED,)
        case _S.CANCELLED:
            return (_E.CANCEL, _E.DRAINED)
        case _S.SUCCEEDED | _S.PARTIAL:
            return _settled(shard.state, counts)
        case _:
            raise RunStateConflict(f"{said.value} is no end of shard {shard.number}")


def reported(shard: Shard, said: RunState) -> tuple[RunEvent, ...]:
    """The event by which a shard comes to be as its worker says. Raises RunStateConflict where it cannot."""
    if said is shard.state:
        return ()
    events = {_S.PAUSED: _E.PAUSE, _S.RUNNING: _E.RESUME, _S.CANCELLING: _E.CANCEL}
    if said not in events or shard.state not in WORKED_ON:
        raise RunStateConflict(f"shard {shard.number} is {shard.state.value} and cannot be {said.value} by a report")
    return (events[said],)


def _started(run: Run, out: Sequence[RunState]) -> tuple[RunEvent, ...]:
    if not any(state in WORKED_ON for state in out):
        return ()
    return (_E.START, *_posture(run, out))


def _posture(run: Run, out: Sequence[RunState]) -> tuple[RunEvent, ...]:
    if run.wants_end is WantsEnd.CANCEL or all(state is _S.CANCELLING for state in out):
        return (_E.CANCEL,)
    return (_E.PAUSE,) if all(state is _S.PAUSED for state in out) else ()


def _settled(state: RunState, counts: Counts) -> tuple[RunEvent, ...]:
    event = _E.ALL_SETTLED_WELL if counts.reached_everyone else _E.SOME_SETTLED_BADLY
    return (_E.RESUME, event) if state is _S.PAUSED else (event,)


def _next(state: RunState, event: RunEvent, who: str) -> RunState:
    found = next_run_state(state, event)
    if found is None:
        raise RunStateConflict(f"{who} is {state.value}, where {event.value} cannot happen")
    return found


def _waiting_of(run: Run, shards: Sequence[Shard]) -> Waiting:
    """A run waits when everybody who works on it waits; until the first of them goes on."""
    working = [shard.live.waiting for shard in shards if shard.state in WORKED_ON]
    if not working:
        return run.waiting if run.state is _S.PENDING else Waiting()
    if not all(waiting.reason for waiting in working):
        return Waiting()
    return min(working, key=lambda waiting: waiting.until_ms or 0)
