"""Whether the sender's memory knows how large the audience is. Its children, import and export, are not counted."""

import tempfile
from pathlib import Path

from benchmarks.processes import ask
from benchmarks.recipe import write_table
from benchmarks.rounds import in_turn

SMALL, LARGE = 10_000, 1_000_000
QUICK_SMALL, QUICK_LARGE = 1_000, 4_000


def measure(quick: bool) -> dict[str, float | None]:
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as name:
        small_table = write_table(Path(name, "small.csv"), QUICK_SMALL if quick else SMALL)
        large_table = write_table(Path(name, "large.csv"), QUICK_LARGE if quick else LARGE)
        small, large = in_turn(1 if quick else 3, lambda: _send(small_table), lambda: _send(large_table))
    return {
        "send_small_rss_mb": round(small["peak_mb"], 1),
        "send_rss_mb": round(large["peak_mb"], 1),
        "send_rss_growth": round(large["peak_mb"] / small["peak_mb"] - 1, 3),
        "send_items_per_s": round(large["per_s"]),
        "send_whole_s": round(large["whole_s"], 1),
    }


def _send(table: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as folder:
        return ask("benchmarks.loads.local_send", {"table": str(table), "workers": 1, "folder": folder})
