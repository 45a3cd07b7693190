"""Many who write at once into SQLite, which has one writer: nobody may get an error, and nobody may starve.

Each writer makes messages, one after the other without a pause: a message, its revision, an event and a line of the
audit in one transaction on disk.
"""

import json
import tempfile
from pathlib import Path

from benchmarks.machine import RECEIVER
from benchmarks.processes import ask
from benchmarks.service.desk import desk_at, message
from benchmarks.service.serving import serving

WRITERS, SECONDS, QUICK_SECONDS = 32, 60.0, 2.0


def measure(quick: bool) -> dict[str, float | None]:
    body = json.dumps(message("News {n}", {"path": "/send", "bodyTemplate": {"hello": "{{ name }}"}}))
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as folder, serving(Path(folder)) as service:
        with desk_at(service) as desk:
            plan = {"kind": "write", "every_s": 0, "calls": [["POST", f"{desk.path}/messages", body]]}
            order = {
                "port": desk.port,
                "headers": desk.headers,
                "seconds": QUICK_SECONDS if quick else SECONDS,
                "plans": [plan] * WRITERS,
            }
            found = ask("benchmarks.loads.service_calls", order, core=RECEIVER)["write"]
        service.stop()
        locked = service.log.read_text("utf-8", "replace").count("database is locked")
    return {
        "sqlite_writers_errors": found["calls"] - found["statuses"].get("201", 0) + locked,
        "sqlite_writers_per_s": round(found["per_s"]),
        "sqlite_writers_p99_ms": round(found["p99_ms"], 1),
        "sqlite_writers_max_ms": round(found["max_ms"], 1),
    }
