"""Runs and their shards. Every change is a compare-and-set on (state, version)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    Table,
    Update,
    bindparam,
    exists,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from postroad.kernel.pages import Listing
from postroad.modules.runs._tables import run_lanes, run_leases, run_shards, run_snapshots, runs
from postroad.modules.runs.model import Live, Run, Shard, Waiting, WantsEnd
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.refusals import ResourceNotFound, VersionConflict
from postroad.vocabulary.transitions import RUN_FINAL, RunState

_COUNTS = tuple(field.name for field in fields(Counts))
_FINAL = tuple(sorted(RUN_FINAL))
_FEW = 5


def _unless_changed(table: Table) -> Update:
    """Its columns come with the parameters, and with `same_…` what must still stand there."""
    return update(table).where(
        table.c.id == bindparam("same_id"),
        table.c.state == bindparam("same_state"),
        table.c.version == bindparam("same_version"),
    )


_SAVE_RUN, _SAVE_SHARD = _unless_changed(runs), _unless_changed(run_shards)


@dataclass(frozen=True, slots=True)
class RunFilter:
    """None leaves a filter out. `states` are any of."""

    states: tuple[RunState, ...] = ()
    job_id: str | None = None
    source_run_id: str | None = None
    schedule_id: str | None = None
    dry_run: bool | None = None
    created_after_ms: int | None = None
    created_before_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a worker can take. None leaves a limit out; `only` leaves out what another worker than this one began."""

    providers: frozenset[str] | None
    workspaces: frozenset[str] | None
    only: str | None
    most: int
    """Of each workspace, so that one with a long queue does not hide the others."""


@dataclass(frozen=True, slots=True)
class Claimable:
    """A run with a pending shard, in the order in which it is asked; nothing of it is locked yet."""

    run_id: str
    workspace_id: str
    account_id: str
    wants_end: bool
    waits_for: str
    """The reason it gave when it was asked last."""


def add_run(connection: Connection, run: Run, shards: Sequence[Shard], confirmation_id: str | None) -> bool:
    """False, and nothing is written, where this firing or this confirmation made a run already.

    Of two that insert at once the second waits until the first has committed.
    """
    row = {
        **_run_values(run),
        "id": run.id,
        "last_claimed_at_ms": 0,
        "ending_by": "",
        "ending_until_ms": 0,
        "confirmation_id": confirmation_id,
        "created_at_ms": run.created_at_ms,
        "version": run.version,
    }
    try:
        with connection.begin_nested():
            connection.execute(insert(runs), row)
    except IntegrityError:
        return False
    connection.execute(
        insert(run_shards),
        [
            {
                **_shard_values(shard, run.created_at_ms),
                "id": shard.id,
                "created_at_ms": run.created_at_ms,
                "version": shard.version,
            }
            for shard in shards
        ],
    )
    return True


def find_run(connection: Connection, workspace_id: str, run_id: str) -> Run | None:
    where = (runs.c.id == run_id, runs.c.workspace_id == workspace_id)
    row = connection.execute(select(runs).where(*where)).mappings().first()
    return None if row is None else _run_of(row)


def find_run_anywhere(connection: Connection, run_id: str) -> Run | None:
    row = connection.execute(select(runs).where(runs.c.id == run_id)).mappings().first()
    return None if row is None else _run_of(row)


def lock_run(connection: Connection, run_id: str, workspace_id: str | None = None) -> Run:
    """Waits for whoever writes it. Raises ResourceNotFound."""
    statement = select(runs).where(runs.c.id == run_id)
    if workspace_id is not None:
        statement = statement.where(runs.c.workspace_id == workspace_id)
    row = connection.execute(statement.with_for_update()).mappings().first()
    if row is None:
        raise ResourceNotFound("there is no such run in this workspace")
    return _run_of(row)


def lock_run_unless_busy(connection: Connection, run_id: str) -> Run | None:
    """None where somebody else writes it just now, or where it is gone."""
    statement = select(runs).where(runs.c.id == run_id).with_for_update(skip_locked=True)
    row = connection.execute(statement).mappings().first()
    return None if row is None else _run_of(row)


