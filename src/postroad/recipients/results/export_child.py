"""The process an export runs in: `python -m postroad.recipients.results.export_child`."""

import gc
import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from postroad.recipients.children import Report, serve_parent
from postroad.recipients.durable_files import settle, sha256_of, storage_errors
from postroad.recipients.results.assembly import TABLES, Assembly
from postroad.recipients.results.exporting import RESULTS_NAME
from postroad.recipients.results.outcomes import OutcomeTables

_FOLDER = ".export-"


def run_export(wire: dict[str, Any], on_progress: Callable[[int], None]) -> dict[str, Any]:
    """Every file is complete in a folder of its own before the first is moved into place."""
    out_dir = Path(wire["out_dir"])
    for left in out_dir.glob(f"{_FOLDER}*"):
        if not Path("/proc", left.name.removeprefix(_FOLDER)).exists():
            shutil.rmtree(left, ignore_errors=True)
    folder = out_dir / f"{_FOLDER}{os.getpid()}"
    folder.mkdir()
    try:
        with storage_errors(out_dir):
            return _export(wire, folder, out_dir, on_progress)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _export(wire: dict[str, Any], folder: Path, out_dir: Path, on_progress: Callable[[int], None]) -> dict[str, Any]:
    tables = OutcomeTables(folder)
    tables.write([Path(name) for name in wire["journals"]], on_progress)
    results = folder / RESULTS_NAME
    with closing(Assembly(Path(wire["snapshot"]), wire["first"], wire["end"], folder)) as assembly:
        counts = assembly.settle_items(tables)
        assembly.write_results(results, wire["run_id"], wire["snapshot_id"])
        for outcome, name in TABLES.items():
            assembly.write_table(results, outcome, folder / name)
    digest = sha256_of(results)
    for name in [*TABLES.values(), RESULTS_NAME]:
        settle(folder / name, out_dir / name)
    return {"counts": {outcome.value.lower(): count for outcome, count in counts.items()}, "sha256": digest}


def _work(wire: dict[str, Any], report: Report) -> dict[str, Any]:
    return run_export(wire, report)


if __name__ == "__main__":
    gc.freeze()
    gc.disable()
    serve_parent(_work)
