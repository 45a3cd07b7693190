"""The kill drill on the installed program, in small: `make soak` has the hundred kills."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from postroad.flows.drills import SCENARIOS, CrashDrill, DrillBroken

PROGRAM = (sys.executable, "-m", "postroad")


@pytest.mark.parametrize(("name", "kills"), [("http", 2), ("smtp", 1), ("batch", 1)])
def test_a_killed_send_loses_nobody_and_sends_nobody_twice(tmp_path: Path, name: str, kills: int) -> None:
    scenario = replace(SCENARIOS[name], people=SCENARIOS[name].people // 10, lasts_s=0.8)
    report = CrashDrill(PROGRAM, tmp_path, seed=3).campaign([scenario], kills)[name]
    assert (report.lost, report.doubled, report.misreported, report.examples) == (0, 0, 0, [])
    assert report.kills == kills
    assert report.total == report.runs * scenario.people == sum(report.counts.values())
    assert report.unknown <= report.unknown_allowed
    assert report.is_passed
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_does_not_end_well_breaks_the_drill(tmp_path: Path) -> None:
    broken = (sys.executable, "-c", "import sys; sys.exit('no such thing')")
    with pytest.raises(DrillBroken, match="exit code 1: no such thing"):
        CrashDrill(broken, tmp_path).campaign([SCENARIOS["http"]], 1)
