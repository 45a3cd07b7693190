"""Fixtures that all tests may ask for by name."""

from tests.builders.databases import databases, postgres_server

__all__ = ["databases", "postgres_server"]
