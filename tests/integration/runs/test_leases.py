"""Leases: one of a shard at a time, an old fence opens nothing, the database's time decides."""

import threading
from collections.abc import Callable

import pytest
from tests.builders.databases import Databases
from tests.builders.runs import RunRoom, ask, counts

from postroad.kernel.uow import UnitOfWork
from postroad.modules import runs
from postroad.modules.runs import LeasedShard, LeaseState, ShardFence
from postroad.vocabulary.refusals import LeaseExpired
from postroad.vocabulary.transitions import RunState


def test_a_lost_shard_goes_on_elsewhere_under_the_next_epoch(room: RunRoom) -> None:
    run = room.add(10)
    room.begun("worker-1")
    room.databases.clock.advance(s=30)

    assert room.expire() == 1

    assert room.states(run.id) == ["PENDING", "LEASED", "RUNNING", "LOST", "RECOVERING", "PENDING"]
    second = room.claim_one("worker-2")
    assert (second.fence.epoch, second.has_begun) == (2, True)
    assert [lease.state for lease in room.leases(run.id)] == [LeaseState.ACTIVE, LeaseState.EXPIRED]
    assert room.meters.expired == 1


def test_a_lease_that_was_not_acknowledged_goes_back(room: RunRoom) -> None:
    run = room.add(10)
    room.claim_one()
    room.databases.clock.advance(s=30)

    assert room.expire() == 1

    assert room.states(run.id) == ["PENDING", "LEASED", "PENDING"]
    assert not room.claim_one("worker-2").has_begun


def test_nothing_expires_before_its_time(room: RunRoom) -> None:
    room.add(10)
    leased = room.begun()
    room.databases.clock.advance(s=29)
    room.renew(ask(leased))
    room.databases.clock.advance(s=29)

    assert room.expire() == 0


Write = Callable[[RunRoom, LeasedShard], object]
WRITES: dict[str, Write] = {
    "acknowledge": lambda room, leased: room.begin(leased),
    "report": lambda room, leased: room.report(leased, [1], counts(10, succeeded=1)),
    "finish": lambda room, leased: room.finish(leased, counts(10, succeeded=10)),
    "release": lambda room, leased: room.write(lambda uow: runs.release(uow, leased.fence, room.around)),
}


@pytest.mark.parametrize("name", WRITES)
def test_every_write_of_a_worker_that_was_replaced_is_refused(room: RunRoom, name: str) -> None:
    run = room.add(10)
    old = room.begun("worker-1")
    room.databases.clock.advance(s=30)
    room.expire()
    room.begun("worker-2")
    before = (room.run(run.id), room.shards(run.id), room.events(run.id))

    with pytest.raises(LeaseExpired):
        WRITES[name](room, old)

    assert (room.run(run.id), room.shards(run.id), room.events(run.id)) == before
    assert room.renew(ask(old))[0].is_lost


@pytest.mark.parametrize("name", WRITES)
def test_a_lease_whose_time_is_over_is_refused_even_before_it_is_swept(room: RunRoom, name: str) -> None:
    room.add(10)
    leased = room.begun()
    room.databases.clock.advance(s=30)

    with pytest.raises(LeaseExpired):
        WRITES[name](room, leased)
    assert room.renew(ask(leased))[0].is_lost


def test_a_guessed_token_opens_nothing(room: RunRoom) -> None:
    room.add(10)
    leased = room.begun()
    right = leased.fence
    for wrong in (
        ShardFence(right.lease_id, right.run_id, right.shard_id, right.epoch, "guessed"),
        ShardFence(right.lease_id, right.run_id, right.shard_id, right.epoch + 1, right.token),
        ShardFence(right.lease_id, right.run_id, "another", right.epoch, right.token),
        ShardFence("another", right.run_id, right.shard_id, right.epoch, right.token),
        ShardFence(right.lease_id, "another", right.shard_id, right.epoch, right.token),
    ):
        with pytest.raises(LeaseExpired):
            room.write(lambda uow, wrong=wrong: runs.acknowledge(uow, wrong, room.around))


def test_a_fence_prints_no_token(room: RunRoom) -> None:
    room.add(10)
    leased = room.claim_one()

    assert leased.fence.token not in repr(leased)


def test_a_shard_that_is_given_back_goes_on_at_once(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()

    room.write(lambda uow: runs.release(uow, leased.fence, room.around, "the service stops"))

    assert room.run(run.id).state is RunState.PENDING
    assert room.claim_one("worker-2").fence.epoch == 2


def test_a_worker_that_stopped_hard_gives_its_shard_back(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()

    room.finish(leased, counts(10, succeeded=3), RunState.LOST, reason="JOURNAL: the disk is full")

    assert room.run(run.id).state is RunState.PENDING
    assert room.claim_one("worker-2").has_begun


def test_a_run_goes_on_while_one_of_its_shards_is_worked_on(room: RunRoom) -> None:
    run = room.add(20, shards=2)
    first, second = room.claim()
    room.begin(first)
    room.begin(second)
    room.databases.clock.advance(s=20)
    room.renew(ask(second))
    room.databases.clock.advance(s=15)

    room.expire()

    assert room.run(run.id).state is RunState.RUNNING
    assert [shard.state for shard in room.shards(run.id)] == [RunState.PENDING, RunState.RUNNING]
    assert "LOST" not in room.states(run.id)


def test_a_lost_lease_among_others_does_not_disturb_a_renewal(room: RunRoom) -> None:
    room.add(20, shards=2)
    first, second = room.claim()
    room.begin(first)
    room.begin(second)
    room.databases.clock.advance(s=20)
    room.renew(ask(second))
    room.databases.clock.advance(s=15)
    room.expire()

    lost, kept = room.renew(ask(first), ask(second))

    assert (lost.is_lost, kept.is_lost) == (True, False)


def test_two_claimers_at_once_get_each_shard_once(databases: Databases) -> None:
    room = RunRoom(databases)
    for _ in range(4):
        room.add(100, shards=5, concurrency=(1, 64, 64))
    claimed: list[LeasedShard] = []
    failures: list[BaseException] = []
    start = threading.Barrier(4)

    def work(name: str) -> None:
        start.wait()
        try:
            for _ in range(8):
                claimed.extend(room.claim(2, worker=name))
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f"worker-{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    while more := room.claim(2, worker="late"):
        claimed.extend(more)
    shards = [leased.fence.shard_id for leased in claimed]
    assert len(shards) == len(set(shards)) == 20
    assert {leased.fence.epoch for leased in claimed} == {1}


def test_the_index_lets_no_second_active_lease_stand(room: RunRoom) -> None:
    from dataclasses import replace

    from sqlalchemy.exc import IntegrityError

    from postroad.modules.runs.store import lease_rows

    run = room.add(10)
    room.claim_one()
    (lease,) = room.leases(run.id)

    def second(uow: UnitOfWork) -> None:
        lease_rows.add_lease(uow.connection, replace(lease, id="second", epoch=2))

    with pytest.raises(IntegrityError):
        room.write(second)
