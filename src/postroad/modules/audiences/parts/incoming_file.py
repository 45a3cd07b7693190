"""What is being received: written as it comes, hashed on the way, gone unless somebody keeps it."""

import errno
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from postroad.vocabulary.errors import StorageFailed, StorageFull
from postroad.vocabulary.refusals import ValidationFailed

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class IncomingFile:
    """Close it, or use it as a context manager: that removes the file, whoever has kept it has it under another name.

    One thread at a time.
    """

    def __init__(self, path: Path, most_bytes: int) -> None:
        """Raises StorageFull, StorageFailed."""
        self.path = path
        self._most = most_bytes
        self._digest = hashlib.sha256()
        self.size_bytes = 0
        with _disk_errors():
            self._file = path.open("xb")

    def write(self, block: bytes) -> None:
        """Raises ValidationFailed beyond the limit, StorageFull, StorageFailed."""
        self.size_bytes += len(block)
        if self.size_bytes > self._most:
            raise ValidationFailed.of("file", "TOO_LARGE", f"the file is larger than {self._most:,} bytes; split it")
        self._digest.update(block)
        with _disk_errors():
            self._file.write(block)

    def finish(self) -> str:
        """No more comes. The SHA-256 of what came. Raises ValidationFailed where nothing did."""
        with _disk_errors():
            self._file.close()
        if self.size_bytes == 0:
            raise ValidationFailed.of("file", "EMPTY", "the file is empty")
        return self._digest.hexdigest()

    def __enter__(self) -> "IncomingFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing more comes, and the file goes. Idempotent."""
        try:
            self._file.close()
        finally:
            self.path.unlink(missing_ok=True)


@contextmanager
def _disk_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise StorageFull("no room is left for the file; free some space and upload it again") from None
        raise StorageFailed(f"the file cannot be kept: {error.strerror or error}") from error
