"""Leases and the lanes of workspaces, under whose lock they are granted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, RowMapping, bindparam, func, insert, select, update

from postroad.kernel.tables import insert_for
from postroad.modules.runs._tables import run_lanes, run_leases, runs
from postroad.modules.runs.model import LeaseState
from postroad.modules.runs.parts.leasing import RunLease
from postroad.vocabulary.refusals import LeaseExpired

_T = run_leases.c
_ACTIVE = LeaseState.ACTIVE.value
_SAVE = update(run_leases).where(
    _T.id == bindparam("same_id"), _T.state == bindparam("same_state"), _T.version == bindparam("same_version")
)


@dataclass(frozen=True, slots=True)
class Usage:
    """What the running runs of a workspace have reserved."""

    runs: int
    concurrency: int


def open_lane(connection: Connection, dialect_name: str, workspace_id: str) -> None:
    """Makes the lane of a workspace where there is none."""
    statement = insert_for(dialect_name, run_lanes).values(workspace_id=workspace_id, last_claimed_at_ms=0)
    connection.execute(statement.on_conflict_do_nothing())


def lock_lane(connection: Connection, workspace_id: str) -> bool:
    """False where another claimer holds it: leave the workspace to that one."""
    statement = select(run_lanes.c.workspace_id).where(run_lanes.c.workspace_id == workspace_id)
    return connection.execute(statement.with_for_update(skip_locked=True)).first() is not None


def usage_of(connection: Connection, workspace_id: str) -> Usage:
    """Exact while the lane is locked: nobody else grants leases in this workspace then."""
    statement = select(func.count(_T.run_id.distinct()), func.coalesce(func.sum(_T.concurrency), 0)).where(
        _T.workspace_id == workspace_id, _T.state == _ACTIVE
    )
    row = connection.execute(statement).one()
    return Usage(int(row[0]), int(row[1]))


def workers_of_account(connection: Connection, workspace_id: str, account_id: str) -> frozenset[str]:
    """Who holds leases of runs that send by this account. Exact while the lane is locked."""
    of_account = select(runs.c.id).where(runs.c.account_id == account_id, runs.c.dry_run.is_(False))
    statement = (
        select(_T.worker_id)
        .distinct()
        .where(_T.workspace_id == workspace_id, _T.state == _ACTIVE, _T.run_id.in_(of_account))
    )
    return frozenset(connection.execute(statement).scalars())


def add_lease(connection: Connection, lease: RunLease) -> None:
    """The unique index lets one ACTIVE lease of a shard stand; a second is an IntegrityError."""
    connection.execute(insert(run_leases), {"id": lease.id, **_values(lease, lease.created_at_ms)})


def find_lease(connection: Connection, lease_id: str) -> RunLease | None:
    row = connection.execute(select(run_leases).where(_T.id == lease_id)).mappings().first()
    return None if row is None else _lease_of(row)


def list_active(connection: Connection, run_id: str) -> list[RunLease]:
    """In order of their making."""
    statement = select(run_leases).where(_T.run_id == run_id, _T.state == _ACTIVE).order_by(_T.id)
    return [_lease_of(row) for row in connection.execute(statement).mappings()]


def list_expired(connection: Connection, now_ms: int, limit: int) -> list[RunLease]:
    """The oldest first; not locked: look again under the run's lock."""
    statement = (
        select(run_leases)
        .where(_T.state == _ACTIVE, _T.expires_at_ms <= now_ms)
        .order_by(_T.expires_at_ms, _T.id)
        .limit(limit)
    )
    return [_lease_of(row) for row in connection.execute(statement).mappings()]


def list_held_by(connection: Connection, worker_id: str) -> list[RunLease]:
    """Run by run, so that locks are taken in one order."""
    statement = select(run_leases).where(_T.state == _ACTIVE, _T.worker_id == worker_id).order_by(_T.run_id, _T.id)
    return [_lease_of(row) for row in connection.execute(statement).mappings()]


def list_of_run(connection: Connection, run_id: str, limit: int) -> list[RunLease]:
    """The newest first."""
    statement = select(run_leases).where(_T.run_id == run_id).order_by(_T.created_at_ms.desc(), _T.id.desc())
    return [_lease_of(row) for row in connection.execute(statement.limit(limit)).mappings()]


def save_lease(connection: Connection, before: RunLease, after: RunLease, now_ms: int) -> RunLease:
    """Raises LeaseExpired where somebody ended it meanwhile."""
    saved = replace(after, version=before.version + 1)
    same = {"same_id": before.id, "same_state": before.state.value, "same_version": before.version}
    if connection.execute(_SAVE, {**_values(saved, now_ms), **same}).rowcount != 1:
        raise LeaseExpired(f"lease {before.id} was ended at the same moment; stop now and keep the journal")
    return saved


def _values(lease: RunLease, now_ms: int) -> dict[str, Any]:
    return {
        "workspace_id": lease.workspace_id,
        "run_id": lease.run_id,
        "shard_id": lease.shard_id,
        "worker_id": lease.worker_id,
        "epoch": lease.epoch,
        "token_hash": lease.token_hash,
        "state": lease.state.value,
        "concurrency": lease.concurrency,
        "expires_at_ms": lease.expires_at_ms,
        "acked_at_ms": lease.acked_at_ms,
        "event_sequence": lease.event_sequence,
        "command_sequence": lease.command_sequence,
        "version": lease.version,
        "created_at_ms": lease.created_at_ms,
        "updated_at_ms": now_ms,
    }


def _lease_of(row: RowMapping | Mapping[str, Any]) -> RunLease:
    return RunLease(
        id=row["id"],
        workspace_id=row["workspace_id"],
        run_id=row["run_id"],
        shard_id=row["shard_id"],
        worker_id=row["worker_id"],
        epoch=row["epoch"],
        token_hash=row["token_hash"],
        state=LeaseState(row["state"]),
        concurrency=row["concurrency"],
        expires_at_ms=row["expires_at_ms"],
        acked_at_ms=row["acked_at_ms"],
        event_sequence=row["event_sequence"],
        command_sequence=row["command_sequence"],
        version=row["version"],
        created_at_ms=row["created_at_ms"],
    )
