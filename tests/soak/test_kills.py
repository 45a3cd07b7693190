"""A hundred kills of the installed program: by HTTP, with two workers, by mail, in batches, in rough weather."""

import sys
from pathlib import Path

from postroad.flows.drills import SCENARIOS, CrashDrill

KILLS = 100


def test_a_hundred_kills_lose_nobody_and_send_nobody_twice(tmp_path: Path) -> None:
    drill = CrashDrill((sys.executable, "-m", "postroad"), tmp_path, seed=11, told=print)
    reports = drill.campaign([*SCENARIOS.values()], KILLS)
    assert sum(report.kills for report in reports.values()) == KILLS
    assert [(name, report.examples) for name, report in reports.items() if not report.is_passed] == []
    assert sum(report.kills_in_flight for report in reports.values()) > KILLS / 4
