import pytest
from tests.builders.databases import Databases
from tests.builders.sending import SendingRoom
from tests.builders.swept import databases, kept_databases

__all__ = ["databases", "kept_databases", "room"]


@pytest.fixture
def room(databases: Databases) -> SendingRoom:
    return SendingRoom(databases)
