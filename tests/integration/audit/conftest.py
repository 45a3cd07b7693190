import pytest
from tests.builders.databases import Databases, databases, postgres_server  # noqa: F401
from tests.builders.people import House


@pytest.fixture
def house(databases: Databases) -> House:  # noqa: F811
    return House(databases)
