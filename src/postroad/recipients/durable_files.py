"""A file appears whole or not at all: written aside, synced, renamed, and the rename synced too."""

import hashlib
import os
from pathlib import Path


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


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
