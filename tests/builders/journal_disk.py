"""A disk in memory for the journal: it forgets what was not synced, and every call can be made to fail.

`JournalDisk` is the machine, `disk.process()` one process on it (a FileSystem). A kill keeps all written bytes and
frees the locks; a power loss drops a random part of what was not synced, as a suffix or page by page, and names.
After a failed sync the bytes concerned count as clean, as on Linux: no later sync brings them to the disk, and the page
cache may forget them at any time.
"""

import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

PAGE_BYTES = 48


class Killed(BaseException):
    """The process died before this call took effect."""


@dataclass
class StoredFile:
    data: bytearray = field(default_factory=bytearray)
    synced: int = 0
    linked: bool = False
    lost: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class JournalDisk:
    files: dict[Path, StoredFile] = field(default_factory=dict)
    boot: int = 1
    locks: dict[Path, "JournalProcess"] = field(default_factory=dict)
    room: int | None = None
    """Bytes that may still be taken; None is plenty."""

    def process(self) -> "JournalProcess":
        return JournalProcess(self)

    def kill(self, process: "JournalProcess", rng: Random) -> None:
        self.locks = {path: holder for path, holder in self.locks.items() if holder is not process}
        for stored in self.files.values():
            if stored.lost and rng.random() < 0.5:
                self._forget_lost(stored)

    def lose_power(self, rng: Random) -> None:
        self.locks = {}
        self.boot += 1
        for path, stored in list(self.files.items()):
            if not stored.linked and rng.random() < 0.5:
                del self.files[path]
                continue
            self._forget_lost(stored)
            volatile = stored.data[stored.synced :]
            if rng.random() < 0.5:
                volatile = volatile[: rng.randint(0, len(volatile))]
            else:
                for start in range(0, len(volatile), PAGE_BYTES):
                    if rng.random() < 0.5:
                        page = volatile[start : start + PAGE_BYTES]
                        volatile[start : start + PAGE_BYTES] = bytes(len(page))
            stored.data[stored.synced :] = volatile
            stored.synced, stored.linked = len(stored.data), True

    def _forget_lost(self, stored: StoredFile) -> None:
        for start, end in stored.lost:
            length = len(stored.data[start:end])
            stored.data[start : start + length] = bytes(length)
        stored.lost = []


class JournalProcess:
    """One process's view. `before` is called with the name of each call and may raise; `short` cuts the next write."""

    def __init__(self, disk: JournalDisk) -> None:
        self.disk = disk
        self.before: Callable[[str], None] = lambda call: None
        self.short: int | None = None
        self.calls: list[str] = []
        self.reserves = True
        self._handles: dict[int, Path] = {}
        self._reserved: dict[int, int] = {}
        self._next = 3

    def _enter(self, call: str) -> None:
        self.calls.append(call)
        self.before(call)

    def _handle(self, path: Path) -> int:
        self._next += 1
        self._handles[self._next] = path
        return self._next

    def create(self, path: Path) -> int:
        self._enter("create")
        if path in self.disk.files:
            raise FileExistsError(errno.EEXIST, "exists", str(path))
        self.disk.files[path] = StoredFile()
        return self._handle(path)

    def write(self, handle: int, data: bytes) -> int:
        self._enter("write")
        taken = len(data) if self.short is None else min(self.short, len(data))
        self.short = None
        reserved = self._reserved.get(handle, 0)
        stored = self.disk.files[self._handles[handle]]
        from_free = max(0, len(stored.data) + taken - max(reserved, len(stored.data)))
        if self.disk.room is not None:
            if from_free > self.disk.room:
                taken -= from_free - self.disk.room
                from_free = self.disk.room
            if taken <= 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            self.disk.room -= from_free
        stored.data += data[:taken]
        return taken

    def sync(self, handle: int) -> None:
        stored = self.disk.files[self._handles[handle]]
        try:
            self._enter("sync")
        except OSError:
            self.lose(stored)
            raise
        stored.synced = len(stored.data)

    def lose(self, stored: StoredFile) -> None:
        """What Linux does to dirty pages after a failed sync."""
        stored.lost.append((stored.synced, len(stored.data)))
        stored.synced = len(stored.data)

    def truncate(self, handle: int, size: int) -> None:
        self._enter("truncate")
        stored = self.disk.files[self._handles[handle]]
        held = max(self._reserved.pop(handle, 0), len(stored.data))
        if self.disk.room is not None:
            self.disk.room += held - size
        del stored.data[size:]
        stored.synced = min(stored.synced, size)

    def reserve(self, handle: int, offset: int, length: int) -> bool:
        self._enter("reserve")
        if not self.reserves:
            return False
        if self.disk.room is not None:
            if length > self.disk.room:
                raise OSError(errno.ENOSPC, "No space left on device")
            self.disk.room -= length
        self._reserved[handle] = offset + length
        return True

    def close(self, handle: int) -> None:
        self._enter("close")
        path = self._handles.pop(handle)
        if self.disk.locks.get(path) is self:
            del self.disk.locks[path]

    def sync_file(self, path: Path) -> None:
        stored = self.disk.files[path]
        try:
            self._enter("sync_file")
        except OSError:
            self.lose(stored)
            raise
        stored.synced = len(stored.data)

    def sync_folder(self, folder: Path) -> None:
        self._enter("sync_folder")
        for path, stored in self.disk.files.items():
            if path.parent == folder:
                stored.linked = True

    def lock(self, path: Path) -> int:
        self._enter("lock")
        if path in self.disk.locks:
            raise BlockingIOError(errno.EAGAIN, "held")
        self.disk.locks[path] = self
        return self._handle(path)

    def mark(self, path: Path) -> None:
        self._enter("mark")
        self.disk.files.setdefault(path, StoredFile())

    def remove(self, path: Path) -> None:
        self._enter("remove")
        self.disk.files.pop(path, None)

    def names(self, folder: Path) -> list[str]:
        return [path.name for path in self.disk.files if path.parent == folder]

    def read(self, path: Path) -> Iterator[bytes]:
        data = bytes(self.disk.files[path].data)
        return (data[start : start + 1000] for start in range(0, len(data), 1000))

    def boot_id(self, folder: Path) -> str:
        return f"boot-{self.disk.boot}"

    def device(self, folder: Path) -> str:
        return "memory"


def failing(call: str, code: int, *, at: int = 1) -> Callable[[str], None]:
    """A `before` that fails the `at`-th call of that name, once."""
    left = at

    def before(name: str) -> None:
        nonlocal left
        if name == call:
            left -= 1
            if left == 0:
                raise OSError(code, os.strerror(code))

    return before
