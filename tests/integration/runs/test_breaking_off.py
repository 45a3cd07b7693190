"""Every write of the room, broken off before each of its statements: nothing is left, and then it happens once."""

from collections.abc import Callable

import pytest
from tests.builders.databases import WORKSPACE
from tests.builders.faults import breaking_off_everywhere
from tests.builders.runs import WORKER, RunRoom, ask, counts, plan_for

from postroad.kernel.uow import UnitOfWork
from postroad.modules import runs
from postroad.modules.runs import (
    ArtifactFact,
    CommandAsk,
    CommandKind,
    LeasedShard,
    Live,
    NewRun,
    ReportedEvent,
    RunEnd,
    ShardEnd,
    ShardReport,
    WorkerCapacity,
)
from postroad.vocabulary.transitions import RunState

Work = Callable[[UnitOfWork], object]


def _creating(room: RunRoom) -> Work:
    plan = plan_for(10, shards=2)
    return lambda uow: runs.add_run(uow, NewRun(plan, confirmation_id="c-1"), room.around)


def _claiming(room: RunRoom) -> Work:
    room.add(10, shards=2)
    return lambda uow: runs.claim_shards(uow, WorkerCapacity("worker-1", 2, 100), room.around)


def _acknowledging(room: RunRoom) -> Work:
    room.add(10)
    leased = room.claim_one()
    return lambda uow: runs.acknowledge(uow, leased.fence, room.around)


def _renewing(room: RunRoom) -> Work:
    leased = _working(room)
    room.command(leased.fence.run_id, CommandKind.PAUSE)
    return lambda uow: runs.renew(uow, [ask(leased, room=5)], room.around)


def _reporting(room: RunRoom) -> Work:
    leased = _working(room)
    event = ReportedEvent(1, "error", 0)
    said = ShardReport(leased.fence, (event,), counts(10, succeeded=3), RunState.PAUSED, Live())
    return lambda uow: runs.report(uow, said, room.around)


def _finishing(room: RunRoom) -> Work:
    leased = _working(room)
    end = ShardEnd(leased.fence, RunState.SUCCEEDED, counts(10, succeeded=10))
    return lambda uow: runs.finish_shard(uow, end, room.around)


def _failing(room: RunRoom) -> Work:
    room.add(20, shards=2)
    leased = room.begun()
    end = ShardEnd(leased.fence, RunState.FAILED, counts(10, failed=1, unsent=9), "AUTHENTICATION: 401")
    return lambda uow: runs.finish_shard(uow, end, room.around)


def _releasing(room: RunRoom) -> Work:
    leased = _working(room)
    return lambda uow: runs.release(uow, leased.fence, room.around)


def _expiring(room: RunRoom) -> Work:
    _working(room)
    room.databases.clock.advance(s=31)
    return lambda uow: runs.expire_leases(uow, room.around)


def _commanding(room: RunRoom) -> Work:
    leased = _working(room)
    cancel = CommandAsk(WORKSPACE, leased.fence.run_id, CommandKind.CANCEL, {"reason": "stop"})
    return lambda uow: runs.command_run(uow, cancel, room.around)


def _cancelling_before_it_began(room: RunRoom) -> Work:
    run = room.add(10, shards=2)
    cancel = CommandAsk(WORKSPACE, run.id, CommandKind.CANCEL, {"reason": "stop"})
    return lambda uow: runs.command_run(uow, cancel, room.around)


def _claiming_an_end(room: RunRoom) -> Work:
    room.finish(_working(room), counts(10, succeeded=10))
    return lambda uow: runs.claim_runs_to_end(uow, "worker-1", room.around)


def _ending(room: RunRoom) -> Work:
    leased = _working(room)
    room.finish(leased, counts(10, succeeded=9, failed=1), RunState.PARTIAL)
    end = RunEnd(leased.fence.run_id, counts(10, succeeded=9, failed=1), {"results": ArtifactFact("a", "b" * 64, 1)})
    return lambda uow: runs.end_run(uow, end, room.around)


def _working(room: RunRoom) -> LeasedShard:
    room.add(10)
    return room.begun()


WRITES: dict[str, tuple[Callable[[RunRoom], Work], int]] = {
    "creating": (_creating, 6),
    "claiming": (_claiming, 12),
    "acknowledging": (_acknowledging, 7),
    "renewing": (_renewing, 5),
    "reporting": (_reporting, 6),
    "finishing": (_finishing, 7),
    "failing": (_failing, 10),
    "releasing": (_releasing, 10),
    "expiring": (_expiring, 10),
    "commanding": (_commanding, 6),
    "cancelling before it began": (_cancelling_before_it_began, 8),
    "claiming an end": (_claiming_an_end, 3),
    "ending": (_ending, 6),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_happens_as_a_whole_or_not_at_all(room: RunRoom, name: str) -> None:
    prepare, least = WRITES[name]

    _, broken = breaking_off_everywhere(room.databases, WORKER, prepare(room))

    assert broken >= least
