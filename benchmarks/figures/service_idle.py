"""A new service with nobody in it: how long it takes to listen, and what it holds while nothing happens."""

import tempfile
import time
from pathlib import Path

from benchmarks.machine import memory_of
from benchmarks.rounds import in_turn
from benchmarks.service.desk import desk_at
from benchmarks.service.serving import serving


def measure(quick: bool) -> dict[str, float | None]:
    (idle,) = in_turn(1 if quick else 3, lambda: _idle(0.5 if quick else 3.0))
    return {"service_start_s": round(idle["start_s"], 2), "service_idle_rss_mb": round(idle["rss_mb"], 1)}


def _idle(seconds: float) -> dict[str, float]:
    """The administrator has signed in and looked around, so that what is loaded late is loaded."""
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as folder, serving(Path(folder)) as service:
        with desk_at(service) as desk:
            desk.of("/overview")
        time.sleep(seconds)
        return {"start_s": service.started_s, "rss_mb": memory_of(service.process.pid)}
