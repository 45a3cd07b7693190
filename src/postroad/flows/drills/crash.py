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
from postroad.flows.drills.scenario import Scenario
from postroad.flows.drills.sender import Ending, Sender
from postroad.flows.drills.spreadsheet import people

_WHILE_STARTING = 0.2
"""Share of the kills that fall anywhere from the start on; the others wait until messages arrive."""
_STARTING_S = (0.02, 0.8)
_SENDING_S = (0.0, 1.2)
_LOOK_EVERY_S = 0.02
_PATIENCE_S = 120.0
_FINISHED = (0, 3)
_TO_BE_RESUMED = (1, 130)
"""How a sender may end that lost a child: the one that imports, or the one that makes the results."""


class DrillBroken(Exception):
    """The sender ended in a way a drill does not know: a fault by itself. The message holds what it said."""


@dataclass(slots=True)
class Kills:
    """How often a sender was killed, and how often of these while a message of its was open at the receiver."""

    made: int = 0
    in_flight: int = 0


@dataclass(slots=True)
class DrillReport:
    """Sums over all runs of a campaign; recipients, except `kills`, `kills_in_flight`, `runs` and `in_flight_max`."""

    kills: int = 0
    kills_in_flight: int = 0
    """Of the kills, those at which the receiver had a message in its hands."""
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

    def add(self, scenario: Scenario, kills: Kills, compared: Comparison, ledger: LedgerReport) -> None:
        self.kills += kills.made
        self.kills_in_flight += kills.in_flight
        self.runs += 1
        self.total += compared.total
        self.lost += compared.lost
        self.doubled += compared.doubled
        self.misreported += compared.misreported
        self.unknown += compared.counts["unknown"]
        self.unknown_allowed += kills.made * scenario.concurrency * scenario.per_send + ledger.doubtful
        self.in_flight_max = max(self.in_flight_max, ledger.in_flight_max)
        self.examples += compared.examples
        for outcome, count in compared.counts.items():
            self.counts[outcome] += count


@dataclass(frozen=True, slots=True)
class CrashDrill:
    """`command` starts the program; `folder` must be empty and keeps every run that was not as promised."""

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
        plan = Receiver(scenario.receiver, luck.randrange(1 << 30), scenario.odds, slow_for_s=scenario.slow_for_s)
        with plan as receiver:
            job = scenario.write(folder, receiver.port)
            victim = _Victim(self.command, scenario, job, receiver, luck)
            summary = victim.killed_until_done(kills)
            ledger = receiver.report()
        column = scenario.identity
        compared = compare(
            folder / "out", column, {person[column] for person in people(scenario.people)}, ledger.copies
        )
        _check_sums(summary, compared)
        report.add(scenario, victim.kills, compared, ledger)
        if report.is_passed:
            shutil.rmtree(folder)


class _Victim:
    """One send over all its lives."""

    def __init__(
        self, command: Sequence[str], scenario: Scenario, job: Path, receiver: Receiver, luck: random.Random
    ) -> None:
        self._command = command
        self._scenario = scenario
        self._job = job
        self._receiver = receiver
        self._luck = luck
        self.kills = Kills()

    def killed_until_done(self, kills: int) -> Mapping[str, object]:
        """The summary of its last life."""
        while True:
            sender, has_lost_a_child = self._started(), False
            while self.kills.made < kills and self._waits_for_a_moment(sender):
                self._kill(sender)
                if not sender.is_alive:
                    break
                has_lost_a_child = True
            else:
                if not sender.wait(_PATIENCE_S):
                    sender.kill(0)
                    raise DrillBroken(f"no end after {_PATIENCE_S:.0f} s without a kill; see {self._job.parent}")
                ending = sender.ending()
                if not (has_lost_a_child and ending.code in _TO_BE_RESUMED):
                    return _summary_of(ending)

    def _started(self) -> Sender:
        """A send that was killed before its folder was frozen has sent nothing; the same command begins it anew."""
        out, scenario = self._job.parent / "out", self._scenario
        arguments = ["send", "--resume", str(out), "--yes", "--json"]
        if not (out / "frozen.json").exists():
            arguments = ["send", str(self._job), "--out", str(out), "--yes", "--json"]
            arguments += ["--workers", str(scenario.workers)]
        return Sender(self._command, arguments, self._job.parent, scenario.environment)

    def _waits_for_a_moment(self, sender: Sender) -> bool:
        """False where the sender ended by itself before its moment."""
        if self._luck.random() < _WHILE_STARTING:
            return not sender.wait(self._luck.uniform(*_STARTING_S))
        before = self._receiver.report().requests
        while self._receiver.report().requests == before:
            if sender.wait(_LOOK_EVERY_S):
                return False
        return not sender.wait(self._luck.uniform(*_SENDING_S))

    def _kill(self, sender: Sender) -> None:
        workers = self._scenario.workers
        self.kills.in_flight += self._receiver.report().in_flight > 0
        sender.kill(self._luck.randrange(1 + workers) if workers > 1 else 0)
        self.kills.made += 1


def _summary_of(ending: Ending) -> Mapping[str, object]:
    if ending.code not in _FINISHED or ending.summary is None:
        raise DrillBroken(f"exit code {ending.code}: {ending.said}")
    return ending.summary


def _check_sums(summary: Mapping[str, object], compared: Comparison) -> None:
    told = {outcome: summary.get(outcome) for outcome in OUTCOMES}
    if told != dict(compared.counts) or summary.get("total") != compared.total:
        raise DrillBroken(f"the summary says {told}, its own result files {dict(compared.counts)}")
