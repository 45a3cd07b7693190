"""The folder of one send.

    job.json          the job as given; its presence marks the folder as ours
    audience.parquet  the snapshot; errors.csv beside it where rows were left out
    origins.bin       only for a re-send: which item of which run each item goes back to
    frozen.json       what is sent; from here on nothing but secrets, rate and concurrency may change
    journal/          what became of each recipient
    ended.json        how the run ended, written once when the last item was settled
    results.parquet, succeeded.csv … skipped.csv, summary.json, receipt.json

Each file is written whole (temporary name, sync, rename, sync of the folder). `lock` is held by the process that works
on the send, by flock, so that it is free the moment the process dies. The folder itself is held the same way, because a
`lock` that somebody removes no longer keeps anybody out.
"""

import fcntl
import json
import os
import shutil
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from postroad.flows.local_runs.keeping.plan import FORMAT, SendPlan, readable_json
from postroad.foundation.whole_files import sync_folder, write_whole
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.errors import AlreadyRunning, InvalidInput, SendConflict, StorageFailed

TABLES = ("succeeded", "failed", "unknown", "unsent", "skipped")
_POLL_S = 0.05


class SendFolder:
    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.job = self.path / "job.json"
        self.snapshot = self.path / "audience.parquet"
        self.import_errors = self.path / "errors.csv"
        self.origins = self.path / "origins.bin"
        self.frozen = self.path / "frozen.json"
        self.journal = self.path / "journal"
        self.ended = self.path / "ended.json"
        self.results = self.path / "results.parquet"
        self.summary = self.path / "summary.json"
        self.receipt = self.path / "receipt.json"
        self.lock = self.path / "lock"

    @property
    def is_ours(self) -> bool:
        return self.job.is_file()

    @property
    def is_just_begun(self) -> bool:
        """Whether it holds nothing but what a preparation leaves that was killed before `job.json` was whole."""
        return all(entry.name == f".{self.job.name}.part" for entry in self.path.iterdir())

    @property
    def is_frozen(self) -> bool:
        return self.frozen.is_file()

    @property
    def is_complete(self) -> bool:
        """Whether every file of an ended send is here."""
        tables = (self.path / f"{name}.csv" for name in TABLES)
        return all(path.is_file() for path in (self.receipt, self.summary, self.results, *tables))

    def read_plan(self) -> SendPlan:
        """Raises InvalidInput where there is none, SendConflict where it was changed."""
        if not self.is_frozen:
            raise InvalidInput(
                f"{self.path} holds no frozen send (no frozen.json); name the folder of a send", field="folder"
            )
        return SendPlan.from_json(self.read(self.frozen), str(self.frozen))

    def write_plan(self, plan: SendPlan) -> None:
        write_whole(self.frozen, readable_json(plan.to_json()))

    def make_journal(self) -> None:
        """Before the send is frozen: a frozen send without this folder has lost it."""
        self.journal.mkdir(mode=0o700, exist_ok=True)
        sync_folder(self.path)

    def check_journal(self) -> None:
        """Raises SendConflict where the folder of the journals is gone."""
        if not self.journal.is_dir():
            raise SendConflict(
                f"{self.journal} is gone, and with it who was sent to; restore it, nothing is sent until then",
                field="folder",
            )

    def write_job(self, name: str, raw: dict[str, Any]) -> None:
        write_whole(self.job, readable_json({"format": FORMAT, "name": name, "job": raw}))

    def read_job(self) -> dict[str, Any]:
        """The job as it was given. Raises SendConflict."""
        raw = self.read(self.job).get("job")
        if not isinstance(raw, dict):
            raise SendConflict(f"{self.job} is not what was written there; restore it or start a new send")
        return raw

    def read(self, path: Path) -> dict[str, Any]:
        """A JSON file of this folder. Raises SendConflict where it is no JSON mapping."""
        return read_json(path)

    def files(self) -> dict[str, Path]:
        """The files of results that exist, by name."""
        named = {"results": self.results, "summary": self.summary, "receipt": self.receipt}
        named |= {name: self.path / f"{name}.csv" for name in TABLES} | {"errors": self.import_errors}
        return {name: path for name, path in named.items() if path.is_file()}

    def remove_leftovers(self) -> None:
        """What exports that were killed left behind; the results are in place or are made anew."""
        for left in self.path.glob(".export-*"):
            shutil.rmtree(left, ignore_errors=True)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    @property
    def is_held(self) -> bool:
        """Whether a process works on it now. Without a trace: nothing is waited for and nothing kept."""
        for path, mode in ((self.path, os.O_RDONLY), (self.lock, os.O_RDWR)):
            try:
                handle = os.open(path, mode)
            except OSError:
                continue
            try:
                if not _locked(handle):
                    return True
            finally:
                os.close(handle)
        return False

    @contextmanager
    def held(self, wait_s: float = 0.0) -> Iterator[None]:
        """Holds the folder. Raises AlreadyRunning where another process still holds it after `wait_s`."""
        handles: list[int] = []
        try:
            for path, mode in ((self.path, os.O_RDONLY), (self.lock, os.O_RDWR | os.O_CREAT)):
                handles.append(_opened(path, mode))
            pause = threading.Event()
            until = time.monotonic() + wait_s
            while not all(map(_locked, handles)):
                if time.monotonic() >= until:
                    raise AlreadyRunning(f"another process works on {self.path}; wait for it or stop it first")
                pause.wait(_POLL_S)
            yield
        finally:
            for handle in handles:
                os.close(handle)


