"""Which folders of runs go, and which stay."""

from dataclasses import dataclass, field

import pytest
from tests.builders.databases import Databases
from tests.builders.runs import RunRoom, counts

from postroad.flows.hosting import Clearing, clearing

DAY_MS = 86_400_000


@dataclass
class Folders:
    there: set[str] = field(default_factory=set)

    def ids(self) -> list[str]:
        return list(self.there)

    def remove(self, run_id: str) -> None:
        self.there.remove(run_id)


@pytest.fixture
def room(databases: Databases) -> RunRoom:
    return RunRoom(databases)


def _ended(room: RunRoom, *, with_results: bool = True) -> str:
    run = room.add(2)
    leased = next(one for one in room.claim() if one.fence.run_id == run.id)
    room.begin(leased)
    room.finish(leased, counts(2, succeeded=2))
    if with_results:
        room.end(run.id)
    return run.id


def test_only_folders_of_runs_that_ended_long_ago_go(room: RunRoom) -> None:
    old, without_results, unknown = _ended(room), _ended(room, with_results=False), "of-no-run"
    room.databases.clock.advance(ms=10 * DAY_MS)
    young, going_on = _ended(room), room.add(2).id
    folders = Folders({old, without_results, unknown, young, going_on})
    clears = Clearing(room.databases.database, folders, 5 * DAY_MS, room.databases.clock)

    assert not clears.tick()

    assert folders.there == {without_results, unknown, young, going_on}


def test_many_folders_are_looked_at_in_turn(room: RunRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clearing, "_LOOKED_AT", 3)
    monkeypatch.setattr(clearing, "_REMOVED", 1)
    ended = {_ended(room) for _ in range(4)}
    room.databases.clock.advance(ms=10 * DAY_MS)
    folders = Folders({*ended, *(f"a-{number}" for number in range(4))})
    clears = Clearing(room.databases.database, folders, DAY_MS, room.databases.clock)
    for _ in range(20):
        clears.tick()
    assert folders.there == {f"a-{number}" for number in range(4)}
