"""A file, one writer at a time, readers that never wait.

WAL with synchronous=FULL: a commit that was answered survives a power loss. Writers of this process stand in a fair,
bounded line, take one connection and begin with BEGIN IMMEDIATE; another process that writes (a backup, a tool) is
waited for as long as the deadline allows. Readers have a small pool of their own, see one snapshot and cannot write.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, MetaData, QueuePool, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from postroad.drivers.sqlite.writers_queue import WritersQueue
from postroad.kernel.ports import Opened
from postroad.vocabulary.errors import PostroadError, StorageFailed, StorageFull
from postroad.vocabulary.refusals import DatabaseRefused, Overloaded

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_NO_ROOM = frozenset({sqlite3.SQLITE_FULL})
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_UNUSABLE = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM})


class SqliteDialect:
    name = "sqlite"

    def __init__(self, path: Path, *, readers: int = 4, most_waiting: int = 256) -> None:
        """Opens nothing yet; the file is made by the first use."""
        self._path = path
        self._queue = WritersQueue(most_waiting)
        self._writer = self._engine(pool_size=1, begin="BEGIN IMMEDIATE", query_only=False)
        self._readers = self._engine(pool_size=readers, begin="BEGIN", query_only=True)

    @contextmanager
    def reading(self, _deadline_s: float) -> Iterator[Opened]:
        with self._readers.connect() as connection, connection.begin():
            yield Opened(connection, None)

    @contextmanager
    def writing(self, deadline_s: float) -> Iterator[Opened]:
        self._queue.enter(deadline_s)
        try:
            with self._writer.connect() as connection:
                connection.begin()
                yield Opened(connection, None)
        finally:
            self._queue.leave()

    def background(self) -> "SqliteDialect":
        return self

    def singleton(self, _name: str) -> "AlwaysAlone":
        return AlwaysAlone()

    @contextmanager
    def migrating(self, timeout_s: float) -> Iterator[Connection]:
        """A transaction that changes tables; for the caller to commit."""
        with self.writing(timeout_s) as opened:
            yield opened.connection

    def is_retryable(self, error: BaseException) -> bool:
        return _primary_code(error) in _BUSY

    def is_lost(self, _error: BaseException) -> bool:
        return False

    def refusal(self, error: BaseException) -> PostroadError | None:
        if isinstance(error, PoolTimeout):
            return Overloaded("too many readers wait for the database; try again", retry_after_s=1.0)
        code = _primary_code(error)
        if code in _NO_ROOM:
            return StorageFull(f"the disk of {self._path} is full; make room, nothing that was answered is lost")
        if code in _DAMAGED:
            return DatabaseRefused(f"{self._path} is damaged or no database of ours; restore it from a backup")
        if code in _UNUSABLE:
            return StorageFailed(
                f"{self._path} cannot be read or written; check the disk, its mount and its permissions"
            )
        return None

    def create_tables(self, metadata: MetaData) -> None:
        """Makes the tables that are not there. For tests; a service migrates."""
        with self.writing(10.0) as opened:
            metadata.create_all(opened.connection)
            opened.connection.commit()

    def close(self) -> None:
        self._readers.dispose()
        self._writer.dispose()

    def _engine(self, *, pool_size: int, begin: str, query_only: bool) -> Engine:
        engine = create_engine(
            f"sqlite:///{self._path}",
            poolclass=QueuePool,
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=5.0,
            connect_args={"check_same_thread": False, "timeout": 5.0},
        )

        @event.listens_for(engine, "connect")
        def prepare(connection: DBAPIConnection, _record: object) -> None:
            connection.isolation_level = None
            cursor = connection.cursor()
            cursor.execute("PRAGMA journal_mode = WAL")
            cursor.execute("PRAGMA synchronous = FULL")
            cursor.execute("PRAGMA foreign_keys = ON")
            if query_only:
                cursor.execute("PRAGMA query_only = ON")
            cursor.close()

        @event.listens_for(engine, "begin")
        def start(connection: Connection) -> None:
            connection.exec_driver_sql(begin)

        return engine


class AlwaysAlone:
    """One service has the data folder to itself, so it is the only one."""

    def hold(self) -> bool:
        return True

    def release(self) -> None:
        return


def _primary_code(error: BaseException) -> int | None:
    original = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(original, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
