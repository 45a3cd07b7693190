"""The demonstration: a spreadsheet as an office saves it, a lossy receiver, a kill in the middle, and the account.

It runs the installed program as anyone would and tells what happens as steps; words and colours belong to whoever
shows them. Everything is left in the folder, so every claim can be looked up.
"""

import csv
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from postroad.flows.drills.accounts import Comparison, compare
from postroad.flows.drills.receiver import Receiver
from postroad.flows.drills.receivers.weather import Fate
from postroad.flows.drills.spreadsheet import write_office_file
from postroad.journal import list_segments

_ODDS: Mapping[Fate, float] = {
    Fate.THROTTLE: 0.0004,
    Fate.UNAVAILABLE: 0.02,
    Fate.REJECT: 0.002,
    Fate.CUT_BEFORE: 0.0004,
    Fate.CUT_AFTER: 0.0004,
    Fate.SLOW: 0.20,
}
_SLOW_FOR_S = 0.2
"""Long enough that some message is always on its way: a kill then leaves somebody nobody can know about."""
_KILL_AFTER_PEOPLE = 0.4
_WATCH_EVERY_S = 0.2
_TIME_TO_CANCEL_S = 10.0
_DIED_WITH_THE_SENDER = "RESTARTED"
_OF_ONE = ("INTENT", "RETRY", "DOUBT", "FINAL")
"""Journal lines whose second field is a recipient's sequence."""


@dataclass(frozen=True, slots=True)
class PeopleMade:
    file: Path
    rows: int
    encoding: str


@dataclass(frozen=True, slots=True)
class Sending:
    command: Sequence[str]
    resumed: bool


@dataclass(frozen=True, slots=True)
class Killed:
    process: int
    arrived: int


@dataclass(frozen=True, slots=True)
class Accounted:
    folder: Path
    total: int
    comparison: Comparison
    fates: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class UnknownExplained:
    """One recipient nobody can know about, if possible one who was in flight at the kill."""

    row: Mapping[str, str]
    """Of `unknown.csv`."""
    copies: int
    """What the receiver saw of them."""
    lines: tuple[tuple[str, str], ...]
    """File and line of all the journal holds about them: an INTENT, and no RESULT in its life."""


Step = PeopleMade | Sending | Killed | Accounted | UnknownExplained


@dataclass(frozen=True, slots=True)
class Demo:
    """`command` starts the program; its output goes to this terminal. `folder` must be empty. Blocks for about 20 s."""

    command: Sequence[str]
    folder: Path
    count: int = 10_000
    seed: int = 20_260
    lasts_s: float = 10.0
    """How long its rate makes the send take, the kill apart."""
    tell: Callable[[Step], None] = lambda _step: None

    def run(self) -> Comparison:
        """Raises RuntimeError where the sender ends as it never should."""
        sheet = self.folder / "people.csv"
        usable = write_office_file(sheet, self.count)
        self.tell(PeopleMade(sheet, self.count + 3, "GB18030"))
        with Receiver("http", self.seed, _ODDS, slow_for_s=_SLOW_FOR_S) as receiver:
            job = self._job(receiver.port)
            self._killed_in_the_middle(job, receiver)
            self._resumed()
            report = receiver.report()
        compared = compare(self._out, "编号", usable, report.copies)
        self.tell(Accounted(self._out, compared.total, compared, report.fates))
        self._explain_one_unknown(report.copies)
        return compared

    @property
    def _out(self) -> Path:
        return self.folder / "send"

    def _job(self, port: int) -> Path:
        job = {
            "name": "demo",
            "provider": "http",
            "account": {"baseUrl": f"http://127.0.0.1:{port}"},
            "message": {
                "method": "POST",
                "path": "/messages",
                "bodyTemplate": {"id": "{{ id }}", "to": "{{ phone }}", "text": "{{ name }}，您好！"},
            },
            "audience": {
                "file": "people.csv",
                "key": "phone",
                "mapping": {"id": "编号", "name": "姓名", "phone": "手机号"},
                "skipInvalid": True,
            },
            "policies": {
                "concurrency": 64,
                "rate": f"{round(self.count / self.lasts_s)}/s",
                "retry": {"maxAttempts": 6, "initial": "200ms"},
            },
        }
        path = self.folder / "job.yaml"
        path.write_text(json.dumps(job, ensure_ascii=False, indent=2), encoding="utf-8")
        return path

    @contextmanager
    def _sender(self, arguments: Sequence[str], *, resumed: bool) -> Iterator[subprocess.Popen[bytes]]:
        """The sender at this terminal. Whatever ends the block ends the sender; after Ctrl-C, which it hears as well,
        it has a moment to cancel.
        """
        command = [*self.command, *arguments]
        self.tell(Sending(["postroad", *arguments], resumed))
        environment = {**os.environ, "POSTROAD_HOME": str(self.folder / "home")}
        process = subprocess.Popen(command, env=environment)  # noqa: S603  (run: the command is a list, no shell parses it; until 2027-11-30)
        try:
            yield process
        except KeyboardInterrupt:
            with suppress(KeyboardInterrupt, subprocess.TimeoutExpired):
                process.wait(_TIME_TO_CANCEL_S)
            raise
        finally:
            process.kill()
            process.wait()

    def _killed_in_the_middle(self, job: Path, receiver: Receiver) -> None:
        arrived, on_the_way = 0, 0
        with self._sender(["send", str(job), "--out", str(self._out), "--yes"], resumed=False) as process:
            while arrived < self.count * _KILL_AFTER_PEOPLE or not on_the_way:
                try:
                    process.wait(_WATCH_EVERY_S)
                except subprocess.TimeoutExpired:
                    seen = receiver.report()
                    arrived, on_the_way = len(seen.copies), seen.in_flight
                else:
                    raise RuntimeError(f"the sender ended before it was killed, with exit code {process.returncode}")
        self.tell(Killed(process.pid, arrived))

    def _resumed(self) -> None:
        with self._sender(["send", "--resume", str(self._out), "--yes"], resumed=True) as process:
            code = process.wait()
        if code not in (0, 3):
            raise RuntimeError(f"the resumed sender ended with exit code {code}")

    def _explain_one_unknown(self, copies: Mapping[str, int]) -> None:
        with (self._out / "unknown.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        if rows:
            row = min(rows, key=lambda row: (row["code"] != _DIED_WITH_THE_SENDER, int(row["attempts"])))
            lines = tuple(_journal_lines(self._out / "journal", row["sequence"]))
            self.tell(UnknownExplained(row, copies.get(row["编号"], 0), lines))


def _journal_lines(folder: Path, sequence: str) -> Iterator[tuple[str, str]]:
    """The journal is text: what it holds about one recipient can be found with any tool."""
    for path in list_segments(folder):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            kind, *fields = line.split("\t")
            if kind in _OF_ONE and fields[0] == sequence:
                yield path.name, line
