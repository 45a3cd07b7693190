"""A file, one writer at a time, readers that never wait.

WAL with synchronous=FULL: a commit that was answered survives a power loss. Writers of this process stand in a fair,
bounded line, take one connection and begin with BEGIN IMMEDIATE; another process that writes (a backup, a tool) is
waited for as long as the deadline allows. Readers have a small pool of their own, see one snapshot and cannot write. A
statement that runs over the deadline is interrupted.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, MetaData, QueuePool, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection

from postroad.drivers.sqlite import faults
from postroad.drivers.sqlite.writers_queue import WritersQueue
from postroad.kernel.ports import Opened
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.refusals import Overloaded

_BUSY_S = 5.0
_STEPS_BETWEEN_LOOKS = 100_000
_PREPARE = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA journal_size_limit = 67108864",
)


class SqliteDialect:
    name = "sqlite"
    errors: tuple[type[Exception], ...] = (sqlite3.Error,)

    def __init__(self, path: Path, *, readers: int = 4, most_waiting: int = 256) -> None:
        """Opens nothing yet; the file is made by the first use."""
        self._path = path
        self._queue = WritersQueue(most_waiting)
        self._writer = _engine(path, 1, "BEGIN IMMEDIATE", _PREPARE)
        self._readers = _engine(path, readers, "BEGIN", (*_PREPARE, "PRAGMA query_only = ON"))

    @property
    def path(self) -> Path:
        return self._path

    @contextmanager
    def reading(self, deadline_s: float) -> Iterator[Opened]:
        with self._readers.connect() as connection, _bounded(connection, deadline_s), connection.begin():
            yield Opened(connection, None)

    @contextmanager
    def writing(self, deadline_s: float) -> Iterator[Opened]:
        ends = time.monotonic() + deadline_s
        self._queue.enter(deadline_s)
        try:
            with self._writer.connect() as connection, _bounded(connection, ends - time.monotonic()):
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
        return faults.is_retryable(error)

    def is_lost(self, _error: BaseException) -> bool:
        return False

    def leaves_unknown(self, error: BaseException) -> bool:
        return faults.leaves_unknown(error)

    def refusal(self, error: BaseException, *, writing: bool) -> PostroadError | None:
        return faults.refusal(error, self._path, writing=writing)

    def create_tables(self, metadata: MetaData) -> None:
        """Makes the tables that are not there. For tests; a service migrates."""
        with self.writing(60.0) as opened:
            metadata.create_all(opened.connection)
            opened.connection.commit()

    def close(self) -> None:
        """The last connection that closes folds the WAL into the file."""
        self._readers.dispose()
        self._writer.dispose()


class AlwaysAlone:
    """One service has the data folder to itself, so it is the only one."""

    def hold(self) -> bool:
        return True

    def release(self) -> None:
        return


def _engine(path: Path, pool_size: int, begin: str, prepare: tuple[str, ...]) -> Engine:
    engine = create_engine(
        f"sqlite:///{path}",
        poolclass=QueuePool,
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=_BUSY_S,
        connect_args={"check_same_thread": False, "timeout": _BUSY_S},
    )

    @event.listens_for(engine, "connect")
    def connected(connection: DBAPIConnection, _record: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for statement in prepare:
            cursor.execute(statement)
        cursor.close()

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


@contextmanager
def _bounded(connection: Connection, deadline_s: float) -> Iterator[None]:
    """Waits no longer than that for other processes, and interrupts what still runs after it."""
    if deadline_s <= 0:
        raise Overloaded("the turn did not come in time; nothing was changed, try again", retry_after_s=1.0)
    ends = time.monotonic() + deadline_s
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    driver.execute(f"PRAGMA busy_timeout = {max(1, round(deadline_s * 1000))}")
    driver.set_progress_handler(lambda: time.monotonic() > ends, _STEPS_BETWEEN_LOOKS)
    try:
        yield
    finally:
        driver.set_progress_handler(None, _STEPS_BETWEEN_LOOKS)
