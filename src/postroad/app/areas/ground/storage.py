"""The database: SQLite in the data folder for one service, PostgreSQL for several instances."""

from typing import TYPE_CHECKING

from postroad.foundation.service_settings import DatabaseSettings
from postroad.kernel.database import Database
from postroad.kernel.limits import DatabaseLimiter, Limiter, MemoryLimiter
from postroad.kernel.wakeups import Wakeups
from postroad.vocabulary.clock import Clock

if TYPE_CHECKING:
    from postroad.drivers.postgres import PostgresAddress, PostgresDialect, PostgresWakeups
    from postroad.drivers.sqlite import SqliteDialect


def dialect_of(settings: DatabaseSettings) -> "SqliteDialect | PostgresDialect":
    """Connects to nothing yet."""
    if settings.is_sqlite:
        from postroad.drivers.sqlite import SqliteDialect

        return SqliteDialect(settings.sqlite_path)
    from postroad.drivers.postgres import PostgresDialect, PostgresLimits

    return PostgresDialect(
        _address(settings),
        pool_size=settings.pool_size,
        background_pool_size=settings.background_pool_size,
        limits=PostgresLimits(settings.statement_timeout_s, settings.lock_timeout_s),
    )


def bring_up_to_date(dialect: "SqliteDialect | PostgresDialect") -> None:
    """Runs the steps that are missing, all or none. Raises DatabaseRefused where the database is newer or damaged."""
    from postroad.app.migrations import migrate

    migrate(dialect)


def limiter_for(settings: DatabaseSettings, database: Database, clock: Clock) -> Limiter:
    """Counts for one process, or for all instances that share the database."""
    return MemoryLimiter(clock) if settings.is_sqlite else DatabaseLimiter(database)


def wakeups_between_instances(
    settings: DatabaseSettings, wakeups: Wakeups, instance_id: str
) -> "PostgresWakeups | None":
    """What carries hints to other instances, not started; None where there can be no other."""
    if settings.is_sqlite:
        return None
    from postroad.drivers.postgres import PostgresWakeups

    return PostgresWakeups(_address(settings), wakeups, instance_id)


def _address(settings: DatabaseSettings) -> "PostgresAddress":
    from postroad.drivers.postgres import PostgresAddress

    return PostgresAddress(settings.url, settings.password)
