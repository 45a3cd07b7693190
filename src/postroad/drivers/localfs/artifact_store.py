"""`modules.artifacts.ArtifactStore` in a folder of this machine.

An object is written beside its name (`.part`), synced and renamed, and the folder is synced: after a crash it is there
whole or not at all. Locations come from the artifacts module; what is no plain relative path is refused, symbolic links
are not followed at the end, and folders are 0700, files 0600.
"""

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from postroad.foundation.whole_files import storage_refusals, sync_file, sync_folder
from postroad.vocabulary.errors import StorageFailed

_LOCATION = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*(/[A-Za-z0-9][A-Za-z0-9-]*)*")
_PIECE_BYTES = 256 * 1024


class LocalArtifactStore:
    backend = "local"

    def __init__(self, root: Path) -> None:
        """Raises StorageFull, StorageFailed where the folder cannot be made."""
        self._root = root
        with storage_refusals(root):
            root.mkdir(mode=0o700, parents=True, exist_ok=True)

    def begin(self, location: str) -> "LocalUpload":
        path = self._path(location)
        self._refuse_taken(path)
        self._make_folders(path.parent)
        with storage_refusals(path):
            handle = os.open(_part(path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        return LocalUpload(path, handle)

    def adopt(self, location: str, file: Path) -> None:
        """On the same file system without copying a byte: the file gets a second name."""
        path = self._path(location)
        self._refuse_taken(path)
        self._make_folders(path.parent)
        sync_file(file)
        with storage_refusals(path):
            _part(path).unlink(missing_ok=True)
            try:
                os.link(file, _part(path), follow_symlinks=False)
            except OSError as error:
                if error.errno not in (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP):
                    raise
                shutil.copyfile(file, _part(path))
                _part(path).chmod(0o600)
                sync_file(_part(path))
            os.replace(_part(path), path)
        sync_folder(path.parent)

    def open(self, location: str, start: int, length: int) -> Iterator[bytes]:
        path = self._path(location)
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError as error:
            raise _lost(path) from error
        if os.fstat(handle).st_size < start + length:
            os.close(handle)
            raise _lost(path)
        return _Pieces(handle, path, start, length)

    def size(self, location: str) -> int | None:
        try:
            return self._path(location).stat().st_size
        except FileNotFoundError:
            return None

    def delete(self, location: str) -> None:
        path = self._path(location)
        if not path.parent.exists():
            return
        with storage_refusals(path):
            path.unlink(missing_ok=True)
            _part(path).unlink(missing_ok=True)
        sync_folder(path.parent)

    @contextmanager
    def local_copy(self, location: str) -> Iterator[Path]:
        path = self._path(location)
        if not path.is_file():
            raise _lost(path)
        yield path

    def free_bytes(self) -> int:
        with storage_refusals(self._root):
            return shutil.disk_usage(self._root).free

    def _path(self, location: str) -> Path:
        if not _LOCATION.fullmatch(location):
            raise ValueError("a location is made of letters, digits and hyphens between slashes")
        return self._root / location

    def _refuse_taken(self, path: Path) -> None:
        if path.exists():
            raise StorageFailed(f"{path} is there already; an artifact is written once")

    def _make_folders(self, folder: Path) -> None:
        """Each new folder is made durable in the one above."""
        missing = []
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for each in reversed(missing):
            with storage_refusals(each):
                each.mkdir(mode=0o700, exist_ok=True)
            sync_folder(each.parent)


class LocalUpload:
    def __init__(self, path: Path, handle: int) -> None:
        self._path = path
        self._handle: int | None = handle

    def append(self, chunk: bytes) -> None:
        if self._handle is None:
            raise StorageFailed(f"the upload of {self._path.name} is over")
        left = memoryview(chunk)
        with storage_refusals(self._path):
            while left:
                left = left[os.write(self._handle, left) :]

    def complete(self) -> None:
        if self._handle is None:
            return
        with storage_refusals(self._path):
            os.fsync(self._handle)
            self._close()
            os.replace(_part(self._path), self._path)
        sync_folder(self._path.parent)

    def abort(self) -> None:
        self._close()
        with suppress(OSError):
            _part(self._path).unlink(missing_ok=True)

    def _close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            with suppress(OSError):
                os.close(handle)


class _Pieces(Iterator[bytes]):
    """Reads a part of a file and closes it at the end, on an error, or when nobody wants it any more."""

    def __init__(self, handle: int, path: Path, start: int, length: int) -> None:
        self._handle: int | None = handle
        self._path = path
        self._at = start
        self._left = length

    def __next__(self) -> bytes:
        if self._handle is None or not self._left:
            self.close()
            raise StopIteration
        try:
            piece = os.pread(self._handle, min(_PIECE_BYTES, self._left), self._at)
        except OSError as error:
            self.close()
            raise StorageFailed(f"{self._path} cannot be read: {error.strerror}") from error
        if not piece:
            self.close()
            raise _lost(self._path)
        self._at += len(piece)
        self._left -= len(piece)
        return piece

    def close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)

    def __del__(self) -> None:
        self.close()


def _part(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


def _lost(path: Path) -> StorageFailed:
    return StorageFailed(f"{path} is missing, or shorter than it was; restore the artifacts from a backup")
