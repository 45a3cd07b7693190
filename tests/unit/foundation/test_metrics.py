"""The table of metrics, and the counters made from it."""

import re

import pytest

from postroad.foundation.metrics import HTTP_SECONDS, METRICS, RUN_INFLIGHT, RUNS, Metrics, MetricType


def test_every_metric_has_a_lawful_name_few_labels_and_a_meaning() -> None:
    assert len({metric.name for metric in METRICS}) == len(METRICS)
    for metric in METRICS:
        assert re.fullmatch(r"postroad_[a-z_]+", metric.name)
        assert metric.meaning.endswith(".")
        assert (metric.type is MetricType.COUNTER) == metric.name.endswith("_total")
        assert bool(metric.buckets) == (metric.type is MetricType.HISTOGRAM)
        assert not set(metric.labels) & {"run", "worker", "user", "workspace", "token", "path"}


def test_what_is_counted_stands_on_the_page() -> None:
    metrics = Metrics()
    metrics.add(RUNS, state="SUCCEEDED", provider="http")
    metrics.add(RUNS, 2, state="SUCCEEDED", provider="http")
    metrics.set(RUN_INFLIGHT, 7, provider="http")
    metrics.observe(HTTP_SECONDS, 0.2, method="GET", route="/")
    page = metrics.page().decode()
    assert 'postroad_runs_total{provider="http",state="SUCCEEDED"} 3.0' in page
    assert 'postroad_run_inflight{provider="http"} 7.0' in page
    assert metrics.value(HTTP_SECONDS, method="GET", route="/") == 1
    assert "_created" not in page


def test_a_forgotten_label_or_a_metric_of_another_type_is_a_fault() -> None:
    metrics = Metrics()
    with pytest.raises(ValueError):
        metrics.add(RUNS, state="SUCCEEDED")
    with pytest.raises(KeyError):
        metrics.add(RUN_INFLIGHT)


def test_two_services_in_one_process_count_apart() -> None:
    one, two = Metrics(), Metrics()
    one.add(RUNS, state="FAILED", provider="http")
    assert two.value(RUNS, state="FAILED", provider="http") == 0
