"""Who gets a shard: limits of workspace, worker and account, and turns."""

import threading

from tests.builders.databases import OTHER_WORKSPACE, WORKSPACE
from tests.builders.runs import RunRoom, counts

from postroad.modules.runs import ACCOUNT_CIRCUIT, WORKSPACE_LIMIT, CommandKind, RunQuota
from postroad.vocabulary.transitions import RunState


def test_a_worker_gets_no_more_than_it_can_take(room: RunRoom) -> None:
    for _ in range(3):
        room.add(10)

    assert len(room.claim(slots=2)) == 2
    assert room.claim(slots=0) == []
    assert room.claim(slots=1, concurrency=0) == []


def test_the_concurrency_of_a_lease_fits_the_worker(room: RunRoom) -> None:
    room.add(10, concurrency=(1, 64, 16))

    (leased,) = room.claim(concurrency=5)

    assert leased.posture.concurrency == 5


def test_a_worker_gets_only_what_it_has_a_provider_for(room: RunRoom) -> None:
    room.add(10, provider_id="smtp")
    run = room.add(10, provider_id="http")

    leased = room.claim(providers=frozenset({"http", "feishu"}))

    assert [shard.fence.run_id for shard in leased] == [run.id]


def test_a_worker_of_one_workspace_gets_nothing_of_another(room: RunRoom) -> None:
    room.add(10, workspace_id=OTHER_WORKSPACE)

    assert room.claim(workspaces=frozenset({WORKSPACE})) == []


def test_workspaces_take_turns(room: RunRoom) -> None:
    for _ in range(20):
        room.add(10, workspace_id=WORKSPACE)
    late = room.add(10, workspace_id=OTHER_WORKSPACE)

    leased = room.claim(slots=2)

    assert late.id in {shard.fence.run_id for shard in leased}


def test_runs_of_a_workspace_take_turns(room: RunRoom) -> None:
    long = room.add(100, shards=10, concurrency=(1, 64, 64))
    short = room.add(10)

    first = room.claim(slots=2)
    room.databases.clock.advance(s=1)
    second = room.claim(slots=1)

    assert {shard.fence.run_id for shard in first} == {long.id, short.id}
    assert second[0].fence.run_id == long.id


def test_no_more_runs_at_once_than_the_workspace_allows(room: RunRoom) -> None:
    room.quotas.by_workspace[WORKSPACE] = RunQuota(concurrent_runs=2)
    waiting = [room.add(10) for _ in range(3)][-1]

    leased = room.claim()

    assert len(leased) == 2
    assert room.run(waiting.id).waiting.reason == WORKSPACE_LIMIT
    room.begin(leased[0])
    room.finish(leased[0], counts(10, succeeded=10))
    assert [shard.fence.run_id for shard in room.claim()] == [waiting.id]
    assert room.run(waiting.id).waiting.reason == ""


def test_the_shards_of_a_running_run_are_no_further_runs(room: RunRoom) -> None:
    room.quotas.by_workspace[WORKSPACE] = RunQuota(concurrent_runs=1)
    room.add(100, shards=3)

    assert len(room.claim()) == 3


def test_reservations_never_pass_the_limit_of_the_workspace(room: RunRoom) -> None:
    room.quotas.by_workspace[WORKSPACE] = RunQuota(total_concurrency=20)
    for _ in range(3):
        room.add(10, concurrency=(1, 64, 16))

    leased = room.claim()

    assert [shard.posture.concurrency for shard in leased] == [16, 4]
    assert [event.payload["reason"] for event in room.events(room.add(10).id) if event.type == "waiting"] == []


