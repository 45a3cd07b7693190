"""A file appears whole or not at all: written aside, synced, renamed, and the rename synced too."""

import errno
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from postroad.vocabulary.errors import PostroadError, StorageFailed, StorageFull

_REFUSALS = frozenset({errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO})


def settle(temporary: Path, final: Path) -> None:
    """Puts `temporary` in the place of `final`. After a crash one of the two is there, whole."""
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(final)
    folder = os.open(final.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def storage_errors(folder: Path) -> Iterator[None]:
    """Turns a full disk, and what else DuckDB may say about files and memory, into errors of our tree."""
    import duckdb

    try:
        yield
    except OSError as error:
        if error.errno in _REFUSALS:
            raise StorageFailed(
                f"{error.filename or folder}: {error.strerror or error}; check the disk, its mount and its "
                "permissions, then go on: nothing is lost"
            ) from error
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise StorageFull(f"no room is left in {folder}; free some space and go on, nothing is lost") from None
    except duckdb.Error as error:
        said = str(error).splitlines()[0]
        if "No space left" in said:
            raise StorageFull(f"no room is left in {folder}; free some space and go on, nothing is lost") from None
        raise PostroadError(f"the table could not be written in {folder}: {said}") from error


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
