from collections.abc import Iterator

import pytest
from tests.builders.databases import Databases, databases_over, postgres_address
from tests.builders.postgres_server import PostgresServer

from postroad.drivers.postgres import PostgresAddress, PostgresDialect


@pytest.fixture
def address(postgres_server: PostgresServer) -> PostgresAddress:
    return postgres_address(postgres_server)


@pytest.fixture
def on_postgres(address: PostgresAddress) -> Iterator[Databases]:
    made = databases_over(lambda: PostgresDialect(address, pool_size=4, background_pool_size=2, server_time=False))
    yield made
    made.close()
