"""The machine under the figures: its cores, its disk, and the memory of this process."""

import os
import platform
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from postroad.journal.boot import file_system

SENDER, RECEIVER = 0, -1
"""The first core and the last."""


@contextmanager
def on_core(place: int | None) -> Iterator[None]:
    """Children started in this block stay on one core. Nothing happens where that cannot be done, or with None."""
    if place is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(cores)[place]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def peak_mb() -> float:
    """The most memory this program held since it started.

    Linux keeps the peak of whoever started us in `ru_maxrss` (it outlives exec), so the kernel's own mark is read.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        return _kib(status, "VmHWM") / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def current_mb() -> float:
    """What it holds now; the peak where the kernel does not say."""
    status = Path("/proc/self/status")
    return _kib(status, "VmRSS") / 1024 if status.is_file() else peak_mb()


def memory_of(pid: int) -> float:
    """What another process and its descendants hold now. Linux only."""
    held = _kib(Path(f"/proc/{pid}/status"), "VmRSS") / 1024
    for task in Path(f"/proc/{pid}/task").iterdir():
        held += sum(memory_of(int(child)) for child in (task / "children").read_text().split())
    return held


def facts(folder: Path) -> dict[str, str | int]:
    """What a reader must know to compare two runs."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {
        "processor": _processor(),
        "cores": cores,
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "disk": file_system(folder) or "unknown",
        "load": f"{os.getloadavg()[0]:.1f}",
    }


def _kib(status: Path, name: str) -> int:
    line = next(line for line in status.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1])


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
