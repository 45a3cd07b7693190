"""How long a person waits for `postroad --help`."""

import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter


def measure(quick: bool) -> dict[str, float | None]:
    program = Path(sys.executable).with_name("postroad")
    command = [str(program)] if program.is_file() else [sys.executable, "-m", "postroad"]
    return {"help_s": round(median(_seconds([*command, "--help"]) for _ in range(3 if quick else 5)), 3)}


def _seconds(command: list[str]) -> float:
    start = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - start
