"""Takes the figures one after the other, each in its own process; the last line is one JSON object.

The exit code is 1 where a figure could not be taken. A goal that was missed is said, and is no failure: on a busy
machine it means nothing.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.catalogue import FIGURES, Figure, Metric, named
from benchmarks.machine import facts
from benchmarks.page import PAGE, shown, with_figures
from benchmarks.processes import NoFigure, ask

Metrics = dict[str, float | None]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("--only", metavar="NAME", help="one figure alone, or a group: service")
    parser.add_argument("--quick", action="store_true", help="small and few rounds: shows that it works, no figures")
    parser.add_argument(
        "--record", action="store_true", help="write them into docs/reference/performance.md, if none failed"
    )
    options = parser.parse_args()
    if options.record and (options.only or options.quick):
        parser.error("--record takes the whole run: leave out --only and --quick")
    chosen = named(options.only) if options.only else FIGURES
    if not chosen:
        parser.error(f"there is no figure {options.only!r}; known are {', '.join(figure.name for figure in FIGURES)}")
    machine = facts(Path(tempfile.gettempdir()))
    print(", ".join(f"{name}: {value}" for name, value in machine.items()), flush=True)
    begun = time.monotonic()
    metrics, all_taken = collect(chosen, options.quick)
    if options.record and all_taken:
        PAGE.write_text(with_figures(PAGE.read_text("utf-8"), metrics, machine), encoding="utf-8")
    print(json.dumps({**metrics, "quick": options.quick, "took_s": round(time.monotonic() - begun), **machine}))
    return 0 if all_taken else 1


def collect(figures: Sequence[Figure], quick: bool) -> tuple[Metrics, bool]:
    """Every metric, None where its figure failed; and whether none failed."""
    metrics: Metrics = {metric.name: None for figure in figures for metric in figure.metrics}
    all_taken = True
    for figure in figures:
        taken = _take(figure, quick)
        metrics |= taken or {}
        all_taken = all_taken and taken is not None
    return metrics, all_taken


def _take(figure: Figure, quick: bool) -> Metrics | None:
    """Its metrics, shown as they come; None where it failed, with the reason on standard error."""
    print(f"\n{figure.title}", flush=True)
    try:
        taken = ask(
            "benchmarks.figure", {"name": figure.name, "quick": quick}, timeout_s=figure.timeout_s, whole_group=True
        )
    except NoFigure as reason:
        print(f"  {figure.name}: {reason}", file=sys.stderr, flush=True)
        return None
    for metric in figure.metrics:
        print(line(metric, taken[metric.name], quick=quick), flush=True)
    return taken


def line(metric: Metric, value: float | None, *, quick: bool) -> str:
    """One row of the table. A quick run is too short to be held against a goal."""
    missed = value is not None and metric.is_met(value) is False
    goal = "" if quick else metric.goal + (" missed" if missed else "")
    return f"  {metric.name:34}{shown(value):>12}  {goal:16}  {metric.meaning}"


if __name__ == "__main__":
    sys.exit(main())
