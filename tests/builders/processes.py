"""Child processes, found by what they were started with."""

import os
from pathlib import Path


def children_of(module: str, parent: int | None = None) -> list[int]:
    """Processes that run this module and were started by `parent`, or by this process."""
    found = []
    for task in Path(f"/proc/{parent or os.getpid()}/task").iterdir():
        for child in (task / "children").read_text().split():
            try:
                command = Path(f"/proc/{child}/cmdline").read_bytes()
            except FileNotFoundError:
                continue
            if module.encode() in command.split(b"\0"):
                found.append(int(child))
    return found
