"""What SQLite's errors mean for a transaction of ours. Source: https://sqlite.org/rescode.html"""

import sqlite3
from pathlib import Path

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from postroad.vocabulary.errors import PostroadError, StorageFailed, StorageFull
from postroad.vocabulary.refusals import DatabaseRefused, Overloaded

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_UNUSABLE = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM})


def is_retryable(error: BaseException) -> bool:
    return _code(error) in _BUSY


def leaves_unknown(error: BaseException) -> bool:
    """A failed fsync of a COMMIT: the frames may be on the disk and count after the next crash."""
    return _code(error) == sqlite3.SQLITE_IOERR


def refusal(error: BaseException, path: Path, *, writing: bool) -> PostroadError | None:
    if isinstance(error, PoolTimeout):
        return Overloaded("too many readers wait for the database; try again", retry_after_s=1.0)
    code = _code(error)
    if code == sqlite3.SQLITE_INTERRUPT:
        said = "the database is busier than it can manage; nothing was changed, try again"
        return Overloaded(said, retry_after_s=1.0)
    if code == sqlite3.SQLITE_FULL:
        return StorageFull(f"the disk of {path} is full; make room, nothing that was answered is lost")
    if code in _DAMAGED:
        return DatabaseRefused(f"{path} is damaged or no database of ours; restore it from a backup")
    if code in _UNUSABLE and (writing or code != sqlite3.SQLITE_READONLY):
        return StorageFailed(f"{path} cannot be read or written; check the disk, its mount and its permissions")
    return None


def _code(error: BaseException) -> int | None:
    """The primary result code."""
    original = error.orig if isinstance(error, DBAPIError) else error
    code: int | None = getattr(original, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
