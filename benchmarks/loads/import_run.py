"""One import of a table into a snapshot: checked by a schema, without duplicates. Its only child is the import's."""

import resource
import sys
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.processes import answer
from postroad.recipients import FileInput, ImportRequest, import_audience

SCHEMA = {
    "properties": {
        "mobile": {"type": "string", "pattern": r"^1\d{10}$"},
        "email": {"type": "string", "format": "email"},
    },
    "required": ["mobile"],
}


def work(order: Mapping[str, Any]) -> dict[str, Any]:
    """`table` into `out`. The peak is the child's; this small process can only raise it if the child is smaller."""
    request = ImportRequest(
        FileInput(Path(order["table"])), Path(order["out"]), key=("mobile",), recipient_schema=SCHEMA
    )
    start = perf_counter()
    report = import_audience(request)
    seconds = perf_counter() - start
    if report.rejected or report.rows != report.accepted + report.duplicates:
        raise RuntimeError(f"{report.rejected} of {report.rows} rows were rejected")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return {"seconds": seconds, "child_mb": peak / unit, "snapshot": str(report.snapshot.path)}


if __name__ == "__main__":
    answer(work)
