"""Work in a process of its own: an order as JSON in the arguments, the answer as the last line of its output."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.machine import on_core

ROOT = Path(__file__).parents[1]
Answer = dict[str, Any]


class NoFigure(Exception):
    """A process of the benchmark failed; the text says which and how."""


def ask(
    module: str,
    order: Mapping[str, Any],
    *,
    core: int | None = None,
    timeout_s: float = 300.0,
    whole_group: bool = False,
) -> Answer:
    """Runs `python -m module ORDER`, on one core if asked, and gives its answer.

    With `whole_group` the process leads a group, and whoever it started ends with it, however it ends. Raises NoFigure.
    """
    command = [sys.executable, "-m", module, json.dumps(order)]
    with on_core(core):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=whole_group)
    try:
        said, _ = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        raise NoFigure(f"{module} gave no answer within {timeout_s:.0f} s") from None
    finally:
        _end(process, whole_group)
    if process.returncode != 0 or not said.strip():
        raise NoFigure(f"{module} ended with code {process.returncode}")
    answer: Answer = json.loads(said.strip().splitlines()[-1])
    return answer


def answer(work: Callable[[Answer], Mapping[str, Any]]) -> None:
    """The other side of `ask`."""
    print(json.dumps(work(json.loads(sys.argv[1]))), flush=True)


def _end(process: subprocess.Popen[str], whole_group: bool) -> None:
    with suppress(ProcessLookupError):
        if whole_group:
            os.killpg(process.pid, signal.SIGKILL)
        elif process.poll() is None:
            process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
