"""The demonstration as a newcomer meets it, also when it is stopped in the middle."""

import os
import signal
from pathlib import Path

from tests.e2e.program import Desk


def test_ctrl_c_ends_the_demonstration_and_its_sender(tmp_path: Path) -> None:
    with Desk(tmp_path).terminal("demo", "--folder", "demo") as terminal:
        terminal.see("p pause")
        terminal.press("\x03")
        terminal.see("Cancelled.")
        terminal.see(f"Stopped. Everything is left in {tmp_path / 'demo'}")
        assert terminal.ends() == 130
        assert "Traceback" not in terminal.screen


def test_regression_a_demonstration_whose_sender_was_cancelled_called_it_a_bug(tmp_path: Path) -> None:
    with Desk(tmp_path).terminal("demo", "--folder", "demo") as terminal:
        terminal.see("p pause")
        program = terminal.process.pid
        children = Path(f"/proc/{program}/task/{program}/children").read_text().split()
        os.kill(int(children[-1]), signal.SIGTERM)
        terminal.see("the demonstration ended early: the sender ended before it was killed, with exit code 4")
        assert terminal.ends() == 1
