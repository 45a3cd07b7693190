"""`postroad serve` as a process of its own, on loopback and a free port."""

import itertools
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

_STARTS = itertools.count(1)


@dataclass
class Served:
    process: "subprocess.Popen[str]"
    url: str
    banner: list[str]
    log: Path

    @property
    def setup_link(self) -> str:
        return next((line.strip() for line in self.banner if "/setup#code=" in line), "")

    @property
    def setup_code(self) -> str:
        return self.setup_link.rpartition("code=")[2]

    def get(self, path: str) -> httpx.Response:
        return httpx.get(self.url + path, timeout=10, trust_env=False)

    def stop(self, number: int, timeout_s: float = 20) -> int:
        """Sends the signal and waits. The exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout_s)


def command(data_dir: Path, arguments: Sequence[str] = ()) -> list[str]:
    return [sys.executable, "-m", "postroad", "serve", "--data-dir", str(data_dir), "--port", "0", *arguments]


def environment(data_dir: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("POSTROAD_")}
    return {**kept, "POSTROAD_LANG": "en", "POSTROAD_HOME": str(data_dir.parent / "home"), **(more or {})}


def refused(
    data_dir: Path,
    arguments: Sequence[str] = (),
    more: Mapping[str, str] | None = None,
    *,
    largest_file: int = resource.RLIM_INFINITY,
) -> "subprocess.CompletedProcess[str]":
    """A start that must end by itself. No file it writes may pass `largest_file` bytes, as on a full disk."""
    return subprocess.run(
        command(data_dir, arguments),
        env=environment(data_dir, more),
        capture_output=True,
        text=True,
        timeout=30,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file)),
    )


@contextmanager
def served(data_dir: Path, arguments: Sequence[str] = (), more: Mapping[str, str] | None = None) -> Iterator[Served]:
    """Started and listening; killed at the end where the test did not stop it."""
    log = data_dir.parent / f"serve-{next(_STARTS)}.log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            command(data_dir, arguments), env=environment(data_dir, more), stdout=written, stderr=subprocess.STDOUT
        )
    try:
        banner = _banner(process, log)
        url = next(found[1] for line in banner if (found := re.search(r"listens at (http\S+)", line)))
        yield Served(process, url, banner, log)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(10)


def _banner(process: "subprocess.Popen[bytes]", log: Path) -> list[str]:
    for _ in range(4000):
        lines = log.read_text(encoding="utf-8").splitlines()
        starts = [at for at, line in enumerate(lines) if "Postroad listens at" in line]
        ends = [at for at, line in enumerate(lines) if line.startswith("Ctrl-C")]
        if starts and ends:
            return [line for line in lines[starts[0] : ends[0] + 1] if not line.startswith("{")]
        if process.poll() is not None:
            raise RuntimeError(f"the service ended with {process.returncode}: {lines[-5:]}")
        try:
            process.wait(0.01)
        except subprocess.TimeoutExpired:
            continue
    raise RuntimeError("the service did not come up")
