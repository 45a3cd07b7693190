"""Shards being moved, always under the lock of their run."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from postroad.kernel.uow import UnitOfWork
from postroad.modules.runs.commands.change import SHARD, RunChange
from postroad.modules.runs.model import LEASED_OUT, LeaseState, Shard, WantsEnd, ending
from postroad.modules.runs.parts.leasing import RunLease, ShardFence, gone
from postroad.modules.runs.ports import WORK_TOPIC, RunSurroundings
from postroad.modules.runs.store import lease_rows, run_rows
from postroad.vocabulary.counts import all_unsent
from postroad.vocabulary.refusals import ResourceNotFound
from postroad.vocabulary.transitions import RUN_FINAL, RunEvent, RunState


class LeasedWork:
    """A run under its lock, one of its leases and the shards: what every write of a worker works on."""

    def __init__(self, uow: UnitOfWork, around: RunSurroundings, fence: ShardFence) -> None:
        """Raises LeaseExpired where there is no such lease any more. Check the fence with `lease.require`."""
        self.uow = uow
        self.around = around
        try:
            locked = run_rows.lock_run(uow.connection, fence.run_id)
        except ResourceNotFound:
            raise gone(fence) from None
        lease = lease_rows.find_lease(uow.connection, fence.lease_id)
        if lease is None or lease.run_id != fence.run_id:
            raise gone(fence)
        self.change = RunChange(uow, around, locked)
        self.lease: RunLease = lease
        self.shards = run_rows.list_shards(uow.connection, fence.run_id)

    @property
    def shard(self) -> Shard:
        return next(shard for shard in self.shards if shard.id == self.lease.shard_id)

    def move_shard(self, events: Iterable[RunEvent], reason: str = "", **changes: Any) -> None:
        self.shards = move_shard(self.uow, self.shards, self.shard, events, reason, **changes)

    def save_lease(self, **changes: Any) -> None:
        self.lease = lease_rows.save_lease(
            self.uow.connection, self.lease, replace(self.lease, **changes), self.uow.now_ms
        )

    def give_back(self, reason: str, state: LeaseState) -> None:
        """Ends the lease and puts the shard back into the line. A worker that had begun is missed: LOST, RECOVERING."""
        acknowledged = self.lease.acked_at_ms is not None
        self.save_lease(state=state)
        self.change.note(
            SHARD, shard_json(self.shard, "lost" if acknowledged else "unacknowledged", reason), severity="WARNING"
        )
        if acknowledged:
            self.move_shard((RunEvent.LEASE_LOST,), reason)
            self.change.follow(self.shards, reason)
            self.move_shard((RunEvent.RECOVER, RunEvent.REQUEUE), reason)
        else:
            self.move_shard((RunEvent.LEASE_UNACKNOWLEDGED,), reason)
        self.change.follow(self.shards, reason)
        self.shards = settle(self.uow, self.around, self.change, self.shards)
        self.uow.after_commit(lambda: self.around.hint(WORK_TOPIC, ""))


def move_shard(
    uow: UnitOfWork, shards: Sequence[Shard], shard: Shard, events: Iterable[RunEvent], reason: str = "", **changes: Any
) -> list[Shard]:
    """The shards with this one moved through the table, one compare-and-set for each step."""
    now = shard
    for event in events:
        now = run_rows.save_shard(uow.connection, now, replace(now.moved(event, reason), **changes), uow.now_ms)
    if now is shard and changes:
        now = run_rows.save_shard(uow.connection, now, replace(now, **changes), uow.now_ms)
    return [now if other.id == shard.id else other for other in shards]


def settle(uow: UnitOfWork, around: RunSurroundings, change: RunChange, shards: Sequence[Shard]) -> list[Shard]:
    """What follows from a run that is to end: shards that nobody has begun are ended on the spot, everybody unsent.

    Where no shard ever began, the run ends with them. Otherwise it ends when its results are made.
    """
    done = list(shards)
    if change.run.wants_end is not WantsEnd.NO:
        active = {lease.shard_id: lease for lease in lease_rows.list_active(uow.connection, change.run.id)}
        for shard in shards:
            if not shard.begun and shard.state in (RunState.PENDING, RunState.LEASED):
                if shard.id in active:
                    _close(uow, active[shard.id])
                counts = all_unsent(shard.total)
                done = move_shard(uow, done, shard, (RunEvent.CANCEL,), change.run.end_reason, counts=counts)
        change.set(**_sums(change, done))
    if all(shard.state in RUN_FINAL for shard in done):
        if not any(shard.begun for shard in done):
            change.move(ending(change.run, done), change.run.end_reason)
        uow.after_commit(lambda: around.hint(WORK_TOPIC, ""))
    return done


def shard_json(shard: Shard, what: str, reason: str = "") -> dict[str, str | int]:
    return {"shard": shard.number, "what": what, "epoch": shard.epoch, "reason": reason}


def is_worked_on(shard: Shard) -> bool:
    return shard.state in LEASED_OUT


def _sums(change: RunChange, shards: Sequence[Shard]) -> dict[str, Any]:
    folded = change.run.folded(shards)
    return {
        "counts": folded.counts,
        "pending_shards": folded.pending_shards,
        "open_shards": folded.open_shards,
    }


def _close(uow: UnitOfWork, lease: RunLease) -> None:
    lease_rows.save_lease(uow.connection, lease, replace(lease, state=LeaseState.RELEASED), uow.now_ms)
