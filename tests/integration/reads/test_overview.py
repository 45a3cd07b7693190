"""The first page of a workspace."""

from datetime import UTC, datetime

import pytest
from tests.builders.databases import OTHER_WORKSPACE, WORKSPACE, Databases
from tests.builders.runs import RunRoom, counts

from postroad.reads.overview import Overview, get_overview
from postroad.vocabulary.refusals import ResourceNotFound, ValidationFailed
from postroad.vocabulary.roles import Role
from postroad.vocabulary.transitions import RunState

DAY_MS = 86_400_000


def _at(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


def _overview(databases: Databases, timezone: str = "UTC") -> Overview:
    return databases.database.read(
        databases.member(Role.VIEWER), lambda reading: get_overview(reading, WORKSPACE, timezone)
    )


def _ended(room: RunRoom, **outcomes: int) -> str:
    run = room.add(sum(outcomes.values()))
    state = RunState.SUCCEEDED if set(outcomes) <= {"succeeded", "skipped"} else RunState.PARTIAL
    room.finish(room.begun(), counts(sum(outcomes.values()), **outcomes), state)
    room.end(run.id)
    return run.id


def test_an_empty_workspace_shows_zeros_and_fourteen_days(databases: Databases) -> None:
    databases.clock.ms = _at("2026-12-01T12:00:00")
    view = _overview(databases)
    assert (view.counters.total, view.active, view.recent) == (0, (), ())
    assert [day.day.isoformat() for day in view.trend][::13] == ["2026-11-18", "2026-12-01"]
    assert {(day.runs, day.succeeded, day.failed) for day in view.trend} == {(0, 0, 0)}


def test_runs_are_counted_by_how_they_stand(databases: Databases) -> None:
    room = RunRoom(databases)
    well, badly = _ended(room, succeeded=5), _ended(room, succeeded=3, failed=1, unknown=1)
    going = room.add(10).id
    view = _overview(databases)
    shown = view.counters
    assert (shown.total, shown.active, shown.succeeded, shown.problem) == (3, 1, 1, 1)
    assert [run.id for run in view.active] == [going]
    assert [run.id for run in view.recent] == [badly, well]


def test_ten_of_each_are_shown_the_newest_first(databases: Databases) -> None:
    room = RunRoom(databases)
    made = [room.add(1).id for _ in range(11)]
    view = _overview(databases)
    assert [run.id for run in view.active] == made[:0:-1]
    assert view.counters.active == 11


def test_a_dry_run_is_shown_and_counted_nowhere(databases: Databases) -> None:
    room = RunRoom(databases)
    dry = room.add(10, dry_run=True)
    view = _overview(databases)
    assert [run.id for run in view.active] == [dry.id]
    assert (view.counters.total, view.trend[-1].runs) == (0, 0)


def test_a_day_holds_what_was_started_on_it_and_what_became_of_it(databases: Databases) -> None:
    room = RunRoom(databases)
    for moment in ("2026-11-17T23:59:59.999", "2026-11-18T00:00:00", "2026-11-30T08:00:00", "2026-12-01T00:00:00"):
        databases.clock.ms = _at(moment)
        _ended(room, succeeded=3, failed=1, skipped=1)
    databases.clock.ms = _at("2026-12-01T12:00:00")
    found = {
        day.day.isoformat(): (day.runs, day.succeeded, day.failed, day.skipped) for day in _overview(databases).trend
    }
    assert {day: row for day, row in found.items() if row[0]} == {
        "2026-11-18": (1, 3, 1, 1),
        "2026-11-30": (1, 3, 1, 1),
        "2026-12-01": (1, 3, 1, 1),
    }


def test_a_day_is_one_of_the_time_zone_that_is_asked_for(databases: Databases) -> None:
    room = RunRoom(databases)
    databases.clock.ms = _at("2026-11-30T17:00:00")
    _ended(room, succeeded=1)
    assert [day.runs for day in _overview(databases, "Asia/Shanghai").trend][-2:] == [0, 1]
    shanghai = _overview(databases, "Asia/Shanghai")
    assert (shanghai.trend[-1].day.isoformat(), shanghai.timezone) == ("2026-12-01", "Asia/Shanghai")
    assert _overview(databases).trend[-1].day.isoformat() == "2026-11-30"


def test_a_day_on_which_the_clocks_change_keeps_all_its_runs(databases: Databases) -> None:
    room = RunRoom(databases)
    for hour in range(25):
        databases.clock.ms = _at("2026-10-24T22:00:00") + hour * 3_600_000
        room.add(1)
    databases.clock.ms = _at("2026-10-27T12:00:00")
    found = {day.day.isoformat(): day.runs for day in _overview(databases, "Europe/Berlin").trend if day.runs}
    assert found == {"2026-10-25": 25}


@pytest.mark.parametrize("name", ["", "Mars/Olympus", "../../etc/passwd", "\x00", "x" * 10_000])
def test_what_is_no_time_zone_is_refused(databases: Databases, name: str) -> None:
    with pytest.raises(ValidationFailed):
        _overview(databases, name)


def test_another_workspace_counts_for_nothing(databases: Databases) -> None:
    RunRoom(databases).add(5, workspace_id=OTHER_WORKSPACE)
    view = _overview(databases)
    assert (view.counters.total, view.active) == (0, ())
    with pytest.raises(ResourceNotFound):
        databases.database.read(databases.member(Role.ADMIN), lambda reading: get_overview(reading, OTHER_WORKSPACE))
