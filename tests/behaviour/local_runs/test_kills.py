"""Processes that die: the sender, one worker, the parent of a crew. The receiver counts what really arrived."""

import os
import random
import select
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.behaviour.local_runs.sending import (
    DIED,
    SenderProcess,
    Watch,
    column,
    resume,
    send,
    write_job,
    write_people,
)
from tests.builders.http_receiver import HANG, OK, HttpReceiver

from postroad.flows.local_runs import Notice, NoticeKind, SendProgress, open_send
from postroad.vocabulary.errors import AlreadyRunning
from postroad.vocabulary.transitions import RunState

IN_FLIGHT = 8


@pytest.mark.parametrize("workers", [1, 2])
def test_kills_at_random_lose_nobody_and_send_nobody_twice(tmp_path: Path, workers: int) -> None:
    people, kills = 600, 3
    write_people(tmp_path, people)
    chance = random.Random(workers)
    with HttpReceiver(slow_s=0.002) as receiver:
        sender = SenderProcess(tmp_path, write_job(tmp_path, receiver.port), workers=workers)
        for kill in range(kills):
            receiver.wait_for(1 + chance.randrange(100) + kill * people // (kills + 2))
            sender.kill()
            sender = SenderProcess(tmp_path, None)
        said = sender.ended()
    assert (said["total"], said["exit"] in (0, 3)) == (people, True)
    _check_books(tmp_path / "out", receiver, people)
    assert open_send(tmp_path / "out").counts.unknown <= kills * IN_FLIGHT


def _check_books(out: Path, receiver: HttpReceiver, people: int) -> None:
    """Nobody twice; whoever got nothing is listed as unknown; the files hold everybody once."""
    listed: dict[str, str] = {}
    for outcome in ("succeeded", "failed", "unknown", "unsent", "skipped"):
        for who in column(out / f"{outcome}.csv", "id"):
            assert listed.setdefault(who, outcome) == outcome
    assert set(receiver.copies.values()) == {1}
    assert set(listed) == {f"p{number}" for number in range(people)}
    assert {listed[who] for who in listed.keys() - receiver.copies.keys()} <= {"unknown"}
    assert set(listed.values()) <= {"succeeded", "unknown"}


def test_a_kill_before_any_file_is_in_its_place_is_mended_by_the_next_life(tmp_path: Path) -> None:
    write_people(tmp_path, 20)
    with HttpReceiver() as receiver:
        job = write_job(tmp_path, receiver.port)
        for started, rename, missing in (
            (True, 2, "frozen.json"),  # before the entry of the index
            (True, 3, "frozen.json"),  # between index and frozen.json: counts as not sent
            (True, 4, "ended.json"),
            (False, 1, "ended.json"),
            (False, 2, "summary.json"),
            (False, 2, "receipt.json"),
            (False, 0, ""),
        ):
            life = SenderProcess(tmp_path, job if started else None, die_at_rename=rename)
            assert life.exit_code() == (DIED if rename else 0), (rename, missing)
            assert not missing or not (tmp_path / "out" / missing).exists()
    _check_books(tmp_path / "out", receiver, 20)
    assert receiver.copies.total() == 20


def test_two_resumes_at_once_are_one_send(tmp_path: Path) -> None:
    write_people(tmp_path, 50)
    with HttpReceiver(lambda who, copy: HANG if who == "p20" and copy == 1 else OK) as receiver:
        job = write_job(tmp_path, receiver.port)
        sender = SenderProcess(tmp_path, job)
        receiver.wait_for(20)
        with pytest.raises(AlreadyRunning, match="another process"):
            resume(tmp_path, wait_s=0.1)
        sender.kill()
        both = [SenderProcess(tmp_path, None), SenderProcess(tmp_path, None)]
        receiver.release()
        answers = sorted((process.ended() for process in both), key=lambda said: said["exit"])
    assert answers[0].get("total", 50) == 50
    assert [said.get("error") for said in answers if said["exit"] == 2] in ([], ["AlreadyRunning"])
    _check_books(tmp_path / "out", receiver, 50)


def _workers_of(parent: int) -> list[int]:
    """The worker processes below `parent`."""
    found = []
    for thread in (Path("/proc") / str(parent) / "task").iterdir():
        for child in (thread / "children").read_text().split():
            if b"postroad.worker" in (Path("/proc") / child / "cmdline").read_bytes():
                found.append(int(child))
    return found


@pytest.fixture
def hanging() -> Iterator[HttpReceiver]:
    """Everybody from the fifth copy on hangs, so a send stands still until it is released."""
    with HttpReceiver() as receiver:
        receiver.__dict__["_fate"] = lambda _who, _copy: HANG if receiver.copies.total() > 4 else OK
        yield receiver


def test_workers_go_when_their_parent_is_killed_alone(tmp_path: Path, hanging: HttpReceiver) -> None:
    write_people(tmp_path, 40)
    sender = SenderProcess(tmp_path, write_job(tmp_path, hanging.port), workers=2)
    hanging.wait_for(12)
    workers = _workers_of(sender.process.pid)
    assert len(workers) == 2
    watched = [os.pidfd_open(worker) for worker in workers]
    sender.kill()
    gone = [select.select([handle], [], [], 10)[0] != [] for handle in watched]
    for handle in watched:
        os.close(handle)
    assert gone == [True, True]
    hanging.release()
    assert resume(tmp_path).counts.total == 40
    _check_books(tmp_path / "out", hanging, 40)


def test_a_worker_that_dies_is_replaced_and_its_shard_goes_on(tmp_path: Path, hanging: HttpReceiver) -> None:
    write_people(tmp_path, 40)

    class Killing(Watch):
        def noted(self, notice: Notice, /) -> None:
            super().noted(notice)
            if notice.kind is NoticeKind.WORKER:
                hanging.release()

    watch = Killing()
    job = write_job(tmp_path, hanging.port)
    killed: list[int] = []

    def fate(_who: str, _copy: int) -> str:
        if hanging.copies.total() <= 4:
            return OK
        if hanging.copies.total() == 10 and not killed:
            killed.append(_workers_of(os.getpid())[0])
            os.kill(killed[0], signal.SIGKILL)
        return HANG

    hanging.__dict__["_fate"] = fate
    summary = send(tmp_path, job, watch, workers=2)
    assert summary.counts.total == 40
    assert [notice.kind for notice in watch.notices if notice.kind is NoticeKind.WORKER] == [NoticeKind.WORKER]
    _check_books(tmp_path / "out", hanging, 40)
    assert summary.counts.unknown <= IN_FLIGHT


def test_secrets_reach_workers_by_the_pipe_alone(
    tmp_path: Path, hanging: HttpReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_people(tmp_path, 20)
    monkeypatch.setenv("POSTROAD_SECRET_API_TOKEN", "canary-4711")
    account = {
        "baseUrl": f"http://127.0.0.1:{hanging.port}",
        "auth": {"type": "BEARER", "token": {"$secret": "api-token"}},
    }
    sender = SenderProcess(tmp_path, write_job(tmp_path, hanging.port, account=account), workers=2)
    hanging.wait_for(8)
    for worker in _workers_of(sender.process.pid):
        proc = Path("/proc") / str(worker)
        assert b"canary-4711" not in (proc / "cmdline").read_bytes() + (proc / "environ").read_bytes()
    hanging.release()
    assert sender.ended()["state"] == "SUCCEEDED"
    assert [path for path in tmp_path.rglob("*") if path.is_file() and b"canary-4711" in path.read_bytes()] == []


def test_a_crew_keeps_one_rate_together(tmp_path: Path) -> None:
    write_people(tmp_path, 40)

    class Waiting(Watch):
        def progressed(self, progress: SendProgress, /) -> None:
            super().progressed(progress)
            if progress.waits_for and self.controls is not None and receiver.copies:
                self.controls.abort()

    with HttpReceiver() as receiver:
        job = write_job(tmp_path, receiver.port, policies={"rate": "1/h", "concurrency": 8})
        summary = send(tmp_path, job, Waiting(), workers=2)
    assert (summary.state, receiver.copies.total()) == (RunState.LOST, 1)
