from importlib import import_module

import pytest
from benchmarks.__main__ import line
from benchmarks.catalogue import FIGURES, Metric, find

PROMISED = {
    "engine_items_per_s",
    "engine_cpu_us_per_item",
    "http_items_per_s",
    "http_vs_aiohttp",
    "http_vs_wrk",
    "tls_vs_aiohttp",
    "workers2_vs_1",
    "send_rss_mb",
    "send_rss_growth",
    "import_vs_csv",
    "import_rss_mb",
    "fairness_loss",
    "help_s",
}
METRICS = [metric for figure in FIGURES for metric in figure.metrics]


def test_every_promised_metric_is_taken_once() -> None:
    names = [metric.name for metric in METRICS]
    assert set(names) >= PROMISED
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", [figure.name for figure in FIGURES])
def test_a_figure_has_a_file_of_its_name(name: str) -> None:
    assert callable(import_module(f"benchmarks.figures.{name}").measure)


def test_an_unknown_figure_is_answered_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match="known are help, engine, http"):
        find("speed")


def test_a_goal_is_met_from_the_right_side() -> None:
    floor, ceiling = Metric("rate", "", at_least=2.5), Metric("memory", "", at_most=150)
    assert (floor.is_met(2.5), floor.is_met(2.4)) == (True, False)
    assert (ceiling.is_met(150.0), ceiling.is_met(150.1)) == (True, False)
    assert Metric("plain", "").is_met(1.0) is None
    assert (floor.goal, ceiling.goal, Metric("plain", "").goal) == ("≥ 2.5", "≤ 150", "")


def test_a_missed_goal_is_said_and_a_quick_run_is_held_against_none() -> None:
    metric = Metric("http_vs_aiohttp", "our rate over that of the loop", at_least=2.5)
    assert "≥ 2.5 missed" in line(metric, 1.9, quick=False)
    assert "missed" not in line(metric, 3.1, quick=False)
    assert "2.5" not in line(metric, 1.9, quick=True)
    assert "no peer" in line(metric, None, quick=False)
