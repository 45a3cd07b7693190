"""A host in a process of its own over the data folder of a service that has none, to be killed.

    with host_process(service, "freeze:after:1") as host:
        assert host.wait(30) == -signal.SIGKILL

A fault is `place:when:number`: at the call with that number of one of the places below, `before` it begins or `after`
it returned, the process kills itself as nothing else would. Empty: it works until it is killed, or stops on SIGTERM.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from postroad.app.hosting.outside import ResultFiles
from postroad.app.hosting.run_folders import RunFolders
from postroad.flows.hosting.ledger import Ledger
from postroad.flows.local_runs.ending import finish
from postroad.flows.local_runs.keeping.folder import SendFolder
from tests.builders.hosted_runs import loopback_settings
from tests.builders.service import RunningService, composed

ROOT = Path(__file__).parents[2]
PLACES: dict[str, tuple[Any, str]] = {
    "claim": (Ledger, "claim"),
    "freeze": (RunFolders, "freeze"),
    "write_job": (SendFolder, "write_job"),
    "make_journal": (SendFolder, "make_journal"),
    "write_plan": (SendFolder, "write_plan"),
    "acknowledge": (Ledger, "acknowledge"),
    "start": (RunFolders, "start"),
    "report": (Ledger, "report"),
    "finish_shard": (Ledger, "finish"),
    "claim_end": (Ledger, "runs_to_end"),
    "export": (finish, "export_results"),
    "receipt": (finish, "write_receipt"),
    "keep": (ResultFiles, "keep"),
    "end_run": (Ledger, "end_run"),
}


@contextmanager
def host_process(
    service: RunningService, fault: str = "", environment: Mapping[str, str] | None = None
) -> Iterator["subprocess.Popen[str]"]:
    """Started and claiming; killed at the end."""
    data = service.composition.settings.data_dir
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.builders.host_process", str(data), fault],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait(10)
        process.stdout.close()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def arm(fault: str) -> None:
    place, when, number = fault.split(":")
    owner, name = PLACES[place]
    real, calls = getattr(owner, name), [0]

    def is_due() -> bool:
        calls[0] += 1
        return calls[0] == int(number)

    async def dying_later(*given: Any, **named: Any) -> Any:
        due = is_due()
        if due and when == "before":
            die()
        result = await real(*given, **named)
        if due and _counts(place, result):
            die()
        return result

    def dying(*given: Any, **named: Any) -> Any:
        due = is_due()
        if due and when == "before":
            die()
        result = real(*given, **named)
        if due:
            die()
        return result

    def _counts(place: str, result: Any) -> bool:
        """A claim that found nothing is none."""
        if place in ("claim", "claim_end") and not result:
            calls[0] -= 1
            return False
        return True

    setattr(owner, name, dying_later if owner is Ledger or place == "start" else dying)


def main(data: Path, fault: str) -> int:
    if fault:
        arm(fault)
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    composition = composed(data, settings=loopback_settings(data.parent))
    composition.start_work()
    print("ready", flush=True)
    stopped.wait()
    whole = composition.stop_work(20)
    composition.close()
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
