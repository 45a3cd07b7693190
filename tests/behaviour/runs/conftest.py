import pytest
from tests.builders.databases import Databases
from tests.builders.runs import RunRoom
from tests.builders.swept import databases, kept_databases

__all__ = ["databases", "kept_databases", "room"]


@pytest.fixture
def room(databases: Databases) -> RunRoom:
    return RunRoom(databases)
