"""Who else is at work on the machine while a contender runs. Known on Linux only; elsewhere nobody is seen."""

import os
import resource
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from benchmarks.rounds import Round

QUIET = 0.05
"""So much of all cores may go to others: the kernel, a log, the program that shows this."""
TRIES = 3


class Spent(NamedTuple):
    """Processor time up to a moment, in seconds."""

    cores: float
    """What all cores together could have given."""
    everybody: float
    ours: float

    def others_since(self, before: "Spent") -> float:
        """The share of all cores that went to processes other than ours."""
        others = (self.everybody - before.everybody) - (self.ours - before.ours)
        return max(0.0, others / (self.cores - before.cores))


def spent() -> Spent:
    return Spent(perf_counter() * (os.cpu_count() or 1), _all_s(), _ours_s())


def undisturbed(
    contender: Callable[[], Round], tries: int = TRIES, look: Callable[[], Spent] = spent
) -> dict[str, float]:
    """Runs it until nobody disturbed it, at most `tries` times; the least disturbed round, with `others` added."""
    rounds: list[dict[str, float]] = []
    while not rounds or (rounds[-1]["others"] > QUIET and len(rounds) < tries):
        before = look()
        figures = contender()
        rounds.append({**figures, "others": look().others_since(before)})
    return min(rounds, key=lambda figures: figures["others"])


def _all_s() -> float:
    """Processor time of everybody since the machine started; what a hypervisor kept for others counts as theirs."""
    status = Path("/proc/stat")
    if not status.is_file():
        return 0.0
    user, nice, system, _, _, interrupts, soft, stolen = map(int, status.read_text().split("\n", 1)[0].split()[1:9])
    return (user + nice + system + interrupts + soft + stolen) / os.sysconf("SC_CLK_TCK")


def _ours_s() -> float:
    """Of this process and of all its descendants that have ended and were waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
