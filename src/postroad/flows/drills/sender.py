"""The program under drill: the installed sender as a process that can be killed."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Ending:
    code: int
    summary: Mapping[str, object] | None
    """The last line of its output, where that is JSON."""
    said: str
    """The end of what it wrote to standard error."""


class Sender:
    """One life of the sender. `command` is how the program is started; output goes to files beside the send."""

    def __init__(
        self, command: Sequence[str], arguments: Sequence[str], folder: Path, extra: Mapping[str, str]
    ) -> None:
        self._out, self._err = folder / "sender.out", folder / "sender.err"
        environment = {**os.environ, "POSTROAD_HOME": str(folder / "home"), "POSTROAD_LANG": "en", **extra}
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self._process = subprocess.Popen(  # noqa: S603  (run: the command is a list, no shell parses it; until 2027-11-30)
                [*command, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment, cwd=folder
            )

    def wait(self, timeout_s: float) -> bool:
        """Whether it ended by itself within `timeout_s`. Blocks."""
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self, which: int) -> None:
        """SIGKILL to one process of the sender, counted as in `signal`."""
        if self.signal(which, signal.SIGKILL) == self._process.pid:
            self._process.wait()

    def signal(self, which: int, number: int) -> int:
        """To one process of the sender: 0 is the sender itself, the others its children by age. Returns its pid."""
        family = [self._process.pid, *_children(self._process.pid)]
        target = family[which % len(family)]
        os.kill(target, number)
        return target

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ending(self) -> Ending:
        lines = self._out.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        try:
            summary = json.loads(lines[-1]) if lines else None
        except ValueError:
            summary = None
        said = self._err.read_text(encoding="utf-8", errors="replace")[-2000:]
        return Ending(self._process.wait(), summary if isinstance(summary, dict) else None, said)


def _children(pid: int) -> list[int]:
    """Child processes, where the system tells (Linux); elsewhere none."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
