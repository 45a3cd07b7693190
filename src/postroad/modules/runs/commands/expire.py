"""Leases run out: whoever held them is taken for gone, and the shard goes on elsewhere.

The time of the database decides. The worker, if it still lives, finds its fence refused with its next write and stops;
what it sent meanwhile stands in its journal, which the next worker of the shard reads first.
"""

from postroad.kernel.uow import UnitOfWork
from postroad.modules.runs.commands.shards import LeasedWork
from postroad.modules.runs.model import LeaseState
from postroad.modules.runs.parts.leasing import RunLease, ShardFence
from postroad.modules.runs.ports import WORK_TOPIC, RunSurroundings
from postroad.modules.runs.store import lease_rows, run_rows


def expire_leases(uow: UnitOfWork, around: RunSurroundings, limit: int = 20) -> int:
    """Ends at most `limit` leases whose time is over; how many. Call again at once while it gives `limit`.

    A run that somebody else writes just now is left for the next time.
    """
    ended = 0
    for lease in lease_rows.list_expired(uow.connection, uow.now_ms, limit):
        if run_rows.lock_run_unless_busy(uow.connection, lease.run_id) is None:
            continue
        work = LeasedWork(uow, around, _fence(lease))
        if work.lease.state is not LeaseState.ACTIVE or uow.now_ms < work.lease.expires_at_ms:
            continue
        reason = "its worker is gone" if work.lease.acked_at_ms is not None else "its worker did not acknowledge it"
        work.give_back(reason, LeaseState.EXPIRED)
        work.change.save()
        ended += 1
    if ended:
        uow.after_commit(lambda: around.meters.leases_expired(ended))
    return ended


def forget_worker(uow: UnitOfWork, worker_id: str, around: RunSurroundings) -> int:
    """Ends all leases of a worker that is certainly gone, before their time; how many. Runs whose results it was
    making may be claimed again.

    Only for a worker whose processes cannot live any more: the host of a data folder, started anew under its lock.
    """
    ended = 0
    for lease in lease_rows.list_held_by(uow.connection, worker_id):
        work = LeasedWork(uow, around, _fence(lease))
        if work.lease.state is LeaseState.ACTIVE:
            work.give_back("its worker was started anew", LeaseState.EXPIRED)
            work.change.save()
            ended += 1
    if run_rows.let_endings_go(uow.connection, worker_id):
        uow.after_commit(lambda: around.hint(WORK_TOPIC, ""))
    return ended


def _fence(lease: RunLease) -> ShardFence:
    """A name for the lease; it opens nothing, for nobody knows the token."""
    return ShardFence(lease.id, lease.run_id, lease.shard_id, lease.epoch, "")
