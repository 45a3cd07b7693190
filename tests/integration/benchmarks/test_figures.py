"""Every figure, small: that it can be taken and says all it promises. What it says means nothing here."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from benchmarks.__main__ import collect
from benchmarks.catalogue import FIGURES, find
from benchmarks.processes import ROOT, NoFigure, ask


@pytest.mark.parametrize("name", [figure.name for figure in FIGURES])
def test_a_quick_run_ends_with_one_json_object_of_all_its_metrics(name: str) -> None:
    command = [sys.executable, "-m", "benchmarks", "--only", name, "--quick"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)

    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout.splitlines()[-1])
    assert {metric.name for metric in find(name).metrics} <= set(told)
    assert told["quick"] is True


def test_a_figure_that_fails_leaves_none_and_does_not_stop_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    hopeless = replace(find("engine"), timeout_s=0.001)

    metrics, all_taken = collect([hopeless, find("help")], quick=True)

    assert not all_taken
    assert metrics["engine_items_per_s"] is None
    assert metrics["help_s"] is not None
    assert "gave no answer within" in capsys.readouterr().err


def test_a_process_that_breaks_is_no_figure(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NoFigure, match=r"benchmarks\.figure ended with code 1"):
        ask("benchmarks.figure", {"name": "nothing", "quick": True})
    assert "there is no figure 'nothing'" in capfd.readouterr().err
