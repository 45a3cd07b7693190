import pytest
from tests.builders.databases import Databases
from tests.builders.runs import RunRoom


@pytest.fixture
def room(databases: Databases) -> RunRoom:
    return RunRoom(databases)
