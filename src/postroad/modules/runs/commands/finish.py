"""Shards end, then their run.

A shard ends with the account of its worker, which must add up. When all have ended, one worker at a time exports the
results; `end_run` compares them with the sums of the shards and sets the final state, once. A kill between the two
leaves a run to which the next worker does the same; a kill after `end_run` leaves nothing to do.
"""

from dataclasses import asdict

from postroad.kernel.uow import UnitOfWork
from postroad.modules.runs.commands.change import SHARD, RunChange
from postroad.modules.runs.commands.orders import note_command, settle_applied, settle_at_end
from postroad.modules.runs.commands.shards import LeasedWork, settle, shard_json
from postroad.modules.runs.model import CommandKind, LeaseState, Run, Shard, WantsEnd, ending, ending_of_shard
from postroad.modules.runs.parts.exchange import RunEnd, RunToEnd, ShardEnd
from postroad.modules.runs.ports import COMMANDS_TOPIC, RunSurroundings
from postroad.modules.runs.store import record_rows, run_rows
from postroad.modules.runs.store.record_rows import CommandRow
from postroad.vocabulary.counts import Counts, add_counts
from postroad.vocabulary.errors import AccountingBroken
from postroad.vocabulary.outcomes import RUN_FATAL
from postroad.vocabulary.transitions import RunState

_FATAL = frozenset(category.value for category in RUN_FATAL)
MOST_SUPPRESSED = 50
FAILED_ELSEWHERE = "another shard of the run failed"


def finish_shard(uow: UnitOfWork, end: ShardEnd, around: RunSurroundings) -> Run:
    """The worker is done with the shard; its lease ends. Raises LeaseExpired, AccountingBroken where sums are wrong.

    A shard that FAILED ends the run: the others are told to stop, those nobody began are ended on the spot.
    """
    work = LeasedWork(uow, around, end.fence)
    work.lease.require(end.fence, uow.now_ms)
    if end.state is RunState.LOST:
        work.give_back(end.reason or "stopped hard", LeaseState.RELEASED)
        return work.change.save()
    shard, change = work.shard, work.change
    end.counts.check(shard.total, f"shard {shard.number} of run {change.run.id}")
    work.save_lease(state=LeaseState.RELEASED)
    failure = end.category.value if end.category is not None and end.state is RunState.FAILED else ""
    work.move_shard(ending_of_shard(shard, end.state, end.counts), end.reason, counts=end.counts, failure=failure)
    change.note(
        SHARD,
        shard_json(work.shard, "ended", end.reason) | {"state": work.shard.state.value},
        severity="ERROR" if end.state is RunState.FAILED else "INFO",
    )
    if end.suppressed_errors:
        change.set(suppressed_errors=(*change.run.suppressed_errors, *end.suppressed_errors)[:MOST_SUPPRESSED])
    if end.state is RunState.FAILED and change.run.wants_end is WantsEnd.NO:
        _stop_others(work, end.reason)
    change.follow(work.shards)
    settle(uow, around, change, work.shards)
    settle_applied(uow, change)
    return change.save()


def claim_runs_to_end(
    uow: UnitOfWork, worker_id: str, around: RunSurroundings, limit: int = 1, *, keeps_journals: bool = False
) -> list[RunToEnd]:
    """Runs whose results this worker makes now. Another worker gets them when it has not said so in time, unless the
    journals are with the one that began them (`keeps_journals`)."""
    until = uow.now_ms + around.rules.ending_for_ms
    found = run_rows.claim_runs_to_end(uow.connection, worker_id, uow.now_ms, until, limit, own_only=keeps_journals)
    claimed = []
    for run in found:
        shards = run_rows.list_shards(uow.connection, run.id)
        ended = run
        for event in ending(run, shards):
            ended = ended.moved(event, uow.now_ms)
        claimed.append(
            RunToEnd(
                run_id=run.id,
                workspace_id=run.workspace_id,
                plan=record_rows.get_plan(uow.connection, run.id),
                counts=add_counts(shard.counts for shard in shards),
                epochs=tuple(shard.epoch if shard.begun else 0 for shard in shards),
                until_ms=until,
                state=ended.state,
                reason=_reason(run, shards),
                started_at_ms=run.started_at_ms or run.created_at_ms,
                ended_at_ms=ended.ended_at_ms or uow.now_ms,
                suppressed_errors=run.suppressed_errors,
            )
        )
    return claimed


def end_run(uow: UnitOfWork, end: RunEnd, around: RunSurroundings) -> Run:
    """Sets the final state, once; said again it changes nothing and gives the run as it ended.

    Raises AccountingBroken where results and shards disagree (the run stays open), ArtifactNotReady, RunStateConflict
    while a shard is open.
    """
    run = run_rows.lock_run(uow.connection, end.run_id)
    if run.is_final and not run.results_wanted:
        return run
    shards = run_rows.list_shards(uow.connection, run.id)
    fold = add_counts(shard.counts for shard in shards)
    events = ending(run, shards)
    _compare(run, fold, end.counts)
    around.artifacts.require_ready(uow, run.workspace_id, [fact.artifact_id for fact in end.artifacts.values()])
    change = RunChange(uow, around, run)
    change.set(
        counts=fold,
        results_wanted=False,
        artifacts={
            name: {"id": fact.artifact_id, "sha256": fact.sha256, "sizeBytes": fact.size_bytes}
            for name, fact in end.artifacts.items()
        },
    )
    change.move(events, _reason(run, shards))
    settle_at_end(uow, change)
    failed = any(shard.failure in _FATAL for shard in shards)
    if any(shard.begun for shard in shards) and not run.dry_run and (failed or fold.succeeded):
        around.circuits.run_ended(uow, run.workspace_id, run.account_id, run.id, authentication_failed=failed)
    return change.save()


def _compare(run: Run, fold: Counts, exported: Counts) -> None:
    fold.check(run.counts.total, f"run {run.id}")
    told = ("total", "succeeded", "failed", "unknown", "unsent", "skipped")
    ours, theirs = asdict(fold), asdict(exported)
    differing = {name: (ours[name], theirs[name]) for name in told if ours[name] != theirs[name]}
    if differing:
        raise AccountingBroken(
            f"run {run.id}: (shards, results) disagree about {differing}; it is not reported as ended"
        )


def _reason(run: Run, shards: list[Shard]) -> str:
    said = dict.fromkeys(shard.reason for shard in shards if shard.state is RunState.FAILED and shard.reason)
    return "; ".join(said) or run.end_reason or "; ".join(dict.fromkeys(s.reason for s in shards if s.reason))


def _stop_others(work: LeasedWork, reason: str) -> None:
    """As a command of the service itself, so that workers hear of it with their next renewal."""
    change, uow = work.change, work.uow
    sequence = change.run.command_sequence + 1
    change.set(wants_end=WantsEnd.FAILURE, end_reason=reason or FAILED_ELSEWHERE, command_sequence=sequence)
    command = CommandRow(
        id=uow.new_id(),
        workspace_id=change.run.workspace_id,
        run_id=change.run.id,
        sequence=sequence,
        kind=CommandKind.CANCEL,
        payload={"reason": FAILED_ELSEWHERE},
        created_by="system:runs",
        created_at_ms=uow.now_ms,
    )
    record_rows.add_command(uow.connection, command)
    note_command(change, command)
    run_id = change.run.id
    uow.after_commit(lambda: work.around.hint(COMMANDS_TOPIC, run_id))
