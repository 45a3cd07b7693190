"""The page of every metric, from the table."""

from postroad.app.reference.markdown import code, page, paragraph
from postroad.foundation.metrics import METRICS, Metric

_INTRODUCTION = """
`/metrics` answers in the text format of Prometheus. Labels have few values: runs, workers and people are told apart in
logs and traces, not here.
"""


def metrics_page() -> str:
    return page("Metrics", paragraph(_INTRODUCTION), *(_section(metric) for metric in METRICS))


def _section(metric: Metric) -> str:
    labels = ", ".join(code(label) for label in metric.labels) or "none"
    return f"## {metric.name}\n\n{paragraph(metric.meaning)}\n\nType: {metric.type.value}. Labels: {labels}."
