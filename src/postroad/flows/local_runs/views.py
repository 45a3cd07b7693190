"""What a local run shows: plain values, without secrets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from postroad.flows.local_runs.keeping.plan import SendPlan
from postroad.recipients import Snapshot
from postroad.spi import Preview, Verdict
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.transitions import RunState
from postroad.vocabulary.values import RecipientValue

EXIT_CODES: Mapping[RunState, int] = {
    RunState.SUCCEEDED: 0,
    RunState.PARTIAL: 3,
    RunState.CANCELLED: 4,
    RunState.FAILED: 1,
}
"""What a program that ran the send exits with; a refusal before the send exits with 2."""

INTERRUPTED_EXIT_CODE = 130
"""Exit code of a run that was aborted and can be resumed."""


@dataclass(frozen=True, slots=True)
class AudienceFacts:
    """`rows = accepted + duplicates + rejected`."""

    rows: int
    accepted: int
    duplicates: int
    rejected: int
    sha256: str
    columns: tuple[str, ...] = ()
    encoding: str = ""
    delimiter: str = ""
    warnings: tuple[str, ...] = ()
    reasons: tuple[tuple[str, int], ...] = ()
    """The most frequent reasons of rejection, with their numbers."""
    samples: tuple[Mapping[str, RecipientValue], ...] = ()
    errors_file: Path | None = None
    """A CSV of row, column, code, reason and value; None where every row was accepted."""


@dataclass(frozen=True, slots=True)
class PreparedSend:
    """A send that can be confirmed. Its folder holds the snapshot; nothing is frozen and nothing was sent."""

    folder: Path
    name: str
    run_id: str
    provider_id: str
    provider_version: str
    audience: AudienceFacts
    endpoints: tuple[str, ...]
    """`host:port` pairs written in the configuration and allowed for this send: show them before asking."""
    hash: str
    """SHA-256 over what is sent, to whom and how; the value a person confirms. See `keeping.frozen`."""
    rates: Mapping[str, str]
    """The rate of each bucket as text, such as `{"run": "10 per 1 s"}`."""
    default_rate_used: bool
    concurrency: int
    workers: int
    warnings: tuple[str, ...] = ()
    same_as: Path | None = None
    """The folder of a send with the same hash; `start_send` refuses it unless `again`."""
    source_run_id: str = ""
    again: bool = False
    plan: SendPlan = field(kw_only=True, repr=False)
    """What `start_send` freezes."""
    snapshot: Snapshot = field(kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class RowProblem:
    row: int
    field: str
    message: str


@dataclass(frozen=True, slots=True)
class DryRunReport:
    """The whole audience rendered, nothing sent."""

    hash: str
    total: int
    rendered: int
    failed: int
    problems: tuple[RowProblem, ...]
    """The first 20 render errors in order of rows."""
    by_field: Mapping[str, int]
    """Render errors by the field to blame."""
    missing_fields: tuple[str, ...]
    """Columns the message needs and the audience does not have."""
    duplicates: int
    size_bytes_max: int
    size_bytes_total: int
    parts_total: int
    """Tokens over all recipients: an SMS costs its parts, everything else one."""
    price_total: float | None
    currency: str
    seconds_to_finish: float | None
    """By the rates alone; None where nothing limits the rate."""
    rates: Mapping[str, str]
    default_rate_used: bool
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.failed == 0 and not self.missing_fields


@dataclass(frozen=True, slots=True)
class SendStarted:
    folder: Path
    name: str
    run_id: str
    provider_id: str
    resumed: bool
    workers: int
    counts: Counts
    """What earlier processes settled already."""


@dataclass(frozen=True, slots=True)
class SendProgress:
    state: RunState
    counts: Counts
    in_flight: int = 0
    waiting_items: int = 0
    """Items parked for a bucket, a retry or a hold."""
    per_second: float = 0.0
    """Settled items a second over the last ten seconds."""
    eta_s: float | None = None
    concurrency: int = 0
    waits_for: str = ""
    """A WaitReason, or empty."""
    waits_until_ms: int | None = None
    workers: int = 1


class NoticeKind(StrEnum):
    STATE = "STATE"
    WAITING = "WAITING"
    COMMAND = "COMMAND"
    WORKER = "WORKER"
    WARNING = "WARNING"


@dataclass(frozen=True, slots=True)
class Notice:
    kind: NoticeKind
    text: str
    until_ms: int | None = None


@dataclass(frozen=True, slots=True)
class SendSummary:
    """How a run ended; the content of `summary.json`."""

    run_id: str
    state: RunState
    """LOST where the run was stopped hard: unfinished, to be resumed."""
    reason: str
    counts: Counts
    rows: int
    accepted: int
    duplicates: int
    rejected: int
    started_at_ms: int
    ended_at_ms: int
    suppressed_errors: tuple[str, ...]
    out: Path
    source_run_id: str = ""

    @property
    def exit_code(self) -> int:
        return EXIT_CODES.get(self.state, INTERRUPTED_EXIT_CODE)


@dataclass(frozen=True, slots=True)
class SendView:
    """A send as its folder tells it, also while another process runs it."""

    folder: Path
    name: str
    run_id: str
    provider_id: str
    state: RunState
    """PENDING before the start, RUNNING while a process works on it, LOST where it waits for a resume, else its end."""
    is_held: bool
    """A process works on it now."""
    can_resume: bool
    counts: Counts
    frozen_at_ms: int
    ended_at_ms: int | None
    hash: str
    summary: SendSummary | None
    files: Mapping[str, Path] = field(default_factory=dict)
    """The files of the results by name: `results`, `succeeded`, `failed`, …, `receipt`; those that exist."""
    source_run_id: str = ""


@dataclass(frozen=True, slots=True)
class ReceiptCheck:
    ok: bool
    problems: tuple[str, ...]
    """Empty where all is well; else what does not hold, in words."""
    run_id: str
    counts: Counts
    files_checked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemPreview:
    row: int
    fields: Mapping[str, RecipientValue]
    preview: Preview | None
    problem: RowProblem | None = None


@dataclass(frozen=True, slots=True)
class TestSendResult:
    """What one real attempt to a chosen recipient came to. It is in no journal and in no count."""

    verdict: Verdict
    category: Category | None
    code: str
    summary: str
    request_id: str
    latency_ms: int
    preview: Preview
    endpoints: tuple[str, ...]

    __test__ = False