def test_two_claimers_at_once_do_not_pass_a_limit_together(room: RunRoom) -> None:
    room.quotas.by_workspace[WORKSPACE] = RunQuota(concurrent_runs=3, total_concurrency=40)
    added = [room.add(10, concurrency=(1, 64, 16)) for _ in range(12)]
    start = threading.Barrier(4)

    def work(name: str) -> None:
        start.wait()
        for _ in range(6):
            room.claim(3, 100, worker=name)

    threads = [threading.Thread(target=work, args=(f"worker-{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    leases = [lease for run in added for lease in room.leases(run.id)]
    assert len(leases) == 3
    assert sum(lease.concurrency for lease in leases) == 40


def test_a_run_whose_account_circuit_is_open_waits_and_says_until_when(room: RunRoom) -> None:
    run = room.add(10, account_id="locked-out")
    until = room.databases.clock.now_ms() + 900_000
    room.circuits.open_until["locked-out"] = until

    assert room.claim() == []

    waiting = room.run(run.id)
    assert (waiting.waiting.reason, waiting.waiting.until_ms) == (ACCOUNT_CIRCUIT, until)
    assert [event.payload for event in room.events(run.id) if event.type == "waiting"] == [
        {"reason": ACCOUNT_CIRCUIT, "untilMs": until}
    ]


def test_a_circuit_that_a_person_closed_is_seen_within_half_a_minute(room: RunRoom) -> None:
    room.add(10, account_id="locked-out")
    room.circuits.open_until["locked-out"] = room.databases.clock.now_ms() + 900_000
    room.claim()
    room.circuits.open_until.clear()

    assert room.claim() == []
    room.databases.clock.advance(s=30)
    assert len(room.claim()) == 1


def test_looking_again_at_a_waiting_run_writes_nothing_new(room: RunRoom) -> None:
    run = room.add(10, account_id="locked-out")
    room.circuits.open_until["locked-out"] = None
    room.claim()
    events = room.events(run.id)
    room.databases.clock.advance(s=30)

    room.claim()

    assert room.events(run.id) == events


def test_a_run_that_is_to_end_is_let_through_every_limit(room: RunRoom) -> None:
    run = room.add(10, account_id="locked-out")
    room.begun()
    room.databases.clock.advance(s=30)
    room.expire()
    room.circuits.open_until["locked-out"] = None
    room.quotas.by_workspace[WORKSPACE] = RunQuota(concurrent_runs=1, total_concurrency=1)
    other = room.add(10)
    assert [shard.fence.run_id for shard in room.claim(slots=5)] == [other.id]

    room.command(run.id, CommandKind.CANCEL)

    (drain,) = room.claim()
    assert (drain.fence.run_id, drain.posture.cancel, drain.posture.concurrency) == (run.id, True, 1)


def test_a_changed_snapshot_sends_nothing_and_stops_nobody_else(room: RunRoom) -> None:
    from sqlalchemy import update

    from postroad.modules.runs._tables import run_snapshots

    damaged, sound = room.add(10), room.add(10)
    room.write(
        lambda uow: uow.connection.execute(
            update(run_snapshots)
            .where(run_snapshots.c.run_id == damaged.id)
            .values(document=run_snapshots.c.document + " ")
        )
    )

    assert [shard.fence.run_id for shard in room.claim()] == [sound.id]

    assert room.run(damaged.id).waiting.reason == "SNAPSHOT_DAMAGED"
    room.command(damaged.id, CommandKind.CANCEL)
    assert room.run(damaged.id).state is RunState.CANCELLED


def test_a_run_that_cannot_begin_for_want_of_room_takes_no_trial_of_its_account(room: RunRoom) -> None:
    asked: list[str] = []
    admit = room.circuits.admit

    def watched(uow: object, workspace_id: str, account_id: str, run_id: str) -> object:
        asked.append(run_id)
        return admit(uow, workspace_id, account_id, run_id)

    room.circuits.admit = watched
    room.quotas.by_workspace[WORKSPACE] = RunQuota(concurrent_runs=1)
    first = room.add(10)
    room.claim()
    room.add(10)

    room.claim()

    assert asked == [first.id]


def test_every_run_behind_a_limit_says_so(room: RunRoom) -> None:
    room.quotas.by_workspace[WORKSPACE] = RunQuota(total_concurrency=16)
    waiting = [room.add(10).id for _ in range(4)][1:]

    room.claim()
    room.claim()

    assert [room.run(run_id).waiting.reason for run_id in waiting] == [WORKSPACE_LIMIT] * 3
