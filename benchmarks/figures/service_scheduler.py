"""Two schedulers in processes of their own on one database, and everything due at once: each firing is one run.

The schedules are made over HTTP; then the service stops, and the two race through the same list.
"""

import sqlite3
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.processes import ask
from benchmarks.rounds import over
from benchmarks.service.desk import desk_at
from benchmarks.service.serving import serving

SCHEDULES, QUICK_SCHEDULES = 1_000, 20
_AHEAD_S, _SETTLE_S = 7 * 86_400, 3.0


def measure(quick: bool) -> dict[str, float | None]:
    schedules = QUICK_SCHEDULES if quick else SCHEDULES
    due_s = int(time.time()) + _AHEAD_S
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as name:
        with serving(Path(name)) as service:
            with desk_at(service) as desk:
                job_id = desk.job("http://127.0.0.1:9", desk.audience(2))
                at = datetime.fromtimestamp(due_s, UTC).isoformat()
                for number in range(schedules):
                    asked = {"name": f"Once {number}", "jobId": job_id, "timezone": "UTC", "at": at}
                    desk.post("/schedules", asked)
            service.stop()
        order = {"data": str(service.data), "begin_at": time.time() + _SETTLE_S, "now_ms": (due_s + 1) * 1000}
        with ThreadPoolExecutor(2) as pool:
            took = list(pool.map(lambda _: ask("benchmarks.loads.scheduler_ticks", order), range(2)))
        runs = _runs(service.data / "postroad.db")
    return {
        "scheduler_double": sum(number - 1 for number in runs.values()),
        "scheduler_missed": schedules - len(runs),
        "scheduler_firings_per_s": over(schedules, max(each["took_s"] for each in took)),
    }


def _runs(database: Path) -> dict[Any, int]:
    """How many runs each fire time of each schedule has."""
    with closing(sqlite3.connect(database)) as opened:
        rows = opened.execute("select schedule_id, count(*) from runs where schedule_id is not null group by 1")
        return dict(rows.fetchall())
