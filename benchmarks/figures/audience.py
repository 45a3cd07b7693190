"""From a spreadsheet to a snapshot, against the csv module merely reading the file, in turn."""

import csv
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.processes import ask
from benchmarks.recipe import write_table
from benchmarks.rounds import in_turn, over

ROWS, QUICK_ROWS = 1_000_000, 5_000


def measure(quick: bool) -> dict[str, float | None]:
    rounds = 1 if quick else 3
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as name:
        table = write_table(Path(name, "people.csv"), QUICK_ROWS if quick else ROWS)
        out = Path(name, "audience")
        reading, importing = in_turn(rounds, lambda: _read(table), lambda: _numbers(_import(table, out)))
        snapshot = _import(table, out)["snapshot"]
        (source,) = in_turn(rounds, lambda: ask("benchmarks.loads.snapshot_reading", {"snapshot": snapshot}))
    return {
        "import_s": round(importing["seconds"], 2),
        "csv_read_s": round(reading["seconds"], 3),
        "import_vs_csv": over(importing["seconds"], reading["seconds"]),
        "import_rss_mb": round(importing["child_mb"], 1),
        "source_cpu_us_per_item": round(source["cpu_us"], 2),
    }


def _read(table: Path) -> dict[str, float]:
    start = perf_counter()
    with table.open(encoding="utf-8", newline="") as file:
        for _ in csv.reader(file):
            pass
    return {"seconds": perf_counter() - start}


def _import(table: Path, out: Path) -> dict[str, Any]:
    return ask("benchmarks.loads.import_run", {"table": str(table), "out": str(out)})


def _numbers(answer: dict[str, Any]) -> dict[str, float]:
    return {"seconds": answer["seconds"], "child_mb": answer["child_mb"]}
