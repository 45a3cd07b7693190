"""A worker keeps its leases: it acknowledges each, renews all at intervals, and may give one back."""

from collections.abc import Sequence

from postroad.kernel.uow import UnitOfWork
from postroad.modules.runs.commands.change import SHARD
from postroad.modules.runs.commands.orders import deliver, settle_applied, take_answers
from postroad.modules.runs.commands.shards import LeasedWork, shard_json
from postroad.modules.runs.model import LeaseState
from postroad.modules.runs.parts.exchange import CommandAnswer, Renewal, RenewalAsk
from postroad.modules.runs.parts.leasing import ShardFence
from postroad.modules.runs.parts.sharing import Reserved, next_grant
from postroad.modules.runs.ports import RunSurroundings
from postroad.modules.runs.store import lease_rows
from postroad.vocabulary.refusals import LeaseExpired
from postroad.vocabulary.transitions import RunEvent


def acknowledge(uow: UnitOfWork, fence: ShardFence, around: RunSurroundings) -> Renewal:
    """The worker begins: only now may it open the journal. Said twice it is done once. Raises LeaseExpired."""
    work = LeasedWork(uow, around, fence)
    work.lease.require(fence, uow.now_ms, acknowledged=False)
    if work.lease.acked_at_ms is None:
        work.save_lease(acked_at_ms=uow.now_ms, expires_at_ms=uow.now_ms + around.rules.lease_for_ms)
        work.move_shard((RunEvent.START,), begun=True)
        work.change.note(SHARD, shard_json(work.shard, "begun"))
        work.change.follow(work.shards)
        settle_applied(uow, work.change)
    return _renewal(work)


def renew(uow: UnitOfWork, asks: Sequence[RenewalAsk], around: RunSurroundings) -> list[Renewal]:
    """One answer for each, in the order asked.

    A lease that is over is answered `is_lost`, not raised: its neighbours go on.
    """
    lanes = _growing_lanes(uow, asks, around)
    answers = {
        ask.fence.lease_id: _renew(uow, ask, around, lanes)
        for ask in sorted(asks, key=lambda ask: (ask.fence.run_id, ask.fence.lease_id))
    }
    return [answers[ask.fence.lease_id] for ask in asks]


def release(uow: UnitOfWork, fence: ShardFence, around: RunSurroundings, reason: str = "", *, wait_ms: int = 0) -> None:
    """Gives a shard back before its end: it goes on elsewhere, at once or after `wait_ms`. Raises LeaseExpired."""
    work = LeasedWork(uow, around, fence)
    work.lease.require(fence, uow.now_ms, acknowledged=False)
    if wait_ms:
        work.change.set(not_before_ms=uow.now_ms + wait_ms)
    work.give_back(reason or "given back by its worker", LeaseState.RELEASED)
    work.change.save()


def _renew(uow: UnitOfWork, ask: RenewalAsk, around: RunSurroundings, lanes: dict[str, int]) -> Renewal:
    try:
        work = LeasedWork(uow, around, ask.fence)
        work.lease.require(ask.fence, uow.now_ms)
    except LeaseExpired:
        return Renewal(ask.fence.lease_id, is_lost=True)
    room = min(ask.room, lanes.get(work.lease.workspace_id, 0))
    leases = lease_rows.list_active(uow.connection, work.lease.run_id)
    reserved = [Reserved(lease.id, lease.concurrency) for lease in leases]
    concurrency = next_grant(work.change.run.concurrency, work.lease.id, reserved, room)
    if work.lease.workspace_id in lanes:
        lanes[work.lease.workspace_id] -= max(0, concurrency - work.lease.concurrency)
    work.save_lease(
        expires_at_ms=uow.now_ms + around.rules.lease_for_ms,
        concurrency=concurrency,
        command_sequence=max(work.lease.command_sequence, *(answer.sequence for answer in _known(work, ask.answers))),
    )
    take_answers(uow, work.change, ask.answers)
    settle_applied(uow, work.change)
    return _renewal(work)


def _known(work: LeasedWork, answers: Sequence[CommandAnswer]) -> list[CommandAnswer]:
    """With one at least, so that there is a greatest; a number that no command has yet counts for nothing."""
    sound = [answer for answer in answers if answer.sequence <= work.change.run.command_sequence]
    return [*sound, CommandAnswer("", 0, applied=True)]


def _renewal(work: LeasedWork) -> Renewal:
    orders = deliver(work.uow, work.change, work.lease)
    work.change.save()
    return Renewal(
        work.lease.id,
        is_lost=False,
        expires_at_ms=work.lease.expires_at_ms,
        concurrency=work.lease.concurrency,
        commands=orders,
    )


def _growing_lanes(uow: UnitOfWork, asks: Sequence[RenewalAsk], around: RunSurroundings) -> dict[str, int]:
    """What is left of each workspace's limit, where its lane could be locked: only there may a lease grow.

    Lanes are locked before runs, as everywhere.
    """
    left: dict[str, int] = {}
    found = [lease_rows.find_lease(uow.connection, ask.fence.lease_id) for ask in asks if ask.room > 0]
    for workspace_id in sorted({lease.workspace_id for lease in found if lease is not None}):
        if lease_rows.lock_lane(uow.connection, workspace_id):
            limit = around.quotas.quota_of(uow, workspace_id).total_concurrency
            usage = lease_rows.usage_of(uow.connection, workspace_id)
            left[workspace_id] = limit - usage.concurrency if limit else max(ask.room for ask in asks)
    return left
