"""Fixtures that all tests may ask for by name."""

from tests.builders.databases import databases

__all__ = ["databases"]
