"""A disk that fills up under the journal: nothing more is sent, nothing is lost, and there it goes on."""

import errno
from dataclasses import replace
from pathlib import Path

import pytest
from tests.behaviour.local_runs.sending import column, surroundings, write_job, write_people
from tests.builders.http_receiver import HttpReceiver

from postroad.flows.local_runs import ResumeOrder, SendOrder, open_send, prepare_send, resume_send, start_send
from postroad.journal import REAL
from postroad.vocabulary.errors import StorageFull
from postroad.vocabulary.transitions import RunState


class Filling(type(REAL)):  # type: ignore[misc]
    """The real file system until `allowed` bytes are written; then it is full."""

    def __init__(self, allowed: int) -> None:
        super().__init__()
        self.allowed = allowed

    def write(self, handle: int, data: bytes) -> int:
        self._take(len(data))
        return REAL.write(handle, data)

    def reserve(self, handle: int, offset: int, length: int) -> bool:
        self._take(0)
        return REAL.reserve(handle, offset, length)

    def _take(self, size: int) -> None:
        self.allowed -= size
        if self.allowed < 0:
            raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_stops_the_send_and_a_resume_ends_it(tmp_path: Path) -> None:
    write_people(tmp_path, 300)
    with HttpReceiver() as receiver:
        full = replace(surroundings(tmp_path), file_system=Filling(6_000))
        prepared = prepare_send(SendOrder(write_job(tmp_path, receiver.port), out=tmp_path / "out"), full)
        summary = start_send(prepared, full)
        assert (summary.state, summary.exit_code) == (RunState.LOST, 130)
        assert "JOURNAL" in summary.reason
        stopped_at = receiver.copies.total()
        assert stopped_at < 300
        assert open_send(tmp_path / "out").can_resume
        ended = resume_send(ResumeOrder(tmp_path / "out"), surroundings(tmp_path))
    assert ended.counts.succeeded + ended.counts.unknown == 300
    assert set(receiver.copies.values()) == {1}
    unknown = set(column(tmp_path / "out" / "unknown.csv", "id"))
    assert {f"p{number}" for number in range(300)} - receiver.copies.keys() <= unknown
    assert len(unknown) <= 8


def test_regression_no_room_for_the_results_did_not_say_that_everybody_was_sent_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_people(tmp_path, 3)

    def no_room(*_: object, **_named: object) -> None:
        raise StorageFull("no room is left in out; free some space and go on, nothing is lost")

    with HttpReceiver() as receiver:
        prepared = prepare_send(
            SendOrder(write_job(tmp_path, receiver.port), out=tmp_path / "out"), surroundings(tmp_path)
        )
        with monkeypatch.context() as full:
            full.setattr("postroad.flows.local_runs.ending.finish.export_results", no_room)
            with pytest.raises(StorageFull, match=r"the send has ended.*--resume"):
                start_send(prepared, surroundings(tmp_path))
    assert resume_send(ResumeOrder(tmp_path / "out"), surroundings(tmp_path)).counts.succeeded == 3
