"""Commands of people: authorised, told once, answered the same when they are repeated."""

import pytest
from tests.builders.databases import OTHER_WORKSPACE, WORKSPACE
from tests.builders.faults import breaking_off_everywhere
from tests.builders.runs import counts
from tests.builders.sending import SendingRoom

from postroad.flows import sending
from postroad.flows.sending import SteerAsk
from postroad.modules.runs import CommandKind
from postroad.vocabulary.refusals import AccessDenied, IdempotencyConflict, ResourceNotFound, ValidationFailed
from postroad.vocabulary.roles import Role


def test_a_command_is_taken_and_audited(room: SendingRoom) -> None:
    run = room.add(10)
    room.begun()

    answered = room.steer(run.id, CommandKind.PAUSE)

    assert (answered.status, answered.state, answered.kind, answered.is_repeat) == (202, "ACCEPTED", "pause", False)
    entry = room.databases.audit.entries[-1]
    assert (entry.action, entry.resource_id, entry.result) == ("run.pause", run.id, "OK")
    assert entry.details["commandId"] == answered.id


def test_a_repeated_command_is_one_command_with_one_answer(room: SendingRoom) -> None:
    from dataclasses import replace

    run = room.add(10)
    leased = room.begun()

    first = room.steer(run.id, CommandKind.CANCEL, once="once", reason="enough")
    room.finish(leased, counts(10, unsent=10))
    again = room.steer(run.id, CommandKind.CANCEL, once="once", reason="enough")

    assert again == replace(first, is_repeat=True)
    assert len(room.commands(run.id)) == 1


def test_a_refused_command_is_refused_again_with_the_same_answer(room: SendingRoom) -> None:
    run = room.add(10)

    first = room.steer(run.id, CommandKind.RESUME, once="once")
    room.begun()
    room.steer(run.id, CommandKind.PAUSE)
    again = room.steer(run.id, CommandKind.RESUME, once="once")

    assert (first.status, first.state) == (409, "REJECTED")
    assert "PENDING" in first.message
    assert (again.status, again.message, again.is_repeat) == (409, first.message, True)
    assert room.databases.audit.entries[0].result == "FAILED"


def test_the_same_key_for_another_command_is_refused(room: SendingRoom) -> None:
    run = room.add(10)
    room.steer(run.id, CommandKind.CONCURRENCY, once="once", target=3)

    for kind, payload in ((CommandKind.CONCURRENCY, {"target": 4}), (CommandKind.CANCEL, {})):
        with pytest.raises(IdempotencyConflict):
            room.steer(run.id, kind, once="once", **payload)


def test_a_command_needs_a_key(room: SendingRoom) -> None:
    run = room.add(10)
    ask = SteerAsk(WORKSPACE, run.id, CommandKind.PAUSE, None)
    with pytest.raises(ValidationFailed, match="Idempotency-Key"):
        room.databases.database.write(room.operator, lambda uow: sending.steer_run(uow, ask, room.around))


def test_a_concurrency_out_of_range_is_refused_with_the_range_and_not_kept(room: SendingRoom) -> None:
    run = room.add(10, concurrency=(2, 20, 8))

    with pytest.raises(ValidationFailed, match=r"2\.\.20"):
        room.steer(run.id, CommandKind.CONCURRENCY, once="once", target=21)
    assert room.steer(run.id, CommandKind.CONCURRENCY, once="once", target=20).status == 202


@pytest.mark.parametrize(
    ("payload", "kept"),
    [
        ({"rate": "20/min"}, {"key": "run", "rate": "20/1m"}),
        ({"key": "domain:Gmail.com", "rate": "1/2m"}, {"key": "domain:gmail.com", "rate": "1/2m"}),
        ({"key": "account", "rate": "unlimited"}, {"key": "account", "rate": "unlimited"}),
    ],
)
def test_a_rate_is_read_as_a_job_file_writes_it(room: SendingRoom, payload: dict, kept: dict) -> None:
    run = room.add(10)

    assert room.steer(run.id, CommandKind.RATE, **payload).payload == kept
    assert room.run(run.id).rates == {kept["key"]: kept["rate"]}


@pytest.mark.parametrize(
    ("payload", "path"),
    [({"rate": "fast"}, "rate"), ({}, "rate"), ({"key": "weather", "rate": "1/s"}, "key"), ({"key": "domain:"}, "key")],
)
def test_a_rate_that_is_none_is_refused(room: SendingRoom, payload: dict, path: str) -> None:
    run = room.add(10)
    with pytest.raises(ValidationFailed) as refused:
        room.steer(run.id, CommandKind.RATE, **payload)
    assert refused.value.problems[0].path == path


def test_a_viewer_a_stranger_and_another_workspace_steer_nothing(room: SendingRoom) -> None:
    run = room.add(10)
    with pytest.raises(AccessDenied):
        room.steer(run.id, CommandKind.CANCEL, by=room.databases.member(Role.VIEWER))
    with pytest.raises(ResourceNotFound):
        room.steer(run.id, CommandKind.CANCEL, by=room.databases.member(Role.ADMIN, OTHER_WORKSPACE))
    elsewhere = room.add(10, workspace_id=OTHER_WORKSPACE)
    with pytest.raises(ResourceNotFound):
        room.steer(elsewhere.id, CommandKind.CANCEL)


def test_a_command_broken_off_anywhere_leaves_nothing(room: SendingRoom) -> None:
    run = room.add(10)
    room.begun()
    ask = SteerAsk(WORKSPACE, run.id, CommandKind.CANCEL, "once", {"reason": "stop"})

    _, broken = breaking_off_everywhere(
        room.databases, room.operator, lambda uow: sending.steer_run(uow, ask, room.around)
    )

    assert broken >= 10
