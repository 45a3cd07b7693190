"""The installed program against a service of its own: the first minutes of somebody at a terminal, and bad days."""

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders.http_receiver import HANG, HttpReceiver
from tests.builders.served import Served, served
from tests.e2e.program import Desk, write_job, write_people

PASSWORD = "correct horse battery"
LOOPBACK = {"POSTROAD_SECURITY_ALLOWED_NETWORKS": "127.0.0.0/8"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "service" / "data"


@pytest.fixture
def running(data: Path) -> Iterator[Served]:
    data.parent.mkdir()
    with served(data, more=LOOPBACK) as found:
        yield found


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    folder = tmp_path / "work"
    folder.mkdir()
    return Desk(folder)


def signed_in(desk: Desk, running: Served) -> None:
    with desk.terminal("login", "--link", running.setup_link) as terminal:
        terminal.see("You make the first administrator of")
        terminal.see("Username: ")
        terminal.press("root\n")
        for prompt in ("New password: ", "The same again: "):
            terminal.see(prompt)
            terminal.press(f"{PASSWORD}\n")
        terminal.see("Signed in at")
        assert terminal.ends() == 0
        assert PASSWORD not in terminal.screen


def test_the_first_minutes_at_a_terminal(desk: Desk, running: Served) -> None:
    signed_in(desk, running)
    with HttpReceiver() as receiver:
        write_people(desk.folder, "p1", "p2", "p3")
        write_job(desk.folder, receiver.port)
        pushed = desk.run("jobs", "push", "job.yaml")
        assert pushed.code == 0, pushed.err
        with desk.terminal("jobs", "run", "welcome") as terminal:
            terminal.see("The first message:")
            terminal.see("Send now?")
            terminal.press("n\n")
            terminal.see("Nothing was sent.")
            assert terminal.ends() == 4
        assert receiver.copies.total() == 0
        with desk.terminal("jobs", "run", "welcome") as terminal:
            terminal.see("Send now?")
            terminal.press("y\n")
            terminal.see("Everyone was reached.")
            terminal.see("postroad runs results")
            assert terminal.ends() == 0
        assert receiver.copies == {"p1": 1, "p2": 1, "p3": 1}
    with desk.terminal("runs", "list") as terminal:
        terminal.see("SUCCEEDED")
        assert terminal.ends() == 0


def test_ctrl_c_stops_the_watching_and_nothing_else(desk: Desk, running: Served) -> None:
    signed_in(desk, running)
    with HttpReceiver(lambda recipient, _copy: HANG if recipient == "p1" else "200") as receiver:
        write_people(desk.folder, "p1", "p2", "p3")
        write_job(desk.folder, receiver.port, policies={"concurrency": 1, "rate": "unlimited"})
        desk.run("jobs", "push", "job.yaml")
        with desk.terminal("jobs", "run", "welcome", "--yes") as terminal:
            receiver.wait_for(1)
            terminal.see("Ctrl-C stops watching")
            terminal.press("\x03")
            terminal.see("You stopped watching; the run goes on.")
            assert terminal.ends() == 130
            run_id = re.search(r"runs watch ([0-9a-f-]{36})", terminal.screen)
        assert run_id is not None
        receiver.release()
        watched = desk.run("runs", "watch", run_id[1])
    assert watched.code == 0, watched.err
    assert receiver.copies == {"p1": 1, "p2": 1, "p3": 1}


def test_keys_pause_and_resume_a_run_that_is_watched(desk: Desk, running: Served) -> None:
    signed_in(desk, running)
    with HttpReceiver() as receiver:
        write_people(desk.folder, *(f"p{number}" for number in range(60)))
        write_job(desk.folder, receiver.port, policies={"concurrency": 1, "rate": "10/s"})
        desk.run("jobs", "push", "job.yaml")
        with desk.terminal("jobs", "run", "welcome", "--yes") as terminal:
            receiver.wait_for(1)
            terminal.see("sending")
            terminal.press("p")
            terminal.see("paused")
            terminal.press("r")
            terminal.see("sending")
            terminal.press("\x03")
            assert terminal.ends() == 130


def test_a_service_that_goes_away_and_comes_back_loses_no_watcher(desk: Desk, running: Served, data: Path) -> None:
    signed_in(desk, running)
    with HttpReceiver(lambda recipient, _copy: HANG if recipient == "p1" else "200") as receiver:
        write_people(desk.folder, "p1", "p2", "p3")
        write_job(desk.folder, receiver.port, policies={"concurrency": 1, "rate": "unlimited"})
        desk.run("jobs", "push", "job.yaml")
        with desk.terminal("jobs", "run", "welcome", "--yes") as terminal:
            receiver.wait_for(1)
            terminal.see("Ctrl-C stops watching")
            running.stop(signal.SIGKILL)
            terminal.see("The connection to the service is lost")
            receiver.release()
            with served(data, ["--port", running.url.rpartition(":")[2]], more=LOOPBACK):
                terminal.see("Connected again.")
                terminal.see("Finished; not everyone was reached.")
                assert terminal.ends() == 3
    assert max(receiver.copies.values()) == 1


def test_keys_are_looked_at_rotated_and_dropped(desk: Desk, running: Served, data: Path) -> None:
    signed_in(desk, running)
    before = desk.run("keys", "status", "--data-dir", str(data), "--json").last_object
    (first,) = before["versions"]
    assert (first["isActive"], first["isNeeded"]) == (True, False)
    rotated = desk.run("keys", "rotate", "--data-dir", str(data))
    assert rotated.code == 0, rotated.err
    refused = desk.run("keys", "drop", first["name"], "--data-dir", str(data))
    assert refused.code == 2
    assert "may not have read it yet" in refused.err
    assert running.get("/health/ready").status_code == 200
    unknown = desk.run("keys", "drop", "k9-00000000", "--data-dir", str(data))
    assert "has no version k9-00000000" in unknown.err
