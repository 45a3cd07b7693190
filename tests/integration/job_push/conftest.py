"""A workbench on a fresh database."""

import pytest
from tests.builders.configuration import Workbench
from tests.builders.databases import Databases


@pytest.fixture
def bench(databases: Databases) -> Workbench:
    return Workbench(databases)