def read_json(path: Path) -> dict[str, Any]:
    """Raises SendConflict where it is no JSON mapping."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise SendConflict(f"{path} cannot be read as JSON ({error}); restore it or start a new send") from error
    if not isinstance(value, dict):
        raise SendConflict(f"{path} is not what was written there; restore it or start a new send")
    return value


def make_folder(out: Path | None, name: str, clock: Clock) -> SendFolder:
    """A new folder for its owner alone, since it names people: `out`, or `sends/<date>-<name>-<n>`.

    Raises InvalidInput where `out` holds anything that is not ours, SendConflict where it holds a frozen send. What an
    earlier, unconfirmed preparation left is removed.
    """
    if out is not None:
        return _take_over(SendFolder(out))
    day = datetime.fromtimestamp(clock.now_ms() / 1000, tz=UTC).astimezone().strftime("%Y-%m-%d")
    slug = "-".join("".join(c if c.isalnum() or c in "._-" else " " for c in name).split()) or "send"
    parent = Path.cwd() / "sends"
    with _can_be_made(parent):
        parent.mkdir(exist_ok=True)
    for number in range(1, 100_000):
        path = parent / f"{day}-{slug}-{number}"
        try:
            with _can_be_made(path):
                path.mkdir(mode=0o700)
        except FileExistsError:
            continue
        sync_folder(parent)
        return SendFolder(path)
    raise InvalidInput(f"{parent} is full of sends of this name; give the folder yourself", field="out")


def _take_over(folder: SendFolder) -> SendFolder:
    path = folder.path
    if path.exists():
        if not path.is_dir():
            raise InvalidInput(f"{path} is a file; name a folder that does not exist yet", field="out")
        if folder.is_frozen:
            raise SendConflict(f"{path} holds a send already; go on with: postroad send --resume {path}", field="out")
        if any(path.iterdir()):
            if not folder.is_ours and not folder.is_just_begun:
                raise InvalidInput(f"{path} is not empty and not a send; name a new folder", field="out")
            if folder.is_held:
                raise AlreadyRunning(f"another process works on {path}; wait for it or name a new folder")
            folder.remove()
    with _can_be_made(path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    sync_folder(path.parent)
    return folder


@contextmanager
def _can_be_made(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        raise InvalidInput(
            f"the folder {path} cannot be made ({error.strerror}); name another one with --out", field="out"
        ) from error


def _opened(path: Path, mode: int) -> int:
    try:
        return os.open(path, mode, 0o644)
    except OSError as error:
        raise StorageFailed(
            f"{path} cannot be opened ({error.strerror}); check the disk, its mount and its permissions"
        ) from error


def _locked(handle: int) -> bool:
    """False where somebody else holds it. A file system that cannot lock folders leaves that to the file in it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return stat.S_ISDIR(os.fstat(handle).st_mode)
    return True
