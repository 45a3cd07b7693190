"""A local send in a test: a spreadsheet, a job file, surroundings with the real provider, and a sender process."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from postroad import providers
from postroad.egress import Egress
from postroad.flows.local_runs import (
    Controls,
    Notice,
    ResumeOrder,
    SendOrder,
    SendProgress,
    SendStarted,
    SendSummary,
    Surroundings,
    prepare_send,
    resume_send,
    start_send,
)
from postroad.foundation.clock import SystemClock
from postroad.foundation.home import Home
from postroad.foundation.ids import new_run_id
from postroad.foundation.secret_lookup import SecretLookup
from postroad.vocabulary.errors import PostroadError

ROOT = Path(__file__).parents[3]
DIED = 99


def write_people(folder: Path, count: int, name: str = "people.csv") -> Path:
    path = folder / name
    rows = "".join(f"p{number},Name {number}\n" for number in range(count))
    path.write_text(f"id,name\n{rows}", encoding="utf-8")
    return path


def write_job(folder: Path, port: int, *, name: str = "welcome", **changes: Any) -> Path:
    job: dict[str, Any] = {
        "name": name,
        "provider": "http",
        "account": {"baseUrl": f"http://127.0.0.1:{port}"},
        "message": {"path": "/to/{{ id }}", "bodyTemplate": {"hello": "{{ name }}"}},
        "audience": {"file": "people.csv"},
        "policies": {
            "concurrency": 8,
            "rate": "unlimited",
            "retry": {"maxAttempts": 3, "initial": "20ms", "maxDelay": "50ms"},
        },
    }
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps(job | changes), encoding="utf-8")
    return path


def surroundings(folder: Path, environment: Mapping[str, str] | None = None) -> Surroundings:
    egress = Egress()
    return Surroundings(
        provider_loader=lambda provider_id: providers.load(provider_id, egress),
        gate=egress,
        secrets=SecretLookup(os.environ if environment is None else environment),
        clock=SystemClock(),
        home=Home(folder / "home"),
        new_id=new_run_id,
    )


class Watch:
    """Remembers what it saw. `on_progress` may use the controls."""

    def __init__(self) -> None:
        self.controls: Controls | None = None
        self.start: SendStarted | None = None
        self.progress: list[SendProgress] = []
        self.notices: list[Notice] = []

    def started(self, send: SendStarted, controls: Controls, /) -> None:
        self.start, self.controls = send, controls

    def progressed(self, progress: SendProgress, /) -> None:
        self.progress.append(progress)

    def noted(self, notice: Notice, /) -> None:
        self.notices.append(notice)


def send(folder: Path, job: Path, watch: Watch | None = None, *, out: str = "out", **order: Any) -> SendSummary:
    around = surroundings(folder)
    prepared = prepare_send(SendOrder(job, out=folder / out, **order), around)
    return start_send(prepared, around, watch, confirmed_hash=prepared.hash)


def resume(folder: Path, out: str = "out", watch: Watch | None = None, **order: Any) -> SendSummary:
    return resume_send(ResumeOrder(folder / out, **order), surroundings(folder), watch)


def column(path: Path, name: str) -> list[str]:
    """One column of a result table."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [row[name] for row in csv.DictReader(file)]


class SenderProcess:
    """The program below in a process of its own, to be killed."""

    def __init__(
        self, folder: Path, job: Path | None, *, workers: int = 1, out: str = "out", die_at_rename: int = 0
    ) -> None:
        command = [sys.executable, "-m", "tests.behaviour.local_runs.sending"]
        arguments = [str(folder), str(job or ""), str(folder / out), str(workers), str(die_at_rename)]
        self.process = subprocess.Popen(
            [*command, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def exit_code(self) -> int:
        self.process.communicate(timeout=60)
        return self.process.returncode

    def ended(self, timeout_s: float = 60) -> dict[str, Any]:
        """What it printed; its exit code as `exit`."""
        out, err = self.process.communicate(timeout=timeout_s)
        assert out, err
        said: dict[str, Any] = json.loads(out.splitlines()[-1])
        return said | {"exit": self.process.returncode}


def _die_at_rename(number: int) -> None:
    """The process is gone, as by SIGKILL, right before its rename of that number."""
    rename, done = os.replace, iter(range(1, 1_000_000))

    def counted(source: Path, target: Path) -> None:
        if next(done) == number:
            os._exit(DIED)
        rename(source, target)

    os.replace = counted  # type: ignore[assignment]  # (tests: a kill point in a process of its own; until 2027-11-30)


def main(folder: str, job: str, out: str, workers: str, die_at_rename: str) -> int:
    _die_at_rename(int(die_at_rename))
    around = surroundings(Path(folder))
    try:
        if job:
            prepared = prepare_send(SendOrder(Path(job), out=Path(out), workers=int(workers)), around)
            summary = start_send(prepared, around)
        else:
            summary = resume_send(ResumeOrder(Path(out), wait_s=0.5), around)
    except PostroadError as error:
        print(json.dumps({"error": type(error).__name__, "message": str(error)}))
        return 2
    print(json.dumps({"state": summary.state.value, "total": summary.counts.total}))
    return summary.exit_code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
