"""Folders that were copied, lost a part or were changed: nothing is sent that may have been sent before."""

import shutil
from pathlib import Path

import pytest
from tests.behaviour.local_runs.sending import Watch, send, surroundings, write_job, write_people
from tests.builders.http_receiver import OK, HttpReceiver

from postroad.flows.local_runs import (
    ResendOrder,
    ResumeOrder,
    export_public_key,
    resend,
    resume_send,
    verify_receipt,
)
from postroad.flows.local_runs.keeping.folder import SendFolder
from postroad.vocabulary.errors import AlreadyRunning, SendConflict
from postroad.vocabulary.outcomes import Outcome
from postroad.vocabulary.transitions import RunState


class StopsHard(Watch):
    """Aborts at the first sign of life."""

    def started(self, send: object, controls: object, /) -> None:
        super().started(send, controls)  # type: ignore[arg-type]
        assert self.controls is not None
        self.controls.abort()


def _unfinished(folder: Path, port: int) -> Path:
    write_people(folder, 50)
    assert send(folder, write_job(folder, port), watch=StopsHard()).state is RunState.LOST
    return folder / "out"


def test_regression_a_copy_of_a_send_was_resumed_beside_the_original(tmp_path: Path) -> None:
    with HttpReceiver() as receiver:
        out = _unfinished(tmp_path, receiver.port)
        shutil.copytree(out, tmp_path / "copy")
        with pytest.raises(SendConflict, match=r"copy is a copy of \S+out"):
            resume_send(ResumeOrder(tmp_path / "copy"), surroundings(tmp_path))
        out.rename(tmp_path / "moved")

        summary = resume_send(ResumeOrder(tmp_path / "moved"), surroundings(tmp_path))

    assert summary.counts.settled == 50
    assert max(receiver.copies.values()) == 1


def test_regression_without_its_journal_folder_a_send_began_from_the_start(tmp_path: Path) -> None:
    with HttpReceiver() as receiver:
        out = _unfinished(tmp_path, receiver.port)
        shutil.rmtree(out / "journal")
        before = dict(receiver.copies)
        with pytest.raises(SendConflict, match=r"journal is gone, and with it who was sent to"):
            resume_send(ResumeOrder(out), surroundings(tmp_path))
    assert dict(receiver.copies) == before


def test_regression_edited_results_decided_who_gets_another_copy(tmp_path: Path) -> None:
    write_people(tmp_path, 4)
    with HttpReceiver(lambda who, copy: "404" if who == "p1" else OK) as receiver:
        job = write_job(tmp_path, receiver.port)
        send(tmp_path, job)
        send(tmp_path, job, out="other", again=True)
    shutil.copy(tmp_path / "other" / "results.parquet", tmp_path / "out" / "results.parquet")
    order = ResendOrder(tmp_path / "out", frozenset({Outcome.FAILED}), out=tmp_path / "again")

    with pytest.raises(SendConflict, match=r"results\.parquet is not the file of receipt\.json"):
        resend(order, surroundings(tmp_path))

    assert not (tmp_path / "again").exists()


def test_regression_an_edited_audience_was_sent_again_to_strangers(tmp_path: Path) -> None:
    write_people(tmp_path, 4)
    with HttpReceiver(lambda who, copy: "404" if who == "p1" else OK) as receiver:
        send(tmp_path, write_job(tmp_path, receiver.port))
        write_people(tmp_path, 5)
        send(tmp_path, write_job(tmp_path, receiver.port), out="other")
    shutil.copy(tmp_path / "other" / "audience.parquet", tmp_path / "out" / "audience.parquet")
    order = ResendOrder(tmp_path / "out", frozenset({Outcome.FAILED}), out=tmp_path / "again")

    with pytest.raises(SendConflict, match="is not the frozen one"):
        resend(order, surroundings(tmp_path))


@pytest.mark.parametrize(("name", "text"), [("ended.json", "{}"), ("ended.json", "[]"), ("job.json", "{}")])
def test_regression_a_spoilt_file_of_the_folder_ended_in_a_traceback(tmp_path: Path, name: str, text: str) -> None:
    with HttpReceiver() as receiver:
        write_people(tmp_path, 4)
        send(tmp_path, write_job(tmp_path, receiver.port))
    (tmp_path / "out" / name).write_text(text, encoding="utf-8")
    with pytest.raises(SendConflict, match=rf"{name} is not what was written there"):
        resume_send(ResumeOrder(tmp_path / "out"), surroundings(tmp_path))


def test_regression_what_a_killed_export_left_stayed_in_the_folder(tmp_path: Path) -> None:
    with HttpReceiver() as receiver:
        write_people(tmp_path, 4)
        send(tmp_path, write_job(tmp_path, receiver.port))
    left = tmp_path / "out" / ".export-1"
    left.mkdir()
    (left / "results.parquet").write_bytes(b"half a file with names in it")
    resume_send(ResumeOrder(tmp_path / "out"), surroundings(tmp_path))
    assert not left.exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"failed": 0', '"failed": 1e999'),
        ('"startedAtMs": ', '"startedAtMs": NaN, "was": '),
        ('"name": "', '"name": "\\ud800'),
        ("{", "[" * 100_000),
    ],
)
def test_regression_a_forged_receipt_ended_in_a_traceback(tmp_path: Path, before: str, after: str) -> None:
    with HttpReceiver() as receiver:
        write_people(tmp_path, 2)
        send(tmp_path, write_job(tmp_path, receiver.port))
    receipt = tmp_path / "out" / "receipt.json"
    good = receipt.read_text(encoding="utf-8")
    assert before in good
    receipt.write_text(good.replace(before, after, 1), encoding="utf-8")
    checked = verify_receipt(receipt, export_public_key(surroundings(tmp_path).home))
    assert not checked.ok
    assert "is not a receipt" in checked.problems[0]


def test_regression_a_removed_lock_let_a_second_process_send_to_the_same_people(tmp_path: Path) -> None:
    with HttpReceiver() as receiver:
        out = _unfinished(tmp_path, receiver.port)
        with SendFolder(out).held():
            (out / "lock").unlink()
            assert SendFolder(out).is_held
            with pytest.raises(AlreadyRunning):
                resume_send(ResumeOrder(out, wait_s=0.0), surroundings(tmp_path))
        assert not SendFolder(out).is_held
