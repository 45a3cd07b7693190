"""Every cell of the run machine against the store."""

from dataclasses import replace

import pytest
from sqlalchemy import func, select
from tests.builders.runs import RunRoom

from postroad.kernel.outbox import outbox_events
from postroad.kernel.uow import UnitOfWork
from postroad.modules.runs import Run
from postroad.modules.runs.commands.change import RunChange
from postroad.modules.runs.store import run_rows
from postroad.vocabulary.refusals import RunStateConflict, VersionConflict
from postroad.vocabulary.transitions import RUN_FINAL, RunEvent, RunState, next_run_state


@pytest.mark.parametrize("state", RunState)
def test_every_event_in_every_state_is_a_step_of_the_table_or_a_refusal(room: RunRoom, state: RunState) -> None:
    for event in RunEvent:
        run = _in_state(room, state)
        wanted = next_run_state(state, event)

        def move(uow: UnitOfWork, run: Run = run, event: RunEvent = event) -> Run:
            change = RunChange(uow, room.around, run_rows.lock_run(uow.connection, run.id))
            change.move((event,), "by the test")
            return change.save()

        if wanted is None:
            with pytest.raises(RunStateConflict):
                room.write(move)
            assert room.run(run.id) == run
            continue
        moved = room.write(move)
        assert moved.state is wanted
        assert room.run(run.id) == moved
        stayed = wanted is state
        assert moved.version == run.version + (0 if stayed else 1)
        assert [row.payload["to"] for row in room.events(run.id)[1:]] == ([] if stayed else [wanted.value])
        assert _told(room, moved) == (0 if stayed else 1)
        assert (moved.ended_at_ms is not None) == (wanted in RUN_FINAL)


def test_of_two_who_read_the_same_version_one_is_refused(room: RunRoom) -> None:
    run = room.add(10)

    def move(uow: UnitOfWork) -> None:
        RunChange(uow, room.around, run).move((RunEvent.LEASE,))

    room.write(move)
    with pytest.raises(VersionConflict):
        room.write(move)
    assert room.states(run.id) == ["PENDING", "LEASED"]


def _in_state(room: RunRoom, state: RunState) -> Run:
    run = room.add(10)

    def put(uow: UnitOfWork) -> Run:
        ended = uow.now_ms if state in RUN_FINAL else None
        return run_rows.save_run(
            uow.connection, run, replace(run, state=state, ended_at_ms=ended, started_at_ms=uow.now_ms), uow.now_ms
        )

    return room.write(put)


def _told(room: RunRoom, run: Run) -> int:
    same = (outbox_events.c.aggregate_id == run.id, outbox_events.c.aggregate_version == run.version)
    statement = select(func.count()).where(*same, outbox_events.c.name == "run.state_changed")
    return room.read(lambda reading: reading.connection.execute(statement).scalar_one())
