"""A snapshot read as the engine reads it, to its end."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from time import process_time
from typing import Any

from benchmarks.processes import answer
from postroad.recipients import Snapshot, SnapshotSource

BATCH = 500


def work(order: Mapping[str, Any]) -> dict[str, float]:
    snapshot = Snapshot.open(Path(order["snapshot"]))
    start = process_time()
    asyncio.run(_drain(SnapshotSource(snapshot)))
    return {"cpu_us": (process_time() - start) / snapshot.count * 1e6}


async def _drain(source: SnapshotSource) -> None:
    while await source.next_batch(BATCH):
        pass
    await source.aclose()


if __name__ == "__main__":
    answer(work)
