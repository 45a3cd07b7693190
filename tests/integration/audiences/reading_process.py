"""A service of its own that reads imports: `python -m tests.integration.audiences.reading_process FOLDER`.

It says "reading" when it has begun to read in a process of its own.
"""

import sys
from pathlib import Path
from typing import Any

from tests.builders.databases import databases_over
from tests.integration.audiences.desk import Desk

from postroad.drivers.sqlite import SqliteDialect
from postroad.recipients import ImportReport, ImportRequest, import_audience


def telling(request: ImportRequest, *, on_start: Any, **options: Any) -> ImportReport:
    def started(kill: Any) -> None:
        on_start(kill)
        print("reading", flush=True)

    return import_audience(request, on_start=started, **options)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    Desk(databases_over(lambda: SqliteDialect(folder / "postroad.db")), folder).reader("killed", telling).tick()
