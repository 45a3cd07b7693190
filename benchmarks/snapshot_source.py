"""A snapshot read as the engine reads it: CPU per recipient, and memory that must not grow with the audience.

Each size runs in a process of its own. Goals: ≤ 2 µs CPU a recipient; peak at 1,000,000 ≤ 10 % over that at 10,000.
Run alone: `python -m benchmarks.snapshot_source`.
"""

import asyncio
import json
import multiprocessing
import resource
import tempfile
from pathlib import Path
from time import process_time

from benchmarks.import_csv import write_table

from postroad.recipients import FileInput, ImportRequest, Snapshot, SnapshotSource, import_audience

SMALL, LARGE = 10_000, 1_000_000
BATCH = 500


def measure() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "people.csv")
        write_table(path, LARGE)
        snapshot = import_audience(ImportRequest(FileInput(path), Path(folder, "out"))).snapshot
        _, small_mb = _in_a_process(snapshot, SMALL)
        cpu_us, large_mb = _in_a_process(snapshot, LARGE)
    return {
        "cpu_us": round(cpu_us, 2),
        "small_mb": round(small_mb, 1),
        "large_mb": round(large_mb, 1),
        "growth": round(large_mb / small_mb - 1, 3),
    }


def _in_a_process(snapshot: Snapshot, count: int) -> tuple[float, float]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_read, (snapshot, count))


def _read(snapshot: Snapshot, count: int) -> tuple[float, float]:
    start = process_time()
    asyncio.run(_drain(SnapshotSource(snapshot, 0, count)))
    used = process_time() - start
    return used / count * 1e6, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def _drain(source: SnapshotSource) -> None:
    while await source.next_batch(BATCH):
        pass
    await source.aclose()


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
