"""A run from its creation to its end, as a worker and a person see it."""

import pytest
from sqlalchemy import select
from tests.builders.runs import RunRoom, ask, counts, plan_for

from postroad.kernel.outbox import outbox_events
from postroad.modules.runs import CommandKind, CommandState, LeaseState, WantsEnd
from postroad.vocabulary.errors import AccountingBroken
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.refusals import LeaseExpired, RunStateConflict
from postroad.vocabulary.transitions import RunState


def test_a_run_that_reaches_everyone_succeeds(room: RunRoom) -> None:
    run = room.add(10)

    leased = room.claim_one()
    room.begin(leased)
    room.report(leased, [1, 2], counts(10, succeeded=4))
    room.finish(leased, counts(10, succeeded=9, skipped=1))
    ended = room.end(run.id)

    assert ended.state is RunState.SUCCEEDED
    assert ended.counts == counts(10, succeeded=9, skipped=1)
    assert room.states(run.id) == ["PENDING", "LEASED", "RUNNING", "SUCCEEDED"]
    assert [event.sequence for event in room.events(run.id)] == list(range(1, ended.event_sequence + 1))
    assert room.leases(run.id)[0].state is LeaseState.RELEASED
    assert room.meters.ended == [("SUCCEEDED", "http")]
    assert room.circuits.ended == [("account-1", False)]


def test_a_run_with_some_failed_is_partial(room: RunRoom) -> None:
    run = room.add(10)

    leased = room.begun()
    room.finish(leased, counts(10, succeeded=7, failed=2, unknown=1), RunState.PARTIAL)

    assert room.end(run.id).state is RunState.PARTIAL


def test_a_leased_shard_has_all_that_a_worker_needs(room: RunRoom) -> None:
    plan = plan_for(10, shards=2, concurrency=(1, 20, 8))
    room.add_plan(plan)

    first, second = room.claim()

    assert first.plan == plan
    assert first.plan.hash == plan.hash
    assert [(first.number, first.first, first.end), (second.number, second.first, second.end)] == [
        (0, 0, 5),
        (1, 5, 10),
    ]
    assert not first.has_begun
    assert first.posture.concurrency == 8
    assert first.fence.epoch == 1
    assert first.fence.token != second.fence.token


def test_the_outbox_tells_of_creation_state_changes_and_the_end(room: RunRoom) -> None:
    run = room.add(10)
    room.finish(room.begun(), counts(10, succeeded=10))
    room.end(run.id)

    rows = room.read(
        lambda reading: reading.connection.execute(
            select(outbox_events.c.name, outbox_events.c.payload).where(outbox_events.c.aggregate_id == run.id)
        ).all()
    )

    assert [row.name for row in rows] == ["run.created", *["run.state_changed"] * 3, "run.completed"]
    assert rows[0].payload["hash"] != ""
    assert rows[0].payload["total"] == 10
    assert rows[-1].payload["counts"]["succeeded"] == 10
    assert rows[-1].payload["artifacts"]["results"]["sha256"] == "b" * 64


