"""The demonstration in small: what it tells is what happened."""

import sys
from pathlib import Path

from postroad.flows.drills import Accounted, Demo, Killed, PeopleMade, Sending, Step, UnknownExplained

PEOPLE = 400


def test_the_story_is_told_in_order_and_its_unknown_is_looked_up_in_the_journal(tmp_path: Path) -> None:
    steps: list[Step] = []
    compared = Demo((sys.executable, "-m", "postroad"), tmp_path, PEOPLE, lasts_s=2.0, tell=steps.append).run()
    assert [type(step) for step in steps] == [PeopleMade, Sending, Killed, Sending, Accounted, UnknownExplained]
    assert (compared.total, compared.lost, compared.doubled, compared.misreported) == (PEOPLE - 2, 0, 0, 0)
    killed, explained = steps[2], steps[5]
    assert isinstance(killed, Killed)
    assert isinstance(explained, UnknownExplained)
    assert PEOPLE * 0.4 <= killed.arrived < PEOPLE
    assert explained.row["outcome"] == "UNKNOWN"
    assert explained.copies in (0, 1)
    kinds = [(file.split(".")[1], line.split("\t")[0]) for file, line in explained.lines]
    assert kinds[0] == ("epoch-000001", "INTENT")
    assert ("epoch-000001", "FINAL") not in kinds
    assert kinds[-1] == ("epoch-000002", "FINAL")
    assert all(line.split("\t")[1] == explained.row["sequence"] for _, line in explained.lines)
