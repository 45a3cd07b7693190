"""What a second worker process adds. A worker has a core; the parent, which shows progress, shares theirs."""

import tempfile
from pathlib import Path

from benchmarks.machine import SENDER
from benchmarks.processes import ask
from benchmarks.recipe import write_table
from benchmarks.rounds import in_turn, over

COUNT, QUICK_COUNT = 300_000, 4_000


def measure(quick: bool) -> dict[str, float | None]:
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as name:
        table = write_table(Path(name, "people.csv"), QUICK_COUNT if quick else COUNT)
        one, two, free = in_turn(
            1 if quick else 3,
            lambda: _send(table, workers=1, core=SENDER),
            lambda: _send(table, workers=2, core=None),
            lambda: _send(table, workers=1, core=None),
        )
    return {
        "workers1_items_per_s": round(one["per_s"]),
        "workers2_items_per_s": round(two["per_s"]),
        "workers2_vs_1": over(two["per_s"], one["per_s"]),
        "workers2_vs_1_unpinned": over(two["per_s"], free["per_s"]),
    }


def _send(table: Path, *, workers: int, core: int | None) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as folder:
        order = {"table": str(table), "workers": workers, "folder": folder}
        return ask("benchmarks.loads.local_send", order, core=core)
