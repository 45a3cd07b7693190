"""The data folder: one service at a time, its owner's alone.

The folder itself is locked (flock), so the lock is free the moment the process dies and nobody can remove it. What runs
is told in `running.json`, for people and for the message of a second start; the lock alone decides.
"""

import fcntl
import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from postroad.foundation.whole_files import write_whole
from postroad.vocabulary.errors import AlreadyRunning, ConfigInvalid, StorageFailed

RUNNING = "running.json"
_FIELD = "dataDir"


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Makes the folder with mode 0700 and holds it. Raises ConfigInvalid, AlreadyRunning, StorageFailed."""
    handle = _opened(folder)
    try:
        _refuse_loose(folder, handle)
        _lock(folder, handle)
        _refuse_read_only(folder)
        yield
    finally:
        os.close(handle)


def tell_running(folder: Path, about: Mapping[str, object]) -> None:
    """Writes `running.json`."""
    write_whole(folder / RUNNING, json.dumps(dict(about)).encode() + b"\n", 0o600)


def forget_running(folder: Path) -> None:
    (folder / RUNNING).unlink(missing_ok=True)


def _opened(folder: Path) -> int:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise ConfigInvalid(
            f"the data folder {folder} cannot be used ({error.strerror}); name another one by --data-dir",
            field=_FIELD,
        ) from error


def _refuse_loose(folder: Path, handle: int) -> None:
    about = os.fstat(handle)
    if about.st_uid != os.geteuid():
        raise ConfigInvalid(
            f"the data folder {folder} belongs to another user; run the service as its owner", field=_FIELD
        )
    if stat.S_IMODE(about.st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigInvalid(
            f"others may look into the data folder {folder} (mode {stat.S_IMODE(about.st_mode):04o}); run: chmod 700 "
            f"{folder}",
            field=_FIELD,
        )


def _lock(folder: Path, handle: int) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise AlreadyRunning(
            f"another service{_who(folder)} uses the data folder {folder}; stop it, or name another one by --data-dir",
            field=_FIELD,
        ) from None
    except OSError as error:
        raise StorageFailed(
            f"the file system of {folder} cannot lock ({error.strerror}); put the data folder onto a local disk"
        ) from error


def _refuse_read_only(folder: Path) -> None:
    if not os.access(folder, os.W_OK) or os.statvfs(folder).f_flag & os.ST_RDONLY:
        raise StorageFailed(f"the data folder {folder} cannot be written; check its mount and its permissions")


def _who(folder: Path) -> str:
    try:
        about = json.loads((folder / RUNNING).read_bytes())
        return f" (process {int(about['pid'])}, at {about['url']})"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
