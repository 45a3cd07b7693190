"""What a person sees and types: the question before a live send, keys while it runs, Ctrl-C once and twice."""

from pathlib import Path

from tests.builders.http_receiver import HANG, HttpReceiver
from tests.e2e.program import Desk, write_job, write_people

KEYS = {"concurrency": {"min": 1, "target": 2, "max": 8}, "rate": "40/s"}


def test_a_person_sees_the_message_tests_it_and_sends_it(tmp_path: Path) -> None:
    with HttpReceiver() as receiver:
        write_people(tmp_path, "p1", "p2")
        write_job(tmp_path, receiver.port)
        with Desk(tmp_path).terminal("send", "job.yaml") as terminal:
            terminal.see("2 of 2 rows")
            terminal.see("The first message:")
            terminal.see('{"hello":"Name of p1"}')
            terminal.see("[N]o:")
            terminal.press("t\n")
            terminal.see("FIELD=VALUE")
            terminal.press("id=me\n\n")
            terminal.see("accepted in")
            assert receiver.copies == {"me": 1}
            terminal.see("[N]o:")
            terminal.press("y\n")
            terminal.see("Everyone was reached.")
            assert terminal.ends() == 0
        assert receiver.copies == {"me": 1, "p1": 1, "p2": 1}


def test_anything_but_yes_sends_nothing_and_leaves_no_folder(tmp_path: Path) -> None:
    with HttpReceiver() as receiver:
        write_people(tmp_path, "p1")
        write_job(tmp_path, receiver.port)
        with Desk(tmp_path, {"POSTROAD_LANG": "zh"}).terminal("send", "job.yaml") as terminal:
            terminal.see("现在发送？")
            terminal.press("\n")
            terminal.see("没有发送任何消息。")
            assert terminal.ends() == 4
        assert receiver.copies.total() == 0
    assert not list((tmp_path / "sends").iterdir())


def test_ctrl_c_at_the_question_sends_nothing_and_leaves_no_folder(tmp_path: Path) -> None:
    write_people(tmp_path, "p1")
    write_job(tmp_path, 9)
    with Desk(tmp_path).terminal("send", "job.yaml") as terminal:
        terminal.see("[N]o:")
        terminal.press("\x03")
        terminal.see("Nothing was sent.")
        assert terminal.ends() == 130
    assert not list((tmp_path / "sends").iterdir())


def test_keys_pause_resume_and_change_concurrency_and_ctrl_c_cancels(tmp_path: Path) -> None:
    with HttpReceiver() as receiver:
        write_people(tmp_path, *(f"p{number}" for number in range(2_000)))
        write_job(tmp_path, receiver.port, policies=KEYS)
        with Desk(tmp_path).terminal("send", "job.yaml", "--yes") as terminal:
            terminal.see("p pause")
            receiver.wait_for(1)
            terminal.press("p")
            terminal.see("paused")
            terminal.press("r")
            terminal.see("resumed")
            terminal.press("+")
            terminal.see("concurrency (3)")
            terminal.press("-")
            terminal.see("concurrency (2)")
            terminal.press("\x03")
            terminal.see("Cancelling")
            terminal.see("Cancelled.")
            terminal.see("postroad send --only unsent")
            assert terminal.ends() == 4


def test_regression_a_second_ctrl_c_during_the_first_was_lost_and_the_send_went_on(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    with HttpReceiver(lambda recipient, _copy: HANG if recipient == "p1" else "200") as receiver:
        write_people(tmp_path, "p1", "p2", "p3")
        write_job(tmp_path, receiver.port, policies=KEYS | {"concurrency": 1})
        with desk.terminal("send", "job.yaml", "--yes", "--out", "first") as terminal:
            receiver.wait_for(1)
            terminal.see("p pause")
            terminal.press("\x03")
            terminal.see("Cancelling")
            terminal.press("\x03")
            terminal.see("Stopping at once.")
            terminal.see("postroad send --resume first")
            assert terminal.ends() == 130
        assert "unfinished, can be resumed" in desk.run("runs").out
        resumed = desk.run("send", "--resume", "first", "--json")
        assert resumed.code == 3
        assert (resumed.last_object["succeeded"], resumed.last_object["unknown"]) == (2, 1)
        assert receiver.copies == {"p1": 1, "p2": 1, "p3": 1}
