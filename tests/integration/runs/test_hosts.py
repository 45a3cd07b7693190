"""Workers that keep their journals to themselves: who begins a run goes on with it and ends it."""

from tests.builders.runs import RunRoom, counts

from postroad.modules import runs
from postroad.modules.runs import OTHER_HOST, LeasedShard, WorkerCapacity


def _claim(room: RunRoom, worker: str) -> list[LeasedShard]:
    capacity = WorkerCapacity(worker, 10, 1000, keeps_journals=True)
    return room.write(lambda uow: runs.claim_shards(uow, capacity, room.around))


def test_a_run_that_another_host_began_is_left_to_it(room: RunRoom) -> None:
    run = room.add(10)
    (begun,) = _claim(room, "one")
    room.begin(begun)
    room.write(lambda uow: runs.release(uow, begun.fence, room.around, "stopped"))
    assert _claim(room, "two") == []
    (again,) = _claim(room, "one")
    assert again.fence.run_id == run.id


def test_a_run_that_nobody_began_goes_to_whoever_asks(room: RunRoom) -> None:
    room.add(10)
    (leased,) = _claim(room, "one")
    room.write(lambda uow: runs.release(uow, leased.fence, room.around, "stopped"))
    assert len(_claim(room, "two")) == 1


def test_runs_of_one_account_are_worked_on_by_one_host_at_a_time(room: RunRoom) -> None:
    room.add(10)
    (first,) = _claim(room, "one")
    second = room.add(10)
    assert _claim(room, "two") == []
    assert room.run(second.id).waiting.reason == OTHER_HOST
    room.begin(first)
    room.finish(first, counts(10, succeeded=10))
    (taken,) = _claim(room, "two")
    assert taken.fence.run_id == second.id
    assert room.run(second.id).waiting.reason == ""


def test_a_dry_run_and_another_account_wait_for_nobody(room: RunRoom) -> None:
    room.add(10)
    _claim(room, "one")
    room.add(10, account_id="account-2")
    room.add(10, dry_run=True)
    assert len(_claim(room, "two")) == 2


def test_the_host_that_began_a_run_makes_its_results(room: RunRoom) -> None:
    run = room.add(10)
    (begun,) = _claim(room, "one")
    room.begin(begun)
    room.finish(begun, counts(10, succeeded=10))

    def to_end(worker: str) -> list[str]:
        found = room.write(lambda uow: runs.claim_runs_to_end(uow, worker, room.around, keeps_journals=True))
        return [one.run_id for one in found]

    assert to_end("two") == []
    assert to_end("one") == [run.id]


def test_results_that_a_forgotten_worker_was_making_are_made_by_the_next(room: RunRoom) -> None:
    run = room.add(10)
    begun = room.begun()
    room.finish(begun, counts(10, succeeded=10))

    def to_end() -> list[str]:
        found = room.write(lambda uow: runs.claim_runs_to_end(uow, "worker-1", room.around))
        return [one.run_id for one in found]

    assert (to_end(), to_end()) == ([run.id], [])
    room.write(lambda uow: runs.forget_worker(uow, "worker-1", room.around))
    assert to_end() == [run.id]


def test_a_lease_says_what_was_known_of_its_shard(room: RunRoom) -> None:
    room.add(10)
    begun = room.begun()
    room.report(begun, [1], counts(10, succeeded=4))
    room.write(lambda uow: runs.release(uow, begun.fence, room.around, "stopped"))
    assert room.claim_one().counts.succeeded == 4


def test_runs_that_may_have_sent_lately_are_found_by_their_account(room: RunRoom) -> None:
    ended, going_on = room.add(10), room.add(10)
    other = room.add(10, account_id="account-2")
    leased = next(one for one in room.claim() if one.fence.run_id == ended.id)
    room.begin(leased)
    room.finish(leased, counts(10, succeeded=10))
    room.end(ended.id)
    now = room.databases.clock.now_ms()

    def found(since_ms: int) -> set[str]:
        return set(room.read(lambda r: runs.runs_of_account_since(r, ended.workspace_id, "account-1", since_ms)))

    assert found(now) == {ended.id, going_on.id}
    assert found(now + 1) == {going_on.id}
    assert other.id not in found(0)
