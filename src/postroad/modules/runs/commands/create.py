"""A frozen plan becomes a run that waits for a worker."""

from dataclasses import dataclass
from typing import Any

from postroad.kernel.uow import UnitOfWork
from postroad.modules.runs.commands.change import STATE, RunChange
from postroad.modules.runs.model import Run, Shard
from postroad.modules.runs.parts.plan import RunPlan
from postroad.modules.runs.ports import WORK_TOPIC, RunSurroundings
from postroad.modules.runs.store import lease_rows, record_rows, run_rows
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.errors import AccountingBroken
from postroad.vocabulary.events import EventName
from postroad.vocabulary.refusals import VersionConflict
from postroad.vocabulary.transitions import RunState


@dataclass(frozen=True, slots=True)
class NewRun:
    """Whoever makes it has authorised it, locked what it goes back to and frozen the plan."""

    plan: RunPlan
    reason: str = ""
    schedule_id: str | None = None
    fire_at_ms: int | None = None
    confirmation_id: str | None = None
    """Opens one run and no second."""


def add_run(uow: UnitOfWork, new: NewRun, around: RunSurroundings) -> Run:
    """Run, snapshot, shards, first event, outbox event: all or nothing with the caller's transaction.

    Raises VersionConflict where the confirmation or the firing opened a run already, AccountingBroken for ranges with
    gaps.
    """
    plan = new.plan
    _check_ranges(plan)
    run = _run_of(uow, new)
    lease_rows.open_lane(uow.connection, uow.dialect_name, plan.workspace_id)
    if not run_rows.add_run(uow.connection, run, _shards(uow, plan), new.confirmation_id):
        raise _made_already(uow, new)
    record_rows.add_snapshot(uow.connection, plan)
    change = RunChange(uow, around, run)
    change.note(STATE, {"from": "", "to": RunState.PENDING.value, "reason": new.reason})
    saved = change.save()
    change.emit(EventName.RUN_CREATED, _created_json(saved, plan, new))
    uow.after_commit(lambda: around.hint(WORK_TOPIC, ""))
    return saved


def _made_already(uow: UnitOfWork, new: NewRun) -> VersionConflict:
    started = None
    if new.confirmation_id is not None:
        started = run_rows.find_by_confirmation(uow.connection, new.confirmation_id)
    if started is not None:
        said = f"this confirmation started run {started} already; confirm again to send once more"
        return VersionConflict(said, head={"runId": started})
    return VersionConflict("this fire time of the schedule started a run already", head={})


def _run_of(uow: UnitOfWork, new: NewRun) -> Run:
    plan = new.plan
    concurrency: dict[str, int] = plan.policies["concurrency"]
    return Run(
        id=plan.run_id,
        workspace_id=plan.workspace_id,
        job_id=plan.job_id,
        job_name=plan.job_name,
        snapshot_id=plan.snapshot_id,
        provider_id=plan.provider_id,
        account_id=plan.account.account_id,
        created_by=uow.principal.actor,
        dry_run=plan.dry_run,
        reason=new.reason,
        counts=Counts(total=plan.total),
        concurrency=concurrency["target"],
        concurrency_min=concurrency["min"],
        concurrency_max=concurrency["max"],
        shard_count=len(plan.shards),
        pending_shards=len(plan.shards),
        open_shards=len(plan.shards),
        source_run_id=plan.source.run_id if plan.source else None,
        source_outcomes=tuple(outcome.value for outcome in plan.source.outcomes) if plan.source else (),
        schedule_id=new.schedule_id,
        fire_at_ms=new.fire_at_ms,
        created_at_ms=uow.now_ms,
        updated_at_ms=uow.now_ms,
    )


def _check_ranges(plan: RunPlan) -> None:
    ends = [0, *(end for _, end in plan.shards)]
    starts = [first for first, _ in plan.shards]
    if not plan.shards or starts != ends[:-1] or ends[-1] != plan.total or any(a >= b for a, b in plan.shards):
        raise AccountingBroken(f"the shards {plan.shards} do not cover {plan.total} recipients once each")


def _shards(uow: UnitOfWork, plan: RunPlan) -> list[Shard]:
    return [
        Shard(
            id=uow.new_id(),
            run_id=plan.run_id,
            workspace_id=plan.workspace_id,
            number=number,
            first=first,
            end=end,
            counts=Counts(total=end - first),
        )
        for number, (first, end) in enumerate(plan.shards)
    ]


def _created_json(run: Run, plan: RunPlan, new: NewRun) -> dict[str, Any]:
    return {
        "snapshotId": plan.snapshot_id,
        "hash": plan.hash,
        "providerId": plan.provider_id,
        "accountId": plan.account.account_id,
        "messageId": plan.message.message_id,
        "messageRevision": plan.message.revision,
        "audienceSnapshotId": plan.audience.snapshot_id,
        "total": plan.total,
        "dryRun": plan.dry_run,
        "sourceRunId": run.source_run_id,
        "scheduleId": new.schedule_id,
        "fireAtMs": new.fire_at_ms,
    }
