"""Many hands at once on real threads: nobody waits for ever, nothing is done twice, everything adds up."""

import threading

from tests.builders.runs import RunRoom, ask, counts

from postroad.modules import runs
from postroad.modules.runs import CommandKind, WorkerCapacity
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.refusals import LeaseExpired
from postroad.vocabulary.transitions import RunState

RUNS, SHARDS, WORKERS = 8, 3, 4


class Hands:
    """Each method is the work of one thread, until `done` is set."""

    def __init__(self, room: RunRoom, run_ids: list[str]) -> None:
        self.room = room
        self.run_ids = run_ids
        self.done = threading.Event()
        self.failures: list[str] = []
        self.finished: list[str] = []

    def work(self, name: str) -> None:
        capacity = WorkerCapacity(name, 2, 100)
        while not self.done.is_set():
            for leased in self.room.write(lambda uow: runs.claim_shards(uow, capacity, self.room.around)):
                try:
                    self.work_off(leased)
                except LeaseExpired:
                    self.failures.append(f"{name} lost a lease")
            self.end_runs(name)

    def work_off(self, leased: runs.LeasedShard) -> None:
        size = leased.end - leased.first
        self.room.begin(leased)
        for number in range(1, 4):
            self.room.report(leased, [number], counts(size, succeeded=number))
            self.room.renew(ask(leased, room=5))
        self.room.finish(leased, counts(size, succeeded=size))
        self.finished.append(leased.fence.shard_id)

    def end_runs(self, name: str) -> None:
        for run in self.room.write(lambda uow: runs.claim_runs_to_end(uow, name, self.room.around, 2)):
            self.room.end(run.run_id, run.counts)

    def steer(self, _: str) -> None:
        while not self.done.is_set():
            for number, run_id in enumerate(self.run_ids):
                self.room.command(run_id, CommandKind.CONCURRENCY, target=number + 1)

    def sweep(self, _: str) -> None:
        while not self.done.is_set():
            self.room.expire()
            if all(self.room.run(run_id).is_final for run_id in self.run_ids):
                self.done.set()


def test_workers_people_and_the_sweep_at_once_bring_every_run_to_its_end(room: RunRoom) -> None:
    run_ids = [room.add(30, shards=SHARDS).id for _ in range(RUNS)]
    hands = Hands(room, run_ids)

    def guarded(work: object, name: str) -> None:
        try:
            work(name)  # type: ignore[operator]
        except PostroadError as error:
            hands.failures.append(f"{name}: {error.code}: {error.message}")
            hands.done.set()

    threads = [threading.Thread(target=guarded, args=(hands.work, f"worker-{number}")) for number in range(WORKERS)]
    threads += [threading.Thread(target=guarded, args=(work, "other")) for work in (hands.steer, hands.sweep)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert hands.failures == []
    assert len(hands.finished) == len(set(hands.finished)) == RUNS * SHARDS
    for run_id in run_ids:
        run = room.run(run_id)
        assert (run.state, run.counts) == (RunState.SUCCEEDED, counts(30, succeeded=30))
        assert len(room.leases(run_id)) == SHARDS
        assert [event.sequence for event in room.events(run_id)] == list(range(1, run.event_sequence + 1))
        assert room.states(run_id).count("SUCCEEDED") == 1
