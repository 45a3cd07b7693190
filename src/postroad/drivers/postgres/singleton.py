"""One of several instances does a thing: it holds an advisory lock on a connection of its own.

PostgreSQL gives the lock back when the connection ends, however the instance ended. An instance that was cut off may go
on for as long as it does not ask again; whatever it guards must bear that, by unique rows or fencing.
"""

import hashlib
import threading

import psycopg

from postroad.drivers.postgres.address import PostgresAddress


class PostgresSingleton:
    """`hold()` before each piece of work. Safe to share between threads."""

    def __init__(self, address: PostgresAddress, name: str) -> None:
        self._address = address
        self._name = name
        self._key = advisory_key(name, address.schema)
        self._lock = threading.Lock()
        self._connection: psycopg.Connection | None = None

    def hold(self) -> bool:
        """Whether this instance holds it now; takes it where it is free. Blocks for one round trip."""
        with self._lock:
            try:
                if self._connection is not None:
                    self._connection.execute("SELECT 1")
                    return True
                return self._take()
            except psycopg.Error:
                self._drop()
                return False

    def release(self) -> None:
        with self._lock:
            self._drop()

    def _take(self) -> bool:
        connection = self._address.connect(f"singleton {self._name}")
        row = connection.execute("SELECT pg_try_advisory_lock(%s)", (self._key,)).fetchone()
        if row is not None and row[0]:
            self._connection = connection
            return True
        connection.close()
        return False

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def advisory_key(name: str, schema: str | None) -> int:
    """A signed 64-bit number for a name, the same on every instance."""
    digest = hashlib.sha256(f"postroad\0{schema or ''}\0{name}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)