def save_run(connection: Connection, before: Run, after: Run, now_ms: int) -> Run:
    """Raises VersionConflict where it is not in the state and version it was read in."""
    saved = replace(after, version=before.version + 1, updated_at_ms=now_ms)
    same = {"same_id": before.id, "same_state": before.state.value, "same_version": before.version}
    done = connection.execute(_SAVE_RUN, {**_run_values(saved), "version": saved.version, **same})
    if done.rowcount != 1:
        raise VersionConflict(f"run {before.id} was changed at the same moment; read it again", head={})
    return saved


def mark_claimed(connection: Connection, run: Run, now_ms: int) -> None:
    """Sends run and workspace to the end of their lines."""
    connection.execute(update(runs).where(runs.c.id == run.id).values(last_claimed_at_ms=now_ms))
    connection.execute(
        update(run_lanes).where(run_lanes.c.workspace_id == run.workspace_id).values(last_claimed_at_ms=now_ms)
    )


def list_runs(connection: Connection, listing: Listing, workspace_id: str, wanted: RunFilter) -> list[Run]:
    statement: Select[Any] = select(runs).where(runs.c.workspace_id == workspace_id)
    equal = (
        (runs.c.job_id, wanted.job_id),
        (runs.c.source_run_id, wanted.source_run_id),
        (runs.c.schedule_id, wanted.schedule_id),
        (runs.c.dry_run, wanted.dry_run),
    )
    for column, value in equal:
        if value is not None:
            statement = statement.where(column == value)
    if wanted.states:
        statement = statement.where(runs.c.state.in_([state.value for state in wanted.states]))
    if wanted.created_after_ms is not None:
        statement = statement.where(runs.c.created_at_ms >= wanted.created_after_ms)
    if wanted.created_before_ms is not None:
        statement = statement.where(runs.c.created_at_ms < wanted.created_before_ms)
    return [_run_of(row) for row in connection.execute(listing.newest_first(statement, runs)).mappings()]


def find_by_firing(connection: Connection, schedule_id: str, fire_at_ms: int) -> Run | None:
    where = (runs.c.schedule_id == schedule_id, runs.c.fire_at_ms == fire_at_ms)
    row = connection.execute(select(runs).where(*where)).mappings().first()
    return None if row is None else _run_of(row)


def find_by_confirmation(connection: Connection, confirmation_id: str) -> str | None:
    """The run that this confirmation started."""
    where = runs.c.confirmation_id == confirmation_id
    found: str | None = connection.execute(select(runs.c.id).where(where)).scalar()
    return found


def list_active(connection: Connection, workspace_id: str, equal: Mapping[str, str]) -> list[Run]:
    """The first runs that have not ended, by columns of the run or, for `message_id`, of its snapshot."""
    statement = select(runs).where(runs.c.workspace_id == workspace_id, runs.c.state.not_in(_FINAL))
    for name, value in equal.items():
        if name == "message_id":
            same = select(run_snapshots.c.run_id).where(run_snapshots.c.message_id == value)
            statement = statement.where(runs.c.id.in_(same))
        else:
            statement = statement.where(runs.c[name] == value)
    rows = connection.execute(statement.order_by(runs.c.created_at_ms, runs.c.id).limit(_FEW)).mappings()
    return [_run_of(row) for row in rows]


def list_of_account(connection: Connection, workspace_id: str, account_id: str, since_ms: int) -> tuple[str, ...]:
    """Runs that have not ended, or were changed since then."""
    statement = select(runs.c.id).where(
        runs.c.workspace_id == workspace_id,
        runs.c.account_id == account_id,
        runs.c.state.not_in(_FINAL) | (runs.c.updated_at_ms >= since_ms),
    )
    return tuple(connection.execute(statement).scalars())


