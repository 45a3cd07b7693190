"""Commands to a run: kept, delivered until answered, applied by every shard, refused by the state machine."""

import pytest
from sqlalchemy import select
from tests.builders.runs import RunRoom, answer, ask, counts

from postroad.kernel.outbox import outbox_events
from postroad.modules.runs import COMMANDS_TOPIC, CommandKind, CommandState
from postroad.vocabulary.refusals import ValidationFailed
from postroad.vocabulary.transitions import RunState


def test_a_pause_goes_to_the_worker_and_is_applied_when_it_says_so(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()

    command = room.command(run.id, CommandKind.PAUSE)
    assert command.state is CommandState.ACCEPTED
    assert room.run(run.id).state is RunState.RUNNING

    (renewal,) = room.renew(ask(leased))
    (order,) = renewal.commands
    assert (order.command_id, order.kind) == (command.id, CommandKind.PAUSE)
    assert room.commands(run.id)[0].state is CommandState.DELIVERED

    room.report(leased, [1], counts(10), RunState.PAUSED)
    room.renew(ask(leased, answer(order)))
    assert room.run(run.id).state is RunState.PAUSED
    assert room.commands(run.id)[0].state is CommandState.APPLIED


def test_a_command_is_delivered_again_until_it_is_answered(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()
    room.command(run.id, CommandKind.PAUSE)

    (first,), (second,) = room.renew(ask(leased)), room.renew(ask(leased))
    assert first.commands == second.commands
    (third,) = room.renew(ask(leased, answer(first.commands[0])))
    assert third.commands == ()


def test_a_command_to_several_shards_is_applied_when_all_have_answered(room: RunRoom) -> None:
    run = room.add(20, shards=2)
    one, two = room.claim()
    room.begin(one)
    room.begin(two)
    room.command(run.id, CommandKind.PAUSE)
    first, second = room.renew(ask(one), ask(two))

    room.report(one, [1], counts(10), RunState.PAUSED)
    room.renew(ask(one, answer(first.commands[0])))
    assert room.run(run.id).state is RunState.RUNNING
    assert room.commands(run.id)[0].state is CommandState.DELIVERED

    room.report(two, [1], counts(10), RunState.PAUSED)
    room.renew(ask(two, answer(second.commands[0])))
    assert room.run(run.id).state is RunState.PAUSED
    assert room.commands(run.id)[0].state is CommandState.APPLIED


def test_a_command_that_a_worker_refuses_is_rejected_with_its_words(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()
    room.command(run.id, CommandKind.RATE, key="run", rate="5/s")
    (renewal,) = room.renew(ask(leased))

    room.renew(ask(leased, answer(renewal.commands[0], applied=False, message="no such budget")))

    (command,) = room.commands(run.id)
    assert (command.state, command.message) == (CommandState.REJECTED, "no such budget")


@pytest.mark.parametrize(
    ("state", "allowed"),
    [
        (RunState.PENDING, "cancel concurrency rate"),
        (RunState.RUNNING, "pause cancel concurrency rate"),
        (RunState.PAUSED, "resume cancel concurrency rate"),
        (RunState.CANCELLING, ""),
        (RunState.SUCCEEDED, ""),
    ],
)
def test_what_the_state_forbids_is_kept_as_rejected(room: RunRoom, state: RunState, allowed: str) -> None:
    for kind in CommandKind:
        run = _run_in(room, state)
        payload = {"target": 2} if kind is CommandKind.CONCURRENCY else {"key": "run", "rate": "1/s", "reason": ""}
        assert " ".join(room.run(run).allowed_commands) == allowed

        command = room.command(run, kind, **payload)

        wanted = kind.value in allowed.split()
        assert (command.state is CommandState.REJECTED) == (not wanted)
        if not wanted:
            assert state.value in command.message
            assert command in room.commands(run)


def test_a_target_outside_the_range_is_refused_with_the_range(room: RunRoom) -> None:
    run = room.add(10, concurrency=(2, 20, 8))
    for target in (1, 21, 0, -1):
        with pytest.raises(ValidationFailed, match=r"2\.\.20"):
            room.command(run.id, CommandKind.CONCURRENCY, target=target)
    assert room.commands(run.id) == []


def test_a_change_before_any_lease_holds_from_the_start(room: RunRoom) -> None:
    run = room.add(10)

    command = room.command(run.id, CommandKind.CONCURRENCY, target=3)
    room.command(run.id, CommandKind.RATE, key="run", rate="7/s")

    assert command.state is CommandState.APPLIED
    leased = room.claim_one()
    assert (leased.posture.concurrency, leased.posture.rates) == (3, {"run": "7/s"})


def test_a_paused_run_whose_worker_is_lost_stays_paused_for_the_next(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()
    room.command(run.id, CommandKind.PAUSE)
    room.report(leased, [1], counts(10), RunState.PAUSED)
    room.databases.clock.advance(s=30)
    room.expire()

    assert CommandKind.RESUME in room.run(run.id).allowed_commands
    assert room.claim_one("worker-2").posture.paused


def test_a_pause_that_was_withdrawn_while_nobody_worked_is_over(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()
    room.command(run.id, CommandKind.PAUSE)
    room.report(leased, [1], counts(10), RunState.PAUSED)
    room.databases.clock.advance(s=30)
    room.expire()

    assert room.command(run.id, CommandKind.RESUME).state is CommandState.APPLIED
    assert not room.claim_one("worker-2").posture.paused


def test_a_run_that_woke_by_itself_is_no_longer_meant_to_be_paused(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()
    room.command(run.id, CommandKind.PAUSE)
    (renewal,) = room.renew(ask(leased))
    room.report(leased, [1], counts(10), RunState.PAUSED)
    room.renew(ask(leased, answer(renewal.commands[0])))

    room.report(leased, [2], counts(10), RunState.RUNNING)

    assert (room.run(run.id).state, room.run(run.id).wants_pause) == (RunState.RUNNING, False)


def test_a_second_pause_on_its_way_is_not_undone_by_the_resume_before_it(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()
    room.command(run.id, CommandKind.PAUSE)
    (renewal,) = room.renew(ask(leased))
    room.report(leased, [1], counts(10), RunState.PAUSED)
    room.renew(ask(leased, answer(renewal.commands[0])))
    room.command(run.id, CommandKind.RESUME)
    (renewal,) = room.renew(ask(leased))
    room.command(run.id, CommandKind.PAUSE)

    room.report(leased, [2], counts(10), RunState.RUNNING)

    assert room.run(run.id).wants_pause


def test_an_answer_to_a_command_that_is_not_given_yet_counts_for_nothing(room: RunRoom) -> None:
    from postroad.modules.runs import CommandAnswer

    run = room.add(10)
    leased = room.begun()
    room.renew(ask(leased, CommandAnswer("made-up", 99, applied=True)))

    room.command(run.id, CommandKind.PAUSE)

    assert len(room.renew(ask(leased))[0].commands) == 1


def test_a_command_nobody_answered_before_the_end_is_settled_with_it(room: RunRoom) -> None:
    run = room.add(10)
    leased = room.begun()
    command = room.command(run.id, CommandKind.PAUSE)
    room.finish(leased, counts(10, succeeded=10))
    room.end(run.id)

    (settled,) = room.commands(run.id)
    assert settled.id == command.id
    assert settled.state in (CommandState.APPLIED, CommandState.REJECTED)


def test_a_command_hints_and_is_told_to_others(room: RunRoom) -> None:
    run = room.add(10)
    room.begun()
    room.command(run.id, CommandKind.PAUSE)

    assert (COMMANDS_TOPIC, run.id) in room.hints
    names = room.read(
        lambda reading: (
            reading.connection.execute(select(outbox_events.c.name).where(outbox_events.c.aggregate_id == run.id))
            .scalars()
            .all()
        )
    )
    assert "run.command" in names


def test_shares_follow_the_target_at_renewals(room: RunRoom) -> None:
    run = room.add(20, shards=2, concurrency=(1, 64, 16))
    (one,) = room.claim(slots=1)
    room.begin(one)
    (two,) = room.claim(slots=1, worker="worker-2")
    room.begin(two)
    assert (one.posture.concurrency, two.posture.concurrency) == (16, 1)

    assert [renewal.concurrency for renewal in room.renew(ask(one, room=100), ask(two, room=100))] == [8, 8]
    room.command(run.id, CommandKind.CONCURRENCY, target=40)
    assert [renewal.concurrency for renewal in room.renew(ask(one, room=100), ask(two, room=3))] == [20, 11]
    room.command(run.id, CommandKind.CONCURRENCY, target=4)
    assert [renewal.concurrency for renewal in room.renew(ask(one), ask(two))] == [2, 2]


def test_a_growing_share_does_not_pass_the_limit_of_the_workspace(room: RunRoom) -> None:
    from postroad.modules.runs import RunQuota

    run = room.add(10, concurrency=(1, 64, 10))
    leased = room.begun()
    room.quotas.by_workspace[run.workspace_id] = RunQuota(total_concurrency=15)

    room.command(run.id, CommandKind.CONCURRENCY, target=30)

    assert room.renew(ask(leased, room=100))[0].concurrency == 15


def _run_in(room: RunRoom, state: RunState) -> str:
    run = room.add(10)
    if state is RunState.PENDING:
        return run.id
    leased = next(shard for shard in room.claim() if shard.fence.run_id == run.id)
    room.begin(leased)
    if state is RunState.PAUSED:
        room.command(run.id, CommandKind.PAUSE)
        room.report(leased, [1], counts(10), RunState.PAUSED)
    if state is RunState.CANCELLING:
        room.command(run.id, CommandKind.CANCEL)
    if state is RunState.SUCCEEDED:
        room.finish(leased, counts(10, succeeded=10))
        room.end(run.id)
    assert room.run(run.id).state is state
    return run.id
