"""The kill drill: send, kill with SIGKILL at a drawn moment, resume, until all is settled; then compare the accounts.

What is promised: nobody lost, nobody sent a second copy, and no more UNKNOWN than what was in flight at a kill plus the
lines the receiver cut itself. A run too short for the kills asked for is followed by another with other people's luck.
"""

import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from postroad.flows.drills.accounts import OUTCOMES, Comparison, compare
from postroad.flows.drills.receiver import LedgerReport, Receiver
from postroad.flows.drills.receivers.weather import Fate
from postroad.flows.drills.scenario import Scenario
from postroad.flows.drills.sender import Ending, Sender
from postroad.flows.drills.spreadsheet import people

_LIFE_S = (0.4, 2.2)
"""Shortest and longest life of a sender before the kill: from start-up to the middle of sending."""
_PATIENCE_S = 120.0
_FINISHED = (0, 3)


class DrillBroken(Exception):
    """The sender ended in a way a drill does not know: a fault by itself. The message holds what it said."""


@dataclass(slots=True)
class DrillReport:
    """Sums over all runs of a campaign; recipients, except `kills`, `runs` and `in_flight_max`."""

    kills: int = 0
    runs: int = 0
    total: int = 0
    lost: int = 0
    doubled: int = 0
    misreported: int = 0
    unknown: int = 0
    unknown_allowed: int = 0
    """The bound: in flight at each kill, plus what the receiver's own cuts left unknown."""
    in_flight_max: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    examples: list[str] = field(default_factory=list)

    @property
    def is_passed(self) -> bool:
        return not (self.lost or self.doubled or self.misreported) and self.unknown <= self.unknown_allowed

    def add(self, scenario: Scenario, kills: int, compared: Comparison, ledger: LedgerReport) -> None:
        cuts = sum(ledger.fates.get(fate, 0) for fate in (Fate.CUT_BEFORE, Fate.CUT_AFTER))
        self.kills += kills
        self.runs += 1
        self.total += compared.total
        self.lost += compared.lost
        self.doubled += compared.doubled
        self.misreported += compared.misreported
        self.unknown += compared.counts["unknown"]
        self.unknown_allowed += (kills * scenario.concurrency + cuts) * scenario.per_send
        self.in_flight_max = max(self.in_flight_max, ledger.in_flight_max)
        self.examples += compared.examples
        for outcome, count in compared.counts.items():
            self.counts[outcome] += count


@dataclass(frozen=True, slots=True)
class CrashDrill:
    """`command` starts the program; `folder` must be empty and is left as it is for a look afterwards."""

    command: Sequence[str]
    folder: Path
    seed: int = 1
    told: Callable[[str, DrillReport], None] = lambda _name, _report: None
    """Called after each run with the scenario's name and the sums so far."""

    def campaign(self, scenarios: Sequence[Scenario], kills: int) -> dict[str, DrillReport]:
        """Shares `kills` among the scenarios. Blocks for about two seconds a kill. Raises DrillBroken."""
        reports: dict[str, DrillReport] = {}
        for place, scenario in enumerate(scenarios):
            share = kills // len(scenarios) + (place < kills % len(scenarios))
            reports[scenario.name] = report = DrillReport()
            while report.kills < share:
                self._one_run(scenario, share - report.kills, report)
                self.told(scenario.name, report)
        return reports

    def _one_run(self, scenario: Scenario, kills: int, report: DrillReport) -> None:
        folder = self.folder / f"{scenario.name}-{report.runs}"
        folder.mkdir(parents=True)
        luck = random.Random(f"{self.seed}/{scenario.name}/{report.runs}")
        with Receiver(scenario.receiver, luck.randrange(1 << 30), scenario.odds) as receiver:
            job = scenario.write(folder, receiver.port)
            done = self._kill_until_done(scenario, job, luck, kills)
            ledger = receiver.report()
        column = scenario.identity
        expected = {person[column] for person in people(scenario.people)}
        report.add(scenario, done, compare(folder / "out", column, expected, ledger.copies), ledger)
        if report.is_passed:
            shutil.rmtree(folder)

    def _kill_until_done(self, scenario: Scenario, job: Path, luck: random.Random, kills: int) -> int:
        """Returns how often it was killed."""
        out = job.parent / "out"
        start = ["send", str(job), "--out", str(out), "--yes", "--json", "--workers", str(scenario.workers)]
        resume = ["send", "--resume", str(out), "--yes", "--json"]
        killed, began = 0, False
        while True:
            began = began or (out / "frozen.json").exists()
            if out.exists() and not began:
                shutil.rmtree(out)
            sender = self._sender(resume if began else start, job.parent, scenario.environment)
            while killed < kills and not sender.wait(luck.uniform(*_LIFE_S)):
                sender.kill(luck.randrange(1 + scenario.workers) if scenario.workers > 1 else 0)
                killed += 1
                if not sender.is_alive:
                    break
            else:
                if not sender.wait(_PATIENCE_S):
                    sender.kill(0)
                    raise DrillBroken(f"no end after {_PATIENCE_S:.0f} s without a kill; see {job.parent}")
                return self._ended(sender.ending(), killed)

    def _ended(self, ending: Ending, killed: int) -> int:
        if ending.code not in _FINISHED or ending.summary is None:
            raise DrillBroken(f"exit code {ending.code}: {ending.said}")
        return killed

    def _sender(self, arguments: Sequence[str], folder: Path, extra: Mapping[str, str]) -> Sender:
        return Sender(self.command, arguments, folder, extra)