def list_ended(connection: Connection, run_ids: Sequence[str], before_ms: int) -> frozenset[str]:
    """Of these runs the final ones, with their results made, that ended earlier."""
    statement = select(runs.c.id).where(
        runs.c.id.in_(run_ids), runs.c.state.in_(_FINAL), ~runs.c.results_wanted, runs.c.ended_at_ms < before_ms
    )
    return frozenset(connection.execute(statement).scalars())


def list_claimable(connection: Connection, now_ms: int, wanted: Wanted) -> list[Claimable]:
    """Candidates in a fair order: workspaces that waited longest first, and in each the runs that did."""
    place = func.row_number().over(
        partition_by=runs.c.workspace_id, order_by=(runs.c.last_claimed_at_ms, runs.c.created_at_ms, runs.c.id)
    )
    ranked = select(
        runs.c.id, runs.c.workspace_id, runs.c.account_id, runs.c.wants_end, runs.c.waiting_reason, place.label("place")
    ).where(
        runs.c.pending_shards > 0,
        runs.c.state.not_in(_FINAL),
        (runs.c.not_before_ms <= now_ms) | (runs.c.wants_end != WantsEnd.NO.value),
    )
    if wanted.providers is not None:
        ranked = ranked.where(runs.c.provider_id.in_(sorted(wanted.providers)))
    if wanted.workspaces is not None:
        ranked = ranked.where(runs.c.workspace_id.in_(sorted(wanted.workspaces)))
    if wanted.only is not None:
        ranked = ranked.where(_not_begun_by_others(wanted.only))
    line = ranked.subquery()
    statement = (
        select(line)
        .join(run_lanes, run_lanes.c.workspace_id == line.c.workspace_id)
        .where(line.c.place <= wanted.most)
        .order_by(line.c.place, run_lanes.c.last_claimed_at_ms, line.c.workspace_id)
    )
    return [
        Claimable(row["id"], row["workspace_id"], row["account_id"], bool(row["wants_end"]), row["waiting_reason"])
        for row in connection.execute(statement).mappings()
    ]


