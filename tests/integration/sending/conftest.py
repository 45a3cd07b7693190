import pytest
from tests.builders.databases import Databases
from tests.builders.sending import SendingRoom


@pytest.fixture
def room(databases: Databases) -> SendingRoom:
    return SendingRoom(databases)
