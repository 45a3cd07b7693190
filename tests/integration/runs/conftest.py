import pytest
from tests.builders.databases import Databases, databases, postgres_server  # noqa: F401
from tests.builders.runs import RunRoom


@pytest.fixture
def room(databases: Databases) -> RunRoom:  # noqa: F811
    return RunRoom(databases)
