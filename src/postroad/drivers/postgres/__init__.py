"""PostgreSQL as the database of one or several service instances."""

from postroad.drivers.postgres.address import PostgresAddress
from postroad.drivers.postgres.dialect import PostgresDialect, PostgresLimits
from postroad.drivers.postgres.listener import PostgresWakeups
from postroad.drivers.postgres.singleton import PostgresSingleton

__all__ = ["PostgresAddress", "PostgresDialect", "PostgresLimits", "PostgresSingleton", "PostgresWakeups"]
