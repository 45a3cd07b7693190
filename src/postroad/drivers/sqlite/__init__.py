"""SQLite as the database of a service on one machine."""

from postroad.drivers.sqlite.dialect import SqliteDialect

__all__ = ["SqliteDialect"]
