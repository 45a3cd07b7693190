import pytest
from tests.builders.databases import Databases, databases  # noqa: F401
from tests.integration.schedules.parts import Office


@pytest.fixture
def office(databases: Databases) -> Office:  # noqa: F811
    return Office(databases)
