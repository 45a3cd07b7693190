"""The installed program as a person or a script uses it: with pipes, or in a terminal of its own."""

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

PROGRAM = Path(sys.executable).parent / "postroad"
PATIENCE_S = 40.0


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def last_object(self) -> dict[str, Any]:
        found = json.loads(self.out.splitlines()[-1])
        assert isinstance(found, dict)
        return found


@dataclass(frozen=True)
class Desk:
    """A working folder with a home of its own."""

    folder: Path
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return kept | {"POSTROAD_HOME": str(self.folder / "home"), "TERM": "xterm", "COLUMNS": "120"} | dict(self.more)

    def run(self, *arguments: str) -> Said:
        done = subprocess.run(
            [str(PROGRAM), *arguments],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=PATIENCE_S,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [str(PROGRAM), *arguments],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def terminal(self, *arguments: str) -> "Terminal":
        return Terminal(self, arguments)


class Terminal:
    """The program in a pseudo terminal of 120 columns: `see` waits for a text, `press` types."""

    def __init__(self, desk: Desk, arguments: tuple[str, ...]) -> None:
        self._master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (40, 120))
        self.screen = ""
        self.process = subprocess.Popen(
            [str(PROGRAM), *arguments],
            cwd=desk.folder,
            env=desk.environment,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)

    def see(self, text: str) -> None:
        """Blocks until `text` was written after what was seen before. Raises AssertionError where it never comes."""
        until = time.monotonic() + PATIENCE_S
        while text not in self.screen:
            assert time.monotonic() < until, f"{text!r} never came; the screen ends with:\n{self.screen[-1500:]}"
            assert self._read(), f"the program ended without {text!r}; the screen ends with:\n{self.screen[-1500:]}"
        self.screen = self.screen.partition(text)[2]

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def ends(self) -> int:
        while self._read():
            pass
        return self.process.wait(PATIENCE_S)

    def _read(self) -> bool:
        if not select.select([self._master], [], [], PATIENCE_S)[0]:
            return False
        try:
            chunk = os.read(self._master, 65_536)
        except OSError:
            return False
        self.screen += chunk.decode("utf-8", "replace")
        return bool(chunk)


def _take_terminal() -> None:
    """Makes standard input the terminal that Ctrl-C of this session comes from."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def write_people(folder: Path, *ids: str) -> Path:
    path = folder / "people.csv"
    path.write_text("id,name\n" + "".join(f"{name},Name of {name}\n" for name in ids), encoding="utf-8")
    return path


def write_job(folder: Path, port: int, **changes: Any) -> Path:
    job: dict[str, Any] = {
        "name": "welcome",
        "provider": "http",
        "account": {"baseUrl": f"http://127.0.0.1:{port}"},
        "message": {"path": "/to/{{ id }}", "bodyTemplate": {"hello": "{{ name }}"}},
        "audience": {"file": "people.csv", "key": "id"},
        "policies": {"concurrency": 4, "rate": "unlimited", "retry": {"maxAttempts": 1}},
    }
    path = folder / "job.yaml"
    path.write_text(json.dumps(job | changes), encoding="utf-8")
    return path