def test_nothing_is_ended_while_the_sums_are_wrong(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()

    with pytest.raises(AccountingBroken, match="together 9"):
        room.finish(leased, counts(10, succeeded=9))

    assert room.run(run.id).state is RunState.RUNNING
    assert room.leases(run.id)[0].state is LeaseState.ACTIVE


def test_nothing_is_ended_while_results_and_shards_disagree(room: RunRoom) -> None:
    run = room.add(10)
    room.finish(room.begun(), counts(10, succeeded=10))

    with pytest.raises(AccountingBroken, match="succeeded"):
        room.end(run.id, counts(10, succeeded=9, failed=1))

    assert room.run(run.id).state is RunState.RUNNING


def test_a_run_does_not_end_before_its_shards(room: RunRoom) -> None:
    run = room.add(10, shards=2)
    first, _ = room.claim()
    room.begin(first)
    room.finish(first, counts(5, succeeded=5))

    with pytest.raises(RunStateConflict, match="not ended"):
        room.end(run.id, counts(10, succeeded=10))


def test_ending_a_run_twice_changes_nothing(room: RunRoom) -> None:
    run = room.add(10)
    room.finish(room.begun(), counts(10, succeeded=10))

    once, twice = room.end(run.id), room.end(run.id)

    assert once == twice
    assert room.states(run.id).count("SUCCEEDED") == 1


def test_a_failed_shard_fails_the_run_and_stops_the_others(room: RunRoom) -> None:
    run = room.add(30, shards=3, concurrency=(1, 10, 2))
    first, second = room.claim(2)
    room.begin(first)
    room.begin(second)

    room.finish(
        first,
        counts(10, succeeded=1, failed=1, unsent=8),
        RunState.FAILED,
        reason="AUTHENTICATION: 401",
        category=Category.AUTHENTICATION,
    )

    (renewal,) = room.renew(ask(second))
    assert [order.kind for order in renewal.commands] == [CommandKind.CANCEL]
    assert room.shards(run.id)[2].state is RunState.CANCELLED
    room.finish(second, counts(10, succeeded=3, unsent=7), RunState.CANCELLED)
    ended = room.end(run.id)
    assert ended.state is RunState.FAILED
    assert ended.state_reason == "AUTHENTICATION: 401"
    assert ended.counts == counts(30, succeeded=4, failed=1, unsent=25)
    assert room.circuits.ended == [("account-1", True)]


def test_a_dry_run_moves_no_circuit(room: RunRoom) -> None:
    run = room.add(10, dry_run=True)
    room.finish(room.begun(), counts(10, succeeded=10))

    assert room.end(run.id).state is RunState.SUCCEEDED
    assert room.circuits.ended == []


def test_a_worker_must_acknowledge_before_anything_else(room: RunRoom) -> None:
    room.add(10)
    leased = room.claim_one()

    with pytest.raises(LeaseExpired, match="acknowledge"):
        room.report(leased, [1], counts(10))
    with pytest.raises(LeaseExpired, match="acknowledge"):
        room.finish(leased, counts(10, succeeded=10))


def test_acknowledging_twice_is_acknowledging_once(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.claim_one()

    first, again = room.begin(leased), room.begin(leased)

    assert first == again
    assert room.states(run.id) == ["PENDING", "LEASED", "RUNNING"]


def test_a_run_nobody_began_is_cancelled_on_the_spot(room: RunRoom) -> None:
    run = room.add(10, shards=2)

    command = room.command(run.id, CommandKind.CANCEL, reason="wrong text")

    cancelled = room.run(run.id)
    assert command.state is CommandState.APPLIED
    assert cancelled.state is RunState.CANCELLED
    assert cancelled.state_reason == "wrong text"
    assert cancelled.counts == counts(10, unsent=10)
    assert room.claim() == []


def test_a_lease_of_a_run_that_was_cancelled_before_it_began_is_over(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.claim_one()

    room.command(run.id, CommandKind.CANCEL)

    with pytest.raises(LeaseExpired):
        room.begin(leased)
    assert room.run(run.id).counts == counts(10, unsent=10)


def test_cancelling_waits_for_the_account_of_what_was_in_flight(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()

    command = room.command(run.id, CommandKind.CANCEL)

    assert command.state is CommandState.ACCEPTED
    assert room.run(run.id).state is RunState.CANCELLING
    (renewal,) = room.renew(ask(leased))
    assert [(order.command_id, order.kind) for order in renewal.commands] == [(command.id, CommandKind.CANCEL)]
    room.report(leased, [1], counts(10, succeeded=4), RunState.CANCELLING)
    room.finish(leased, counts(10, succeeded=4, unknown=1, unsent=5), RunState.CANCELLED)
    assert room.end(run.id).state is RunState.CANCELLED
    assert room.commands(run.id)[0].state is CommandState.APPLIED


def test_a_cancelled_run_whose_worker_is_gone_is_given_to_another_to_settle(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()
    room.report(leased, [1], counts(10, succeeded=4))
    room.databases.clock.advance(s=60)
    room.expire()

    room.command(run.id, CommandKind.CANCEL, reason="enough")

    waiting = room.run(run.id)
    assert (waiting.state, waiting.wants_end) == (RunState.PENDING, WantsEnd.CANCEL)
    again = room.claim_one("worker-2")
    assert (again.has_begun, again.posture.cancel, again.posture.cancel_reason) == (True, True, "enough")
    room.begin(again)
    assert room.run(run.id).state is RunState.CANCELLING
    room.finish(again, counts(10, succeeded=5, unknown=1, unsent=4), RunState.CANCELLED)
    ended = room.end(run.id)
    assert ended.state is RunState.CANCELLED
    assert ended.counts.settled == 10
    assert room.commands(run.id)[0].state is CommandState.APPLIED
