"""What a journal asks of the operating system, as a port, so that every call can be made to fail in a test.

`REAL` is the file system of this machine. Linux is proven. On macOS a sync is F_FULLFSYNC; where blocks cannot be
reserved beyond the end of a file, `reserve` says so and the journal goes on without reserved room.
"""

import ctypes
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from postroad.journal import boot

BLOCK_BYTES = 1 << 20


class FileSystem(Protocol):
    """All methods raise OSError as the operating system does. Handles are opaque numbers."""

    def create(self, path: Path) -> int:
        """A new file for appending; FileExistsError where the name is taken."""
        ...

    def write(self, handle: int, data: bytes) -> int:
        """Appends in one call; may take fewer bytes than given."""
        ...

    def sync(self, handle: int) -> None:
        """Blocks until what was written is durable. After an error nothing unsynced may be taken for durable."""
        ...

    def truncate(self, handle: int, size: int) -> None:
        """Cuts to `size` and frees what was reserved beyond it."""
        ...

    def reserve(self, handle: int, offset: int, length: int) -> bool:
        """Blocks for the range beyond the end, size unchanged; False where this platform cannot."""
        ...

    def close(self, handle: int) -> None: ...

    def sync_file(self, path: Path) -> None:
        """Makes a file of an earlier process durable."""
        ...

    def sync_folder(self, folder: Path) -> None:
        """Makes the names in a folder durable."""
        ...

    def lock(self, path: Path) -> int:
        """Holds the lock file until `close`; BlockingIOError where somebody else does."""
        ...

    def mark(self, path: Path) -> None:
        """Makes an empty file, if it is not there."""
        ...

    def remove(self, path: Path) -> None: ...

    def names(self, folder: Path) -> list[str]: ...

    def read(self, path: Path) -> Iterator[bytes]:
        """The content, in blocks."""
        ...

    def boot_id(self, folder: Path) -> str: ...

    def device(self, folder: Path) -> str: ...


class RealFileSystem:
    def create(self, path: Path) -> int:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | _BINARY, 0o600)

    def write(self, handle: int, data: bytes) -> int:
        return os.write(handle, data)

    def sync(self, handle: int) -> None:
        _sync(handle)

    def truncate(self, handle: int, size: int) -> None:
        os.ftruncate(handle, size)

    def reserve(self, handle: int, offset: int, length: int) -> bool:
        return _reserve(handle, offset, length)

    def close(self, handle: int) -> None:
        os.close(handle)

    def sync_file(self, path: Path) -> None:
        handle = os.open(path, os.O_RDWR | _BINARY)
        try:
            _sync(handle)
        finally:
            os.close(handle)

    def sync_folder(self, folder: Path) -> None:
        if sys.platform == "win32":
            return
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def lock(self, path: Path) -> int:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(handle)
        except BaseException:
            os.close(handle)
            raise
        return handle

    def mark(self, path: Path) -> None:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))

    def remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def names(self, folder: Path) -> list[str]:
        return os.listdir(folder)

    def read(self, path: Path) -> Iterator[bytes]:
        with path.open("rb", buffering=0) as file:
            while block := file.read(BLOCK_BYTES):
                yield block

    def boot_id(self, folder: Path) -> str:
        return boot.boot_id(folder)

    def device(self, folder: Path) -> str:
        return boot.device(folder)


if sys.platform == "win32":
    import msvcrt

    _BINARY = os.O_BINARY

    def _sync(handle: int) -> None:
        os.fsync(handle)

    def _lock(handle: int) -> None:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(errno.EAGAIN, "the lock is held") from error

else:
    import fcntl

    _BINARY = 0

    def _sync(handle: int) -> None:
        if sys.platform == "darwin":
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
        else:
            os.fdatasync(handle)

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


_KEEP_SIZE = 1
_CANNOT_RESERVE = frozenset({errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL})


def _reserve(handle: int, offset: int, length: int) -> bool:
    """fallocate(2) with FALLOC_FL_KEEP_SIZE, which the standard library does not offer."""
    if _FALLOCATE is None:
        return False
    size = ctypes.c_int64
    while _FALLOCATE(handle, _KEEP_SIZE, size(offset), size(length)) != 0:
        code = ctypes.get_errno()
        if code in _CANNOT_RESERVE:
            return False
        if code != errno.EINTR:
            raise OSError(code, os.strerror(code))
    return True


def _find_fallocate() -> "ctypes._CFunctionType | None":
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None, use_errno=True)
    found = getattr(library, "fallocate64", None) or getattr(library, "fallocate", None)
    return found if found is None or ctypes.sizeof(ctypes.c_void_p) == 8 else getattr(library, "fallocate64", None)


_FALLOCATE = _find_fallocate()

REAL: FileSystem = RealFileSystem()
