"""One figure, in a process of its own: `python -m benchmarks.figure '{"name": "engine", "quick": true}'`."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from benchmarks.catalogue import find
from benchmarks.processes import answer


def take(order: Mapping[str, Any]) -> dict[str, float | None]:
    """Every metric that the catalogue promises, and no other."""
    figure = find(order["name"])
    measured: dict[str, float | None] = import_module(f"benchmarks.figures.{figure.name}").measure(order["quick"])
    promised = {metric.name for metric in figure.metrics}
    if set(measured) != promised:
        raise RuntimeError(f"figure {figure.name}: promised {sorted(promised)}, measured {sorted(measured)}")
    return measured


if __name__ == "__main__":
    answer(take)
