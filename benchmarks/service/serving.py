"""`postroad serve` as a process of its own, with SQLite, on loopback and a free port.

Its cores are its own choice. Only the brake on requests of one person is loosened: the loads are many people in one.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import ROOT

_SETTINGS = {
    "POSTROAD_SECURITY_ALLOWED_NETWORKS": "127.0.0.0/8",
    "POSTROAD_LIMITS_REQUESTS_PER_SECOND": "100000",
    "POSTROAD_LIMITS_BURST": "100000",
    "POSTROAD_LANG": "en",
}
_PATIENCE_S = 60.0
_LOOK_S = 0.01


@dataclass(frozen=True, slots=True)
class Serving:
    url: str
    setup_code: str
    data: Path
    log: Path
    process: "subprocess.Popen[bytes]"
    started_s: float
    """From the call of the program to its address."""

    def stop(self) -> None:
        """A clean stop; raises RuntimeError where it is none."""
        self.process.send_signal(signal.SIGTERM)
        if (code := self.process.wait(_PATIENCE_S)) != 0:
            raise RuntimeError(f"the service ended with {code}: {self.log.read_text('utf-8', 'replace')[-2000:]}")


@contextmanager
def serving(folder: Path) -> Iterator[Serving]:
    """Listening when the block begins; killed at its end where it was not stopped, with its workers."""
    data, log = folder / "data", folder / "serve.log"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("POSTROAD_")}
    command = [sys.executable, "-m", "postroad", "serve", "--data-dir", str(data), "--port", "0"]
    begun = time.perf_counter()
    with log.open("wb") as written:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**kept, **_SETTINGS, "POSTROAD_HOME": str(folder / "home")},
            stdout=written,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
    try:
        link = _link(process, log)
        yield Serving(link[0], link[1], data, log, process, time.perf_counter() - begun)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _link(process: "subprocess.Popen[bytes]", log: Path) -> tuple[str, str]:
    """The address and the code for the first administrator, once the service said them."""
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until and process.poll() is None:
        found = re.search(r"(http://127\.0\.0\.1:\d+)/setup#code=(\S+)", log.read_text("utf-8", "replace"))
        if found:
            return found[1], found[2]
        time.sleep(_LOOK_S)
    raise RuntimeError(f"the service did not come up: {log.read_text('utf-8', 'replace')[-2000:]}")
