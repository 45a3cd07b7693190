"""A restart sends nobody a second copy, and nobody is lost: the journal's game, with each rule and without."""

import pytest
from tests.behaviour.journal_game import DISK_MUTANTS, PLAYER_MUTANTS, play


def test_no_history_of_kills_and_power_losses_makes_a_second_copy() -> None:
    figures = play(300, seed=1)

    assert figures.with_second_copies == 0
    assert figures.unsettled == 0
    assert figures.complaints == []
    assert figures.lives["power"] >= 300
    assert figures.lives["kill"] >= 300


@pytest.mark.parametrize("mutant", PLAYER_MUTANTS + DISK_MUTANTS)
def test_each_rule_is_needed(mutant: str) -> None:
    found = 0
    for seed in range(2, 102):
        found = play(20, seed=seed, mutant=mutant).with_second_copies
        if found:
            break
    assert found > 0
