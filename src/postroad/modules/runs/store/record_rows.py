"""What is written once: snapshots and events; and commands, which only their state changes."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, RowMapping, delete, func, insert, select, update

from postroad.kernel.tables import canonical_json
from postroad.modules.runs._tables import run_commands, run_events, run_snapshots, runs
from postroad.modules.runs.model import COMMAND_FINAL, CommandKind, CommandState
from postroad.modules.runs.parts.plan import RunPlan, plan_of
from postroad.vocabulary.refusals import ResourceNotFound, StateConflict

_COMMAND_FINAL = tuple(sorted(COMMAND_FINAL))


@dataclass(frozen=True, slots=True)
class RunEventRow:
    run_id: str
    workspace_id: str
    sequence: int
    type: str
    severity: str
    payload: Mapping[str, Any]
    occurred_at_ms: int


@dataclass(frozen=True, slots=True)
class CommandRow:
    id: str
    workspace_id: str
    run_id: str
    sequence: int
    kind: CommandKind
    payload: Mapping[str, str | int]
    created_by: str
    created_at_ms: int
    state: CommandState = CommandState.ACCEPTED
    message: str = ""
    delivered_at_ms: int | None = None
    settled_at_ms: int | None = None
    version: int = 1


def add_snapshot(connection: Connection, plan: RunPlan) -> None:
    document = canonical_json(plan.to_json())
    connection.execute(
        insert(run_snapshots).values(
            id=plan.snapshot_id,
            workspace_id=plan.workspace_id,
            run_id=plan.run_id,
            provider_id=plan.provider_id,
            provider_version=plan.provider_version,
            account_id=plan.account.account_id,
            message_id=plan.message.message_id,
            message_revision=plan.message.revision,
            audience_id=plan.audience.audience_id,
            audience_snapshot_id=plan.audience.snapshot_id,
            audience_artifact_id=plan.audience.artifact_id,
            audience_sha256=plan.audience.sha256,
            hash=plan.hash,
            document=document,
            document_sha256=hashlib.sha256(document.encode()).hexdigest(),
            created_at_ms=plan.frozen_at_ms,
        )
    )


def get_plan(connection: Connection, run_id: str) -> RunPlan:
    """Raises StateConflict where the row is not what was frozen: nothing may be sent by it."""
    c = run_snapshots.c
    row = connection.execute(select(c.document, c.document_sha256, c.hash).where(c.run_id == run_id)).first()
    if row is None:
        raise ResourceNotFound("this run has no snapshot")
    changed = hashlib.sha256(row.document.encode()).hexdigest() != row.document_sha256
    plan = None if changed else plan_of(json.loads(row.document))
    if plan is None or plan.hash != row.hash:
        raise StateConflict(f"the snapshot of run {run_id} was changed after it was frozen; nothing is sent by it")
    return plan


def find_same(connection: Connection, workspace_id: str, hash_hex: str) -> str | None:
    """The newest run with this confirmation hash that was no dry run."""
    c = run_snapshots.c
    statement = (
        select(c.run_id)
        .join(runs, runs.c.id == c.run_id)
        .where(c.workspace_id == workspace_id, c.hash == hash_hex, runs.c.dry_run.is_(False))
        .order_by(c.created_at_ms.desc(), c.run_id.desc())
        .limit(1)
    )
    found: str | None = connection.execute(statement).scalar()
    return found


def is_snapshot_used(connection: Connection, audience_snapshot_id: str) -> bool:
    """Whether a run that has not made its results yet reads this snapshot."""
    c = run_snapshots.c
    statement = (
        select(c.run_id)
        .join(runs, runs.c.id == c.run_id)
        .where(c.audience_snapshot_id == audience_snapshot_id, runs.c.results_wanted)
        .limit(1)
    )
    return connection.execute(statement).first() is not None


def add_events(connection: Connection, rows: Sequence[RunEventRow]) -> None:
    if rows:
        connection.execute(
            insert(run_events),
            [
                {
                    "run_id": row.run_id,
                    "workspace_id": row.workspace_id,
                    "sequence": row.sequence,
                    "type": row.type,
                    "severity": row.severity,
                    "payload": dict(row.payload),
                    "occurred_at_ms": row.occurred_at_ms,
                }
                for row in rows
            ],
        )


def list_events(connection: Connection, run_id: str, after: int, limit: int) -> list[RunEventRow]:
    """Oldest first, from behind `after`."""
    c = run_events.c
    statement = select(run_events).where(c.run_id == run_id, c.sequence > after).order_by(c.sequence).limit(limit)
    return [RunEventRow(**row) for row in connection.execute(statement).mappings()]


def delete_events_before(connection: Connection, before_ms: int, limit: int) -> dict[str, int]:
    """Deletes at most `limit` events of runs that have ended; for each run that lost some, the newest that is gone."""
    c = run_events.c
    due = connection.execute(
        select(c.run_id, c.sequence)
        .join(runs, runs.c.id == c.run_id)
        .where(c.occurred_at_ms < before_ms, runs.c.ended_at_ms.is_not(None))
        .order_by(c.occurred_at_ms, c.run_id, c.sequence)
        .limit(limit)
    ).all()
    gone: dict[str, int] = {}
    for run_id, sequence in due:
        gone[run_id] = max(gone.get(run_id, 0), sequence)
    for run_id, newest in gone.items():
        connection.execute(delete(run_events).where(c.run_id == run_id, c.sequence <= newest))
        connection.execute(update(runs).where(runs.c.id == run_id).values(events_from=newest + 1))
    return gone


def add_command(connection: Connection, command: CommandRow) -> None:
    connection.execute(
        insert(run_commands).values(
            id=command.id,
            workspace_id=command.workspace_id,
            run_id=command.run_id,
            sequence=command.sequence,
            kind=command.kind.value,
            payload=dict(command.payload),
            state=command.state.value,
            message=command.message,
            created_by=command.created_by,
            delivered_at_ms=command.delivered_at_ms,
            settled_at_ms=command.settled_at_ms,
            version=command.version,
            created_at_ms=command.created_at_ms,
            updated_at_ms=command.created_at_ms,
        )
    )


def get_command(connection: Connection, command_id: str) -> CommandRow:
    row = connection.execute(select(run_commands).where(run_commands.c.id == command_id)).mappings().one()
    return _command_of(row)


def save_command(connection: Connection, before: CommandRow, after: CommandRow, now_ms: int) -> CommandRow:
    saved = replace(after, version=before.version + 1)
    c = run_commands.c
    connection.execute(
        update(run_commands)
        .where(c.id == before.id, c.version == before.version)
        .values(
            state=saved.state.value,
            message=saved.message,
            delivered_at_ms=saved.delivered_at_ms,
            settled_at_ms=saved.settled_at_ms,
            version=saved.version,
            updated_at_ms=now_ms,
        )
    )
    return saved


def list_open_commands(connection: Connection, run_id: str) -> list[CommandRow]:
    """Neither applied nor rejected, in order of sequence."""
    c = run_commands.c
    statement = select(run_commands).where(c.run_id == run_id, c.state.not_in(_COMMAND_FINAL)).order_by(c.sequence)
    return [_command_of(row) for row in connection.execute(statement).mappings()]


def list_commands(connection: Connection, run_id: str, limit: int) -> list[CommandRow]:
    """The newest first."""
    c = run_commands.c
    statement = select(run_commands).where(c.run_id == run_id).order_by(c.sequence.desc()).limit(limit)
    return [_command_of(row) for row in connection.execute(statement).mappings()]


def count_events(connection: Connection, run_id: str) -> int:
    return connection.execute(
        select(func.count()).select_from(run_events).where(run_events.c.run_id == run_id)
    ).scalar_one()


def _command_of(row: RowMapping) -> CommandRow:
    return CommandRow(
        id=row["id"],
        workspace_id=row["workspace_id"],
        run_id=row["run_id"],
        sequence=row["sequence"],
        kind=CommandKind(row["kind"]),
        payload=row["payload"],
        created_by=row["created_by"],
        created_at_ms=row["created_at_ms"],
        state=CommandState(row["state"]),
        message=row["message"],
        delivered_at_ms=row["delivered_at_ms"],
        settled_at_ms=row["settled_at_ms"],
        version=row["version"],
    )
