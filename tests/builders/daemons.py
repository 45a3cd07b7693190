"""Servers of other people, run for a test: unprivileged where they can be, on a free loopback port, in their own room.

A room is not below pytest's folder, because an unprivileged server cannot enter that one.
"""

import contextlib
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_UNPRIVILEGED = "nobody"
_LOOK_S = 0.01
_PORTS = (20_000, 32_000)
PATIENCE_S = 20.0


def free_port() -> int:
    """Below the ports that outgoing connections get, so that nothing takes it while its server is down."""
    while True:
        port = random.randrange(*_PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@contextmanager
def room(name: str, *, owned: bool = True) -> Iterator[Path]:
    """A folder that everybody may enter and, if `owned`, the unprivileged user owns; gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-"))
    folder.chmod(0o755)
    if owned and os.geteuid() == 0:
        owner = pwd.getpwnam(_UNPRIVILEGED)
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def unprivileged() -> Mapping[str, Any]:
    """For subprocess: root steps down, anybody else stays who they are."""
    if os.geteuid() != 0:
        return {}
    owner = pwd.getpwnam(_UNPRIVILEGED)
    return {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}


def wait_until(holds: Callable[[], bool], what: str, *, patience_s: float = PATIENCE_S) -> None:
    """Raises AssertionError where it never does."""
    until = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < until, f"waited {patience_s:.0f} s in vain: {what}"
        time.sleep(_LOOK_S)


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@dataclass
class Daemon:
    """One server in the foreground, with a process group of its own. Its output goes to `log`."""

    command: Sequence[str]
    port: int
    log: Path
    as_whom: Mapping[str, Any] = field(default_factory=unprivileged)
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Returns when it listens."""
        with self.log.open("ab") as log:
            self.process = process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", process_group=0, **self.as_whom
            )

        def is_ready() -> bool:
            assert process.poll() is None, f"{self.command[0]} ended at once:\n{self.said}"
            return is_listening(self.port)

        wait_until(is_ready, f"{self.command[0]} listens")

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Returns when it has ended. SIGKILL goes to all its processes, another signal to the first. Idempotent."""
        process, self.process = self.process, None
        if process is None or process.poll() is not None:
            return
        if how is signal.SIGKILL:
            os.killpg(process.pid, how)
        else:
            process.send_signal(how)
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    @property
    def said(self) -> str:
        return self.log.read_text("utf-8", "replace")
