"""The drills and the games notice every rule that is left out."""

import sys
from pathlib import Path

import pytest
from tests.behaviour.journal_game import play
from tests.soak.sending import Send, calm

from postroad.flows.drills import SCENARIOS, CrashDrill
from postroad.flows.drills.receiver import Receiver

MUTANTS = str(Path(__file__).with_name("mutants.py"))


@pytest.mark.parametrize("mutant", ["intent_after_send", "doubt_forgotten"])
def test_the_kill_drill_finds_a_program_without_the_rule(tmp_path: Path, mutant: str) -> None:
    drill = CrashDrill((sys.executable, MUTANTS, mutant), tmp_path, seed=2)
    report = drill.campaign([SCENARIOS["http"]], 8)["http"]
    print(mutant, report)
    assert report.doubled > 0
    assert not report.is_passed


def test_two_senders_at_once_without_a_lock_send_second_copies(tmp_path: Path) -> None:
    scenario = calm(600, 3.0)
    command = (sys.executable, MUTANTS, "no_flock")
    with Receiver("http", 5, scenario.odds) as receiver:
        send = Send.of(scenario, tmp_path, receiver)
        first = send.start(command)
        send.wait_for(100, first)
        second = send.resume(command)
        assert first.wait(60)
        assert second.wait(60)
        doubled = [who for who, copies in receiver.report().copies.items() if copies > 1]
    print("no_flock:", len(doubled), "of", scenario.people, "got two")
    assert doubled


@pytest.mark.parametrize("mutant", ["no-folder-sync", "sync-error-swallowed", "intent-after-send", "no-flock"])
def test_simulated_power_losses_find_a_journal_without_the_rule(mutant: str) -> None:
    figures = play(1_000, seed=79, mutant=mutant)
    print(mutant, figures.with_second_copies, "of", figures.histories, "histories with second copies")
    assert figures.with_second_copies > 0
