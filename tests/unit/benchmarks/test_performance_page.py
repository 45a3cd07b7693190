import pytest
from benchmarks.catalogue import FIGURES, Metric
from benchmarks.page import BEGIN, END, PAGE, with_figures

METRICS = [metric for figure in FIGURES for metric in figure.metrics]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_the_page_on_performance_tells_every_metric_and_its_goal(metric: Metric) -> None:
    rows = [row for row in PAGE.read_text(encoding="utf-8").splitlines() if row.startswith(f"| `{metric.name}` |")]
    assert len(rows) == 1
    assert f"| {metric.meaning} | {metric.goal} |" in rows[0]


def test_a_run_replaces_the_table_and_leaves_the_words_around_it() -> None:
    metrics: dict[str, float | None] = {metric.name: None for metric in METRICS} | {"http_vs_aiohttp": 1.5}

    page = with_figures(f"before\n{BEGIN}\na stale row\n{END}\nafter\n", metrics, {"cores": 2})

    assert page.startswith(f"before\n{BEGIN}\n\ncores: 2.\n")
    assert page.endswith(f"{END}\nafter\n")
    assert "a stale row" not in page
    assert "| `http_vs_aiohttp` | our rate over that of the loop | ≥ 2.5 | 1.5 (missed) |" in page
    assert "| `help_s` | from start to exit, seconds |  | no peer |" in page


def test_a_page_without_its_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="the marks"):
        with_figures("no marks", {}, {})
