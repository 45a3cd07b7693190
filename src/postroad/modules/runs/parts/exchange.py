"""What passes between the service and a worker: the same values for one in this process and one in another network.

A worker claims shards, acknowledges each lease before it opens the journal, renews all of them at intervals, reports
events in batches and says how each shard ended. The answer to a renewal carries commands and the share of the
concurrency that the lease has now. What is told twice is done once: commands have ids, batches have sequences.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from postroad.modules.runs.model import CommandKind, Live
from postroad.modules.runs.parts.leasing import ShardFence
from postroad.modules.runs.parts.plan import RunPlan
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.transitions import RunState

MOST_EVENTS = 100
"""In one report."""


@dataclass(frozen=True, slots=True)
class WorkerCapacity:
    """What a worker can take now."""

    worker_id: str
    shards: int
    """Shards beside those it has."""
    concurrency: int
    """Sends at once beside those it has reserved."""
    providers: frozenset[str] | None = None
    """Provider ids it can open; None for all."""
    workspaces: frozenset[str] | None = None
    """None for all."""
    keeps_journals: bool = False
    """Its journals and budgets are its own: it gets no run that another worker began, and no run of an account while
    another one works on that account."""


@dataclass(frozen=True, slots=True)
class Posture:
    """How a shard begins: what was commanded before its lease."""

    paused: bool
    cancel: bool
    """Dispatch nothing: settle what is in doubt, leave the rest unsent, end CANCELLED."""
    cancel_reason: str
    concurrency: int
    """Sends at once for this shard."""
    rates: Mapping[str, str] = field(default_factory=dict)
    """Rates by bucket key that were changed since the plan was frozen, as a job file writes them."""


@dataclass(frozen=True, slots=True)
class LeasedShard:
    """All that a worker needs, except the secrets that the plan names: whoever runs the worker resolves those now.

    `plan.audience.artifact_id` is the snapshot's file; of a re-send it is the source's, and `plan.source` says which
    part of it.
    """

    fence: ShardFence
    ack_until_ms: int
    number: int
    first: int
    end: int
    has_begun: bool
    """A worker had it before: its journal must be found, or the shard must not be run."""
    plan: RunPlan
    posture: Posture
    counts: Counts = field(default_factory=Counts)
    """What was known of it before this lease."""


@dataclass(frozen=True, slots=True)
class CommandOrder:
    """A command on its way to a worker; delivered again until it is answered."""

    command_id: str
    sequence: int
    kind: CommandKind
    payload: Mapping[str, str | int]
    """`reason` of a cancel; `key` and `rate` of a rate. For concurrency the renewal's own `concurrency` is this lease's
    share of the `target`; apply that, then answer."""


@dataclass(frozen=True, slots=True)
class CommandAnswer:
    command_id: str
    sequence: int
    applied: bool
    message: str = ""


@dataclass(frozen=True, slots=True)
class RenewalAsk:
    fence: ShardFence
    answers: tuple[CommandAnswer, ...] = ()
    """In order of sequence."""
    room: int = 0
    """Sends at once that the worker could add."""


@dataclass(frozen=True, slots=True)
class Renewal:
    """The answer for one lease. When `is_lost` stop hard: the shard is somebody else's."""

    lease_id: str
    is_lost: bool
    expires_at_ms: int = 0
    concurrency: int = 0
    commands: tuple[CommandOrder, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportedEvent:
    """One thing a worker saw. `sequence` counts from 1 within the lease, without gaps."""

    sequence: int
    type: str
    occurred_at_ms: int
    severity: str = "INFO"
    payload: Mapping[str, str | int | float | bool | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShardReport:
    """At most 100 events, and how the shard stands after the last of them."""

    fence: ShardFence
    events: tuple[ReportedEvent, ...]
    counts: Counts
    state: RunState
    live: Live = field(default_factory=Live)


@dataclass(frozen=True, slots=True)
class ReportAck:
    """Everything up to `event_sequence` is kept. Send from the next one on."""

    event_sequence: int


@dataclass(frozen=True, slots=True)
class ShardEnd:
    """How a shard ended. State LOST gives it back: stopped hard, or its journal cannot be written; it goes on later."""

    fence: ShardFence
    state: RunState
    counts: Counts
    reason: str = ""
    category: Category | None = None
    """Of a FAILED shard: AUTHENTICATION and AUTHORIZATION count for the account's circuit."""
    suppressed_errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunToEnd:
    """A run whose shards have all ended: its results are to be exported, then `end_run` says so."""

    run_id: str
    workspace_id: str
    plan: RunPlan
    counts: Counts
    epochs: tuple[int, ...]
    """How many leases each shard had; 0 where it never began and has no journal."""
    until_ms: int
    state: RunState
    """How it will end."""
    reason: str
    started_at_ms: int
    ended_at_ms: int
    suppressed_errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ArtifactFact:
    artifact_id: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class RunEnd:
    """`counts` are those of the exported results; they must be those of the shards."""

    run_id: str
    counts: Counts
    artifacts: Mapping[str, ArtifactFact] = field(default_factory=dict)
    """By name: `results`, `succeeded`, …, `receipt`."""
