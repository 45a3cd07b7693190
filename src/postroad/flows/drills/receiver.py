"""A receiver process as its drill sees it: start it, know its port, ask for its ledger, end it."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from postroad.flows.drills.receivers.weather import Fate


@dataclass(frozen=True, slots=True)
class LedgerReport:
    copies: Mapping[str, int]
    """Copies that arrived, by recipient."""
    requests: int
    fates: Mapping[str, int]
    doubtful: int
    """Recipients whom the receiver's own cuts left in doubt."""
    in_flight: int
    in_flight_max: int


class Receiver:
    """Blocking. Use it as a context manager: the process ends with the block, or with us."""

    def __init__(
        self, kind: str, seed: int, odds: Mapping[Fate, float], *, slow_for_s: float = 0.05, throttle_for_s: int = 1
    ) -> None:
        self._plan = {
            "kind": kind,
            "seed": seed,
            "odds": {str(fate): chance for fate, chance in odds.items()},
            "slowForS": slow_for_s,
            "throttleForS": throttle_for_s,
        }
        self._process: subprocess.Popen[str] | None = None
        self.port = 0

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "postroad.flows.drills.receivers", json.dumps(self._plan)]
        # A session of its own: Ctrl-C is for the drill, which closes the pipe and so ends the receiver.
        self._process = subprocess.Popen(  # noqa: S603  (run: the command is a list, no shell parses it; until 2027-11-30)
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        try:
            self.port = int(json.loads(self._read())["port"])
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.stdin is not None and process.stdout is not None:
            process.stdin.close()
            process.wait(timeout=10)
            process.stdout.close()

    def report(self) -> LedgerReport:
        if self._process is None or self._process.stdin is None:
            raise RuntimeError("the receiver is not running")
        self._process.stdin.write("report\n")
        self._process.stdin.flush()
        said = json.loads(self._read())
        counts = said["doubtful"], said["inFlight"], said["inFlightMax"]
        return LedgerReport(said["copies"], said["requests"], said["fates"], *counts)

    def _read(self) -> str:
        if self._process is None or self._process.stdout is None:
            raise RuntimeError("the receiver is not running")
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the receiver ended by itself")
        return line
