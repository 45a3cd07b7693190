"""A server for one or several instances: short transactions on pooled connections.

Writes are READ COMMITTED with row locks and expected versions, reads are REPEATABLE READ READ ONLY: one snapshot. Every
transaction begins with one statement that limits lock waits, statements and the whole to what is left of its deadline,
and brings the server's time: the one clock that all instances share. Background work has a pool of its own, so that it
never takes the connections that people wait for.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from sqlalchemy import Connection, Engine, MetaData, QueuePool, create_engine, text

from postroad.drivers.postgres import faults
from postroad.drivers.postgres.address import PostgresAddress
from postroad.drivers.postgres.singleton import PostgresSingleton, advisory_key
from postroad.kernel.ports import Opened
from postroad.kernel.tables import canonical_json
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.refusals import Overloaded

_POOL_WAIT_S = 5.0
_GRACE_MS = 500
"""A statement over the deadline is cancelled; a transaction that goes on after that loses its session."""
_BEGIN = text(
    "SELECT set_config('statement_timeout', :statement, true), set_config('lock_timeout', :lock, true), "
    "set_config('transaction_timeout', :whole, true), "
    "(extract(epoch from clock_timestamp()) * 1000)::bigint"
)


@dataclass(frozen=True, slots=True)
class PostgresLimits:
    """Upper bounds; what is left of a transaction's deadline is a bound too."""

    statement_s: float = 30.0
    lock_s: float = 5.0


class PostgresDialect:
    name = "postgresql"
    errors: tuple[type[Exception], ...] = (psycopg.Error,)

    def __init__(
        self,
        address: PostgresAddress,
        *,
        pool_size: int = 8,
        background_pool_size: int = 4,
        limits: PostgresLimits | None = None,
        server_time: bool = True,
    ) -> None:
        """Connects to nothing yet. `server_time=False` lets the clock of the process decide (tests)."""
        self._address = address
        self._limits = limits or PostgresLimits()
        self._server_time = server_time
        self._engine = _engine(address, pool_size, "online")
        self._snapshots = self._engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        self._background = (
            PostgresDialect(
                address,
                pool_size=background_pool_size,
                background_pool_size=0,
                limits=limits,
                server_time=server_time,
            )
            if background_pool_size
            else None
        )

    @property
    def address(self) -> PostgresAddress:
        return self._address

    @contextmanager
    def reading(self, deadline_s: float) -> Iterator[Opened]:
        with self._snapshots.connect() as connection, connection.begin():
            yield self._begun(connection, deadline_s)

    @contextmanager
    def writing(self, deadline_s: float) -> Iterator[Opened]:
        with self._engine.connect() as connection:
            connection.begin()
            yield self._begun(connection, deadline_s)

    def background(self) -> "PostgresDialect":
        """The same database by a pool of its own."""
        return self._background or self

    def singleton(self, name: str) -> PostgresSingleton:
        return PostgresSingleton(self._address, name)

    @contextmanager
    def migrating(self, timeout_s: float) -> Iterator[Connection]:
        """A transaction that changes tables, alone in the whole cluster; for the caller to commit."""
        with self._engine.connect() as connection:
            connection.begin()
            wait = {"timeout": str(round(timeout_s * 1000)), "key": advisory_key("migration", self._address.schema)}
            connection.execute(text("SELECT set_config('lock_timeout', :timeout, true)"), wait)
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), wait)
            yield connection

    def is_retryable(self, error: BaseException) -> bool:
        return faults.is_retryable(error)

    def is_lost(self, error: BaseException) -> bool:
        return faults.is_lost(error)

    def leaves_unknown(self, error: BaseException) -> bool:
        return faults.is_lost(error)

    def refusal(self, error: BaseException, *, writing: bool) -> PostroadError | None:
        return faults.refusal(error, self._address.shown, writing=writing)

    def create_tables(self, metadata: MetaData) -> None:
        """Makes the tables that are not there. For tests; a service migrates."""
        with self._engine.begin() as connection:
            metadata.create_all(connection)

    def close(self) -> None:
        self._engine.dispose()
        if self._background is not None:
            self._background.close()

    def _begun(self, connection: Connection, deadline_s: float) -> Opened:
        left_ms = round(deadline_s * 1000)
        if left_ms <= 0:
            raise Overloaded("a connection did not become free in time; nothing was changed", retry_after_s=1.0)
        bounds = {
            "statement": str(min(left_ms, round(self._limits.statement_s * 1000))),
            "lock": str(min(left_ms, round(self._limits.lock_s * 1000))),
            "whole": str(left_ms + _GRACE_MS),
        }
        now_ms: int = connection.execute(_BEGIN, bounds).one()[3]
        return Opened(connection, now_ms if self._server_time else None)


def _engine(address: PostgresAddress, pool_size: int, purpose: str) -> Engine:
    return create_engine(
        "postgresql+psycopg://",
        connect_args=address.keywords(purpose),
        poolclass=QueuePool,
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=_POOL_WAIT_S,
        pool_use_lifo=True,
        isolation_level="READ COMMITTED",
        json_serializer=canonical_json,
    )
