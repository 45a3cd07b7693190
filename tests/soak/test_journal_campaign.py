"""The long campaign of the journal's game, and a kill before each single line of its code."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.behaviour.journal_game import MUTANTS, play

ROOT = Path(__file__).resolve().parents[2]


def test_twenty_thousand_histories_make_no_second_copy() -> None:
    figures = play(20_000, seed=77)
    print(figures)
    assert (figures.with_second_copies, figures.unsettled, figures.complaints) == (0, 0, [])


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_rule_left_out_shows(mutant: str) -> None:
    figures = play(1_000, seed=78, mutant=mutant)
    print(mutant, figures.with_second_copies, "of", figures.histories)
    assert figures.with_second_copies > 0


def test_a_kill_before_each_line_makes_no_second_copy_and_loses_nobody(tmp_path: Path) -> None:
    output = subprocess.run(
        [sys.executable, "-m", "tests.behaviour.journal_child", "killed", str(tmp_path), "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = [line.split("|") for line in output.splitlines()]
    assert len(rows) > 1_000
    assert [row for row in rows if row[2:4] != ["[]", "[]"]] == []
