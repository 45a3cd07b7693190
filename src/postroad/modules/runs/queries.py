"""What can be asked about runs."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from postroad.kernel.authz import Action, Resource
from postroad.kernel.pages import Listing, Page, PageRequest
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.runs.model import CommandKind, Run, Shard
from postroad.modules.runs.parts.leasing import RunLease
from postroad.modules.runs.parts.plan import RunPlan
from postroad.modules.runs.store import lease_rows, record_rows, run_rows
from postroad.modules.runs.store.record_rows import CommandRow, RunEventRow
from postroad.modules.runs.store.run_rows import RunFilter
from postroad.vocabulary.refusals import ResourceNotFound

_SHOWN_LEASES = 20
_SHOWN_COMMANDS = 20
MOST_EVENTS_READ = 500


@dataclass(frozen=True, slots=True)
class RunDetail:
    """Source: spec wepush §24.3."""

    run: Run
    plan: RunPlan
    shards: tuple[Shard, ...]
    leases: tuple[RunLease, ...]
    """The newest first, ended ones too."""
    commands: tuple[CommandRow, ...]
    """The newest first."""

    @property
    def allowed_commands(self) -> tuple[CommandKind, ...]:
        return self.run.allowed_commands


@dataclass(frozen=True, slots=True)
class EventPortion:
    """Events behind the place asked for.

    `has_gap`: some in between were deleted. `is_last`: no more will ever come.
    """

    events: tuple[RunEventRow, ...]
    has_more: bool
    has_gap: bool
    is_last: bool


def get_run(reading: Reading, workspace_id: str, run_id: str) -> Run:
    """Raises ResourceNotFound."""
    reading.authorize(Action.RUNS_READ, Resource(workspace_id, "run", run_id))
    return found_run(reading, workspace_id, run_id)


def get_run_detail(reading: Reading, workspace_id: str, run_id: str) -> RunDetail:
    """Raises ResourceNotFound."""
    run = get_run(reading, workspace_id, run_id)
    connection = reading.connection
    return RunDetail(
        run=run,
        plan=record_rows.get_plan(connection, run_id),
        shards=tuple(run_rows.list_shards(connection, run_id)),
        leases=tuple(lease_rows.list_of_run(connection, run_id, _SHOWN_LEASES)),
        commands=tuple(record_rows.list_commands(connection, run_id, _SHOWN_COMMANDS)),
    )


def list_runs(reading: Reading, workspace_id: str, request: PageRequest, wanted: RunFilter) -> Page[Run]:
    """Newest first. Raises ValidationFailed for a cursor of another list."""
    resource = Resource(workspace_id, "run")
    reading.authorize(Action.RUNS_READ, resource)
    listing = Listing.open(reading.cursors, request, resource, asdict(wanted))
    rows = run_rows.list_runs(reading.connection, listing, workspace_id, wanted)
    return listing.page(rows, lambda run: (run.created_at_ms, run.id))


def list_run_events(reading: Reading, workspace_id: str, run_id: str, after: int, limit: int) -> EventPortion:
    """Oldest first, from behind the sequence `after`; 0 begins with the oldest kept. Raises ResourceNotFound."""
    run = get_run(reading, workspace_id, run_id)
    limit = min(limit, MOST_EVENTS_READ)
    rows = record_rows.list_events(reading.connection, run_id, after, limit + 1)
    has_more = len(rows) > limit
    return EventPortion(
        events=tuple(rows[:limit]),
        has_more=has_more,
        has_gap=0 < after < run.events_from - 1,
        is_last=run.is_final and not run.results_wanted and not has_more,
    )


def newest_event(reading: Reading, run_id: str) -> int:
    """The sequence of the newest event; 0 where there is no such run. For streams, which have authorized."""
    run = run_rows.find_run_anywhere(reading.connection, run_id)
    return 0 if run is None else run.event_sequence


def found_run(reading: Reading, workspace_id: str, run_id: str) -> Run:
    """For flows, which have authorized what they do with it. Raises ResourceNotFound."""
    run = run_rows.find_run(reading.connection, workspace_id, run_id)
    if run is None:
        raise ResourceNotFound("there is no such run in this workspace")
    return run


def run_to_refer_to(uow: UnitOfWork, workspace_id: str, run_id: str) -> Run:
    """Held until the end of the transaction. For flows. Raises ResourceNotFound."""
    return run_rows.lock_run(uow.connection, run_id, workspace_id)


def plan_of_run(reading: Reading, run_id: str) -> RunPlan:
    """For flows. Raises ResourceNotFound, StateConflict where the snapshot is not what was frozen."""
    return record_rows.get_plan(reading.connection, run_id)


def get_command(reading: Reading, command_id: str) -> CommandRow:
    """For flows, which know that it is there."""
    return record_rows.get_command(reading.connection, command_id)


def run_of_firing(reading: Reading, schedule_id: str, fire_at_ms: int) -> Run | None:
    """The run that a fire time of a schedule made."""
    return run_rows.find_by_firing(reading.connection, schedule_id, fire_at_ms)


def same_as_earlier(reading: Reading, workspace_id: str, hash_hex: str) -> Run | None:
    """The newest run that said the same to the same people in the same way."""
    run_id = record_rows.find_same(reading.connection, workspace_id, hash_hex)
    return None if run_id is None else run_rows.find_run(reading.connection, workspace_id, run_id)


def active_runs(reading: Reading, workspace_id: str, **equal: str) -> list[Run]:
    """The first few runs that have not ended, with this `job_id`, `account_id` or `message_id`. For those who would
    archive what a run needs."""
    return run_rows.list_active(reading.connection, workspace_id, equal)


def runs_of_account_since(reading: Reading, workspace_id: str, account_id: str, since_ms: int) -> tuple[str, ...]:
    """The ids of runs that may have sent by this account since then. For hosts, which know their journals."""
    return run_rows.list_of_account(reading.connection, workspace_id, account_id, since_ms)


def ended_before(reading: Reading, run_ids: Sequence[str], before_ms: int) -> frozenset[str]:
    """Those of the runs that have ended by then and made their results. For whoever keeps their files."""
    return run_rows.list_ended(reading.connection, run_ids, before_ms)


def is_snapshot_used(reading: Reading, audience_snapshot_id: str) -> bool:
    """Whether a run still reads this snapshot of an audience. For retention."""
    return record_rows.is_snapshot_used(reading.connection, audience_snapshot_id)
