"""One send of the installed program for the campaigns: written, started, gone on with, and its accounts compared."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from postroad.flows.drills import SCENARIOS, Comparison, Scenario
from postroad.flows.drills.accounts import compare
from postroad.flows.drills.receiver import Receiver
from postroad.flows.drills.sender import Ending, Sender
from postroad.flows.drills.spreadsheet import people

PROGRAM = (sys.executable, "-m", "postroad")
FINISHED = (0, 3)
STILL_OPEN = (1, 130)
"""Exit codes of a send that a later resume may go on with."""
TAKEN = 2


def calm(people: int, lasts_s: float, *, workers: int = 1) -> Scenario:
    """Messages by HTTP to a receiver that is slow at times and refuses nothing."""
    slow = {fate: odds for fate, odds in SCENARIOS["http"].odds.items() if fate == "SLOW"}
    return replace(SCENARIOS["http"], odds=slow, people=people, lasts_s=lasts_s, workers=workers)


@dataclass(slots=True)
class Send:
    """Each process gets a folder of its own below `folder` for what it says."""

    scenario: Scenario
    folder: Path
    receiver: Receiver
    out: Path
    lives: int = 0

    @classmethod
    def of(cls, scenario: Scenario, folder: Path, receiver: Receiver, out: Path | None = None) -> "Send":
        scenario.write(folder, receiver.port)
        return cls(scenario, folder, receiver, out or folder / "out")

    def start(self, command: Sequence[str] = PROGRAM, extra: Mapping[str, str] | None = None) -> Sender:
        job = ["send", str(self.folder / "job.yaml"), "--out", str(self.out), "--workers", str(self.scenario.workers)]
        return self._life(command, [*job, "--yes", "--json"], extra)

    def resume(self, command: Sequence[str] = PROGRAM, extra: Mapping[str, str] | None = None) -> Sender:
        return self._life(command, ["send", "--resume", str(self.out), "--yes", "--json"], extra)

    def _life(self, command: Sequence[str], arguments: Sequence[str], extra: Mapping[str, str] | None) -> Sender:
        self.lives += 1
        own = self.folder / f"life-{self.lives}"
        own.mkdir()
        home = {"POSTROAD_HOME": str(self.folder / "home")}
        return Sender(command, arguments, own, {**self.scenario.environment, **home, **(extra or {})})

    def wait_for(self, copies: int, sender: Sender) -> None:
        """Until so many messages have arrived."""
        while len(self.receiver.report().copies) < copies:
            assert not sender.wait(0.02), sender.ending().said

    def compared(self) -> Comparison:
        """Of a send that has ended."""
        identity = self.scenario.identity
        expected = {person[identity] for person in people(self.scenario.people)}
        return compare(self.out, identity, expected, self.receiver.report().copies)


def ended(sender: Sender, timeout_s: float = 120.0) -> Ending:
    """Its ending, which is never a traceback nor an apology."""
    assert sender.wait(timeout_s), "it does not end"
    ending = sender.ending()
    assert "Traceback" not in ending.said, ending.said
    assert "should not happen" not in ending.said, ending.said
    return ending


def check(compared: Comparison) -> None:
    assert (compared.lost, compared.doubled, compared.misreported) == (0, 0, 0), compared.examples
