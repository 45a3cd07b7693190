"""The table in docs/reference/performance.md: every metric of the catalogue, its goal and what a run reached."""

from collections.abc import Iterator, Mapping

from benchmarks.catalogue import FIGURES
from benchmarks.processes import ROOT

PAGE = ROOT / "docs" / "reference" / "performance.md"
BEGIN, END = "<!-- figures: written by `python -m benchmarks --record` -->", "<!-- end of figures -->"


def with_figures(page: str, metrics: Mapping[str, float | None], machine: Mapping[str, str | int]) -> str:
    """The page with its table made anew. Raises ValueError where its marks are gone."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE.name}: the marks {BEGIN} and {END} must stand around the table")
    return before + "\n".join([BEGIN, "", *_table(metrics, machine), "", END]) + after


def shown(value: float | None) -> str:
    return "no peer" if value is None else f"{value:,.10g}"


def _table(metrics: Mapping[str, float | None], machine: Mapping[str, str | int]) -> Iterator[str]:
    yield "; ".join(f"{name}: {value}" for name, value in machine.items()) + "."
    for figure in FIGURES:
        yield ""
        yield f"### {figure.title}"
        yield ""
        yield "| Metric | What | Goal | Reached |"
        yield "|---|---|---|---|"
        for metric in figure.metrics:
            value = metrics[metric.name]
            missed = value is not None and metric.is_met(value) is False
            reached = shown(value) + (" (missed)" if missed else "")
            yield f"| `{metric.name}` | {metric.meaning} | {metric.goal} | {reached} |"
