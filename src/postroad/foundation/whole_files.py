"""Files that are there whole or not at all.

A file is written beside its name, synced, renamed over it, and the folder is synced. A crash between any two lines
leaves the old file or the new one, and at most a `.part` file that the next write replaces.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from postroad.vocabulary.errors import StorageFailed, StorageFull

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def write_whole(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Replaces `path` by `content`; durable when it returns. Raises StorageFull, StorageFailed."""
    part = path.with_name(f".{path.name}.part")
    with storage_refusals(path):
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        try:
            os.fchmod(handle, mode)
            left = memoryview(content)
            while left:
                left = left[os.write(handle, left) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(part, path)
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Makes the names in `folder` durable. Raises StorageFull, StorageFailed."""
    _sync(folder, os.O_RDONLY | os.O_DIRECTORY)


def sync_file(path: Path) -> None:
    """Makes the content of a file that somebody else wrote durable. Raises StorageFull, StorageFailed."""
    _sync(path, os.O_RDONLY)


def _sync(path: Path, flags: int) -> None:
    with storage_refusals(path):
        handle = os.open(path, flags)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def storage_refusals(path: Path) -> Iterator[None]:
    """Turns an OSError of writing into StorageFull or StorageFailed, in words a person can act on."""
    try:
        yield
    except OSError as error:
        said = f"{path} cannot be written: {error.strerror or error}"
        if error.errno in _NO_ROOM:
            raise StorageFull(f"{said}; free some space and go on, nothing is lost") from error
        advice = "check the disk, its mount and its permissions, then go on: nothing is lost"
        raise StorageFailed(f"{said}; {advice}") from error
