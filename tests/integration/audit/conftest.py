import pytest
from tests.builders.databases import Databases
from tests.builders.people import House


@pytest.fixture
def house(databases: Databases) -> House:
    return House(databases)
