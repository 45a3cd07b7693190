"""What workers report: kept once, in order, and never back in time."""

import pytest
from tests.builders.runs import RunRoom, counts

from postroad.modules import runs
from postroad.modules.runs import Live, ReportedEvent, ShardReport, Waiting
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.errors import AccountingBroken
from postroad.vocabulary.refusals import RunStateConflict, ValidationFailed
from postroad.vocabulary.transitions import RunState, WaitReason


def test_a_batch_that_is_sent_again_is_kept_once(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()

    first = room.report(leased, [1, 2], counts(10, succeeded=2), type="error")
    kept = room.events(run.id)
    again = room.report(leased, [1, 2], counts(10, succeeded=2), type="error")

    assert (first.event_sequence, again.event_sequence) == (2, 2)
    assert room.events(run.id) == kept


def test_the_new_part_of_an_overlapping_batch_is_kept(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()
    room.report(leased, [1, 2], counts(10, succeeded=2), type="error")

    room.report(leased, [2, 3], counts(10, succeeded=3), type="error")

    assert [row.payload["n"] for row in room.events(run.id) if row.type == "error"] == [1, 2, 3]
    assert room.run(run.id).counts.succeeded == 3


def test_a_batch_behind_a_gap_is_left_to_be_sent_again(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()
    room.report(leased, [1], counts(10, succeeded=1))

    ack = room.report(leased, [3, 4], counts(10, succeeded=4))

    assert ack.event_sequence == 1
    assert room.run(run.id).counts.succeeded == 1


def test_an_old_report_does_not_take_the_counts_back(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()
    room.report(leased, [1, 2, 3], counts(10, succeeded=6))

    room.report(leased, [1, 2], counts(10, succeeded=2))

    assert room.run(run.id).counts.succeeded == 6


def test_a_new_lease_counts_its_events_from_one_again(room: RunRoom) -> None:
    run = room.add(10)
    room.report(room.begun(), [1, 2], counts(10, succeeded=2))
    room.databases.clock.advance(s=30)
    room.expire()

    ack = room.report(room.begun("worker-2"), [1], counts(10, succeeded=3))

    assert ack.event_sequence == 1
    assert room.run(run.id).counts.succeeded == 3


def test_progress_of_all_shards_is_one_sum(room: RunRoom) -> None:
    run = room.add(20, shards=2)
    first, second = room.claim()
    room.begin(first)
    room.begin(second)

    room.report(first, [1], counts(10, succeeded=4, failed=1), live=Live(in_flight=3, per_second=10.0, concurrency=8))
    room.report(second, [1], counts(10, succeeded=2), live=Live(in_flight=2, per_second=5.5, concurrency=8))

    progress = [row.payload for row in room.events(run.id) if row.type == "progress"][-1]
    assert (progress["succeeded"], progress["failed"], progress["total"]) == (6, 1, 20)
    assert (progress["inFlight"], progress["perSecond"], progress["concurrency"]) == (5, 15.5, 16)
    assert room.run(run.id).counts == counts(20, succeeded=6, failed=1)


def test_a_run_waits_when_all_who_work_on_it_wait(room: RunRoom) -> None:
    run = room.add(20, shards=2)
    first, second = room.claim()
    room.begin(first)
    room.begin(second)
    waits = Live(waiting=Waiting(WaitReason.RATE.value, 1_800_000_060_000))

    room.report(first, [1], counts(10), live=waits)
    assert room.run(run.id).waiting == Waiting()
    room.report(second, [1], counts(10), live=Live(waiting=Waiting(WaitReason.RETRY.value, 1_800_000_030_000)))

    assert room.run(run.id).waiting == Waiting("WAITING_RETRY", 1_800_000_030_000)
    room.report(first, [2], counts(10, succeeded=1))
    assert room.run(run.id).waiting == Waiting()
    assert [row.payload["reason"] for row in room.events(run.id) if row.type == "waiting"] == ["WAITING_RETRY", ""]


@pytest.mark.parametrize(
    "impossible",
    [counts(11, succeeded=1), counts(10, succeeded=11), counts(10, succeeded=12, failed=-2), counts(10, retried=-1)],
)
def test_impossible_counts_are_not_kept(room: RunRoom, impossible: Counts) -> None:
    run = room.add(10)
    leased = room.begun()

    with pytest.raises(AccountingBroken):
        room.report(leased, [1], impossible)

    assert room.run(run.id).counts == counts(10)
    assert room.report(leased, [1], counts(10)).event_sequence == 1


def test_a_state_that_cannot_follow_is_refused(room: RunRoom) -> None:
    room.add(10)
    leased = room.begun()
    room.report(leased, [1], counts(10), RunState.CANCELLING)

    with pytest.raises(RunStateConflict):
        room.report(leased, [2], counts(10), RunState.RUNNING)


def test_a_batch_of_more_than_a_hundred_events_is_refused(room: RunRoom) -> None:
    room.add(10)
    leased = room.begun()

    with pytest.raises(ValidationFailed, match=r"1\.\.100"):
        room.report(leased, list(range(1, 102)), counts(10))
    with pytest.raises(ValidationFailed, match=r"1\.\.100"):
        room.report(leased, [], counts(10))
    with pytest.raises(ValidationFailed, match="gaps"):
        room.report(leased, [1, 3], counts(10))


def test_an_event_has_bounded_size_and_a_known_severity(room: RunRoom) -> None:
    room.add(10)
    leased = room.begun()
    for event in (
        ReportedEvent(1, "error", 0, "FATAL"),
        ReportedEvent(1, "error", 0, payload={"text": "x" * 9_000}),
    ):
        with pytest.raises(ValidationFailed):
            room.write(
                lambda uow, event=event: runs.report(
                    uow, ShardReport(leased.fence, (event,), counts(10), RunState.RUNNING), room.around
                )
            )


def test_old_events_of_ended_runs_are_deleted_and_a_late_reader_is_told(room: RunRoom) -> None:
    ended, open_one = room.add(10), room.add(10)
    for leased in room.claim():
        room.begin(leased)
        if leased.fence.run_id == ended.id:
            room.finish(leased, counts(10, succeeded=10))
    room.end(ended.id)
    room.databases.clock.advance(s=31 * 86_400)
    before = room.databases.clock.now_ms() - 30 * 86_400_000

    while room.write(lambda uow: runs.delete_old_events(uow, before, limit=3)):
        pass

    assert room.events(ended.id) == []
    assert len(room.events(open_one.id)) > 0
    portion = room.read(lambda reading: runs.list_run_events(reading, ended.workspace_id, ended.id, 2, 100))
    assert (portion.has_gap, portion.is_last, portion.events) == (True, True, ())
