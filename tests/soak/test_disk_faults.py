"""The disk refuses at every place the program writes to: nothing is lost, and a resume ends the send."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest
from tests.soak.sending import FINISHED, PROGRAM, STILL_OPEN, Send, calm, check, ended

from postroad.flows.drills.receiver import Receiver

PEOPLE = 200
FAILING_DISK = str(Path(__file__).with_name("failing_disk"))

JOURNAL = [
    *product(("write", "fdatasync"), ("ENOSPC", "EIO"), (1, 2, 4, 9), ("*.journal",)),
    ("fsync", "EIO", 1, "journal"),
    *product(("fsync",), ("EIO",), (1, 3, 5, 7), ("out",)),
]
BEGINNINGS = [
    *product(("write", "fsync"), ("ENOSPC",), (1,), (".job.json.part", ".frozen.json.part")),
    *product(("replace",), ("EIO",), (1,), ("job.json", "frozen.json", "audience.parquet")),
]
ENDINGS = [
    *product(("write", "fsync"), ("ENOSPC",), (1,), (".ended.json.part", ".summary.json.part", ".receipt.json.part")),
    *product(("replace",), ("EIO",), (1,), ("ended.json", "summary.json", "receipt.json")),
]
RESULTS = [
    *product(("replace",), ("ENOSPC", "EIO"), (1,), ("results.parquet", "succeeded.csv", "skipped.csv")),
    *product(("fsync",), ("EIO",), (1,), ("results.parquet", "unknown.csv")),
]


@pytest.mark.parametrize(("call", "code", "nth", "name"), [*JOURNAL, *BEGINNINGS, *ENDINGS, *RESULTS])
def test_a_write_that_fails_costs_nobody_anything(tmp_path: Path, call: str, code: str, nth: int, name: str) -> None:
    scenario = calm(PEOPLE, 0.5)
    log = tmp_path / "faults"
    fault = {"PYTHONPATH": FAILING_DISK, "DRILL_FAULT": f"{call} {code} {nth} {name}", "DRILL_FAULT_LOG": str(log)}
    with Receiver("http", 5, scenario.odds) as receiver:
        send = Send.of(scenario, tmp_path, receiver)
        first = ended(send.start(extra=fault))
        assert log.exists(), "the fault was never met"
        assert first.code in (*FINISHED, *STILL_OPEN), first.said
        _gone_on_with(send, first.code)
        compared = send.compared()
    print(f"{call} {code} {nth} {name}: exit code {first.code}, {compared.counts}")
    check(compared)


@pytest.mark.parametrize("most_bytes", [4_000, 8_000, 12_000, 16_000, 20_000])
def test_files_that_may_not_grow_stop_the_send_and_a_resume_ends_it(tmp_path: Path, most_bytes: int) -> None:
    limit = f"import os,resource,sys;resource.setrlimit(resource.RLIMIT_FSIZE,({most_bytes},{most_bytes}));"
    command = (sys.executable, "-c", limit + "os.execv(sys.executable,[sys.executable,'-m','postroad',*sys.argv[1:]])")
    scenario = calm(PEOPLE, 0.5)
    with Receiver("http", 5, scenario.odds) as receiver:
        send = Send.of(scenario, tmp_path, receiver)
        first = ended(send.start(command))
        assert first.code in STILL_OPEN, "no file grew so large"
        _gone_on_with(send, first.code)
        compared = send.compared()
    print(f"files of {most_bytes} bytes at most: exit code {first.code}, {compared.counts}")
    check(compared)


@pytest.mark.parametrize("size_kib", [16, 32, 64, 80, 88, 96])
def test_a_disk_that_is_full_stops_the_send_and_a_resume_ends_it(
    request: pytest.FixtureRequest, tmp_path: Path, size_kib: int
) -> None:
    if os.geteuid() != 0:
        _as_root_of_a_namespace(request.node.nodeid, tmp_path / "namespace")
        return
    scenario = calm(PEOPLE, 0.5)
    disk = tmp_path / "disk"
    with Receiver("http", 5, scenario.odds) as receiver, _small_disk(disk, size_kib):
        send = Send.of(scenario, tmp_path, receiver, disk / "out")
        first = ended(send.start())
        assert first.code in STILL_OPEN, "the disk was large enough"
        _mount(disk, "remount,size=64m")
        _gone_on_with(send, first.code)
        compared = send.compared()
    print(f"a disk of {size_kib} KiB: exit code {first.code}, {compared.counts}")
    check(compared)


def _gone_on_with(send: Send, code: int) -> None:
    """A send that was not even frozen begins anew, as its words say."""
    if code not in FINISHED:
        again = send.resume() if (send.out / "frozen.json").exists() else send.start(PROGRAM)
        assert ended(again).code in FINISHED


@contextmanager
def _small_disk(folder: Path, size_kib: int) -> Iterator[None]:
    folder.mkdir()
    _mount(folder, f"size={size_kib}k")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def _mount(folder: Path, options: str) -> None:
    done = _said(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)])
    assert done.returncode == 0, f"no small disk can be mounted here: {done.stdout}"


def _as_root_of_a_namespace(test: str, folder: Path) -> None:
    """Runs one test of this file in a mount namespace of its own, where a plain user may mount too."""
    enter = ["unshare", "--user", "--map-root-user", "--mount"]
    entered = _said([*enter, "true"])
    assert entered.returncode == 0, f"a small disk needs root or user namespaces (`unshare -rm`): {entered.stdout}"
    options = ["-s", "-p", "no:cacheprovider", "--basetemp", str(folder)]
    done = _said([*enter, sys.executable, "-m", "pytest", *options, test])
    print(done.stdout)
    assert done.returncode == 0, done.stdout


def _said(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
