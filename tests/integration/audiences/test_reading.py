"""Reading in the background: one reader, its lease, its end by force, and what a dead one leaves."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from tests.integration.audiences.desk import Desk, at, read_here

from postroad.modules import audiences
from postroad.modules.audiences import FileSource, ImportState, Layout, ReadingRules
from postroad.recipients import ImportReport, import_audience
from postroad.vocabulary.errors import PostroadError

MANY = "n\n" + "".join(f"{number}\n" for number in range(100_000))


class Held:
    """A reading that begins, waits for the test, and then goes on in this process."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.killed = threading.Event()

    def read(self, request: Any, *, on_start: Callable[[Callable[[], None]], None], **options: Any) -> ImportReport:
        on_start(self._kill)
        self.begun.set()
        assert self.go_on.wait(30)
        if self.killed.is_set():
            raise PostroadError("the process ended early (signal 9)")
        return read_here(request, on_start=on_start, **options)

    def _kill(self) -> None:
        self.killed.set()
        self.go_on.set()


def in_thread(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_progress_is_seen_while_it_is_read(sqlite_desk: Desk) -> None:
    begun, held = sqlite_desk.made_up(3), Held()
    thread = in_thread(sqlite_desk.reader(read=held.read).tick)
    assert held.begun.wait(30)
    seen = sqlite_desk.import_now(begun.id)
    assert (seen.state, seen.is_being_read) == (ImportState.UPLOADED, True)
    held.go_on.set()
    thread.join(30)
    assert sqlite_desk.import_now(begun.id).is_being_read is False


def test_two_readers_at_once_read_two_imports(desk: Desk) -> None:
    first, second, held = desk.made_up(3), desk.made_up(4), Held()
    thread = in_thread(desk.reader("one", held.read).tick)
    assert held.begun.wait(30)
    other = desk.reader("two")
    assert other.tick() is True
    assert other.tick() is False
    assert desk.import_now(second.id).state is ImportState.PARSED
    held.go_on.set()
    thread.join(30)
    assert desk.import_now(first.id).state is ImportState.PARSED


def test_an_import_that_was_being_read_when_the_service_was_killed_is_read_again(desk: Desk) -> None:
    begun = desk.made_up(3)

    class Killed(BaseException):
        pass

    def die(request: Any, **options: Any) -> ImportReport:
        raise Killed

    with pytest.raises(Killed):
        desk.reader("killed", die).tick()
    again = desk.reader("restarted")
    assert again.tick() is False
    desk.databases.clock.advance(s=30)
    assert again.tick() is True
    assert desk.import_now(begun.id).state is ImportState.PARSED


def test_an_import_that_ends_the_service_is_not_tried_a_fourth_time(sqlite_desk: Desk) -> None:
    begun = sqlite_desk.made_up(3)

    def die(request: Any, **options: Any) -> ImportReport:
        raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            sqlite_desk.reader(read=die).tick()
        sqlite_desk.databases.clock.advance(s=30)
    assert sqlite_desk.reader().tick() is True
    failed = sqlite_desk.import_now(begun.id)
    assert failed.state is ImportState.FAILED
    assert failed.reason is not None
    assert "ended the service 3 times" in failed.reason.message


def test_a_reader_whose_lease_was_lost_writes_nothing(desk: Desk) -> None:
    begun, held = desk.made_up(3), Held()
    thread = in_thread(desk.reader("slow", held.read, beat_s=3600).tick)
    assert held.begun.wait(30)
    desk.databases.clock.advance(s=30)
    assert desk.reader("fast").tick() is True
    parsed = desk.import_now(begun.id)
    held.go_on.set()
    thread.join(30)
    assert desk.import_now(begun.id) == parsed
    assert parsed.staged is not None
    assert desk.is_kept(parsed.staged.artifact_id)
    assert list(desk.work.iterdir()) == []


def test_discarding_ends_the_reading(desk: Desk) -> None:
    begun, held = desk.received("a\n1\n"), Held()
    thread = in_thread(desk.reader(read=held.read).tick)
    assert held.begun.wait(30)
    desk.write(lambda uow: audiences.discard_import(uow, at(begun), desk.keeper))
    assert held.killed.wait(30)
    thread.join(30)
    assert desk.import_now(begun.id).state is ImportState.DISCARDED
    assert list(desk.work.iterdir()) == []


def test_changing_ends_the_reading_and_begins_another(desk: Desk) -> None:
    begun, held = desk.received("a,b\n1,2\n"), Held()
    reader = desk.reader(read=held.read)
    thread = in_thread(reader.tick)
    assert held.begun.wait(30)
    desk.changed(begun, FileSource("people.csv"), Layout(mapping={"x": "b"}))
    assert held.killed.wait(30)
    thread.join(30)
    parsed = desk.read_through(begun)
    assert parsed.report is not None
    assert parsed.report["columns"][1]["also"] == ["x"]


def test_a_stopping_service_gives_the_import_back_for_the_next_start(sqlite_desk: Desk) -> None:
    begun, held = sqlite_desk.made_up(3), Held()
    reader = sqlite_desk.reader(read=held.read)
    thread = in_thread(reader.tick)
    assert held.begun.wait(30)
    reader.stop()
    thread.join(30)
    assert held.killed.is_set()
    assert reader.tick() is False
    seen = sqlite_desk.import_now(begun.id)
    assert (seen.state, seen.is_being_read) == (ImportState.UPLOADED, False)
    assert sqlite_desk.read_through(begun).state is ImportState.PARSED


def test_reading_that_takes_too_long_is_ended_and_said_so(sqlite_desk: Desk) -> None:
    sqlite_desk.rules = ReadingRules(longest_s=0.0)
    failed = sqlite_desk.read_through(sqlite_desk.received(MANY), read=import_audience)
    assert failed.reason is not None
    assert "took longer than 0 seconds" in failed.reason.message
