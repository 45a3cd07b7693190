from collections.abc import Iterator

import pytest
from tests.builders.postgres_server import PostgresServer, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server