def claim_runs_to_end(
    connection: Connection, worker_id: str, now_ms: int, until_ms: int, limit: int, *, own_only: bool
) -> list[Run]:
    """Ended shards, missing results: this worker has them until then; another caller at once gets others.

    `own_only` leaves out what another worker began.
    """
    due = (
        select(runs)
        .where(runs.c.results_wanted, runs.c.open_shards == 0, runs.c.ending_until_ms <= now_ms)
        .order_by(runs.c.ending_until_ms, runs.c.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    if own_only:
        due = due.where(_not_begun_by_others(worker_id))
    found = [_run_of(row) for row in connection.execute(due).mappings()]
    for run in found:
        connection.execute(
            update(runs).where(runs.c.id == run.id).values(ending_by=worker_id, ending_until_ms=until_ms)
        )
    return found


def _not_begun_by_others(worker_id: str) -> ColumnElement[bool]:
    begun = select(run_leases.c.id).where(
        run_leases.c.run_id == runs.c.id, run_leases.c.acked_at_ms.is_not(None), run_leases.c.worker_id != worker_id
    )
    return ~exists(begun)


def let_endings_go(connection: Connection, worker_id: str) -> int:
    """The runs that this worker was making results of may be claimed again; how many."""
    mine = (runs.c.ending_by == worker_id, runs.c.results_wanted, runs.c.open_shards == 0, runs.c.ending_until_ms > 0)
    return connection.execute(update(runs).where(*mine).values(ending_until_ms=0)).rowcount


def list_shards(connection: Connection, run_id: str, *, lock: bool = False) -> list[Shard]:
    """In order of number."""
    statement = select(run_shards).where(run_shards.c.run_id == run_id).order_by(run_shards.c.number)
    if lock:
        statement = statement.with_for_update()
    return [_shard_of(row) for row in connection.execute(statement).mappings()]


def save_shard(connection: Connection, before: Shard, after: Shard, now_ms: int) -> Shard:
    """Raises VersionConflict where it is not in the state and version it was read in."""
    saved = replace(after, version=before.version + 1)
    same = {"same_id": before.id, "same_state": before.state.value, "same_version": before.version}
    done = connection.execute(_SAVE_SHARD, {**_shard_values(saved, now_ms), "version": saved.version, **same})
    if done.rowcount != 1:
        raise VersionConflict(f"shard {before.number} of run {before.run_id} was changed at the same moment", head={})
    return saved


def _run_values(run: Run) -> dict[str, Any]:
    return {
        "workspace_id": run.workspace_id,
        "job_id": run.job_id,
        "job_name": run.job_name,
        "snapshot_id": run.snapshot_id,
        "provider_id": run.provider_id,
        "account_id": run.account_id,
        "state": run.state.value,
        "state_reason": run.state_reason,
        "waiting_reason": run.waiting.reason,
        "waiting_until_ms": run.waiting.until_ms,
        "dry_run": run.dry_run,
        "reason": run.reason,
        **asdict(run.counts),
        "concurrency": run.concurrency,
        "concurrency_min": run.concurrency_min,
        "concurrency_max": run.concurrency_max,
        "rates": dict(run.rates),
        "wants_pause": run.wants_pause,
        "wants_end": run.wants_end.value,
        "end_reason": run.end_reason,
        "shard_count": run.shard_count,
        "pending_shards": run.pending_shards,
        "open_shards": run.open_shards,
        "not_before_ms": run.not_before_ms,
        "started_at_ms": run.started_at_ms,
        "ended_at_ms": run.ended_at_ms,
        "source_run_id": run.source_run_id,
        "source_outcomes": list(run.source_outcomes),
        "schedule_id": run.schedule_id,
        "fire_at_ms": run.fire_at_ms,
        "created_by": run.created_by,
        "command_sequence": run.command_sequence,
        "event_sequence": run.event_sequence,
        "events_from": run.events_from,
        "results_wanted": run.results_wanted,
        "artifacts": run.artifacts,
        "suppressed_errors": list(run.suppressed_errors),
        "updated_at_ms": run.updated_at_ms,
    }


_AS_THEY_ARE = tuple(
    field.name
    for field in fields(Run)
    if field.name not in ("state", "waiting", "counts", "wants_end", "source_outcomes", "suppressed_errors")
)


def _run_of(row: RowMapping | Mapping[str, Any]) -> Run:
    return Run(
        **{name: row[name] for name in _AS_THEY_ARE},
        state=RunState(row["state"]),
        waiting=Waiting(row["waiting_reason"], row["waiting_until_ms"]),
        counts=Counts(**{name: row[name] for name in _COUNTS}),
        wants_end=WantsEnd(row["wants_end"]),
        source_outcomes=tuple(row["source_outcomes"]),
        suppressed_errors=tuple(row["suppressed_errors"]),
    )


def _shard_values(shard: Shard, now_ms: int) -> dict[str, Any]:
    return {
        "workspace_id": shard.workspace_id,
        "run_id": shard.run_id,
        "number": shard.number,
        "first": shard.first,
        "end": shard.end,
        "state": shard.state.value,
        "epoch": shard.epoch,
        "begun": shard.begun,
        **asdict(shard.counts),
        "live": asdict(shard.live),
        "reason": shard.reason,
        "failure": shard.failure,
        "updated_at_ms": now_ms,
    }


def _shard_of(row: RowMapping | Mapping[str, Any]) -> Shard:
    live = dict(row["live"])
    return Shard(
        id=row["id"],
        run_id=row["run_id"],
        workspace_id=row["workspace_id"],
        number=row["number"],
        first=row["first"],
        end=row["end"],
        state=RunState(row["state"]),
        epoch=row["epoch"],
        begun=row["begun"],
        counts=Counts(**{name: row[name] for name in _COUNTS}),
        live=Live(**{**live, "waiting": Waiting(**live["waiting"])}),
        reason=row["reason"],
        failure=row["failure"],
        version=row["version"],
    )
