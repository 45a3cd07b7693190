"""The desk on each database; `sqlite_desk` where the database makes no difference."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders.databases import Databases, databases, databases_over, postgres_server  # noqa: F401
from tests.integration.audiences.desk import Desk

from postroad.drivers.sqlite import SqliteDialect


@pytest.fixture
def desk(databases: Databases, tmp_path: Path) -> Desk:  # noqa: F811
    return Desk(databases, tmp_path)


@pytest.fixture
def sqlite_desk(tmp_path: Path) -> Iterator[Desk]:
    made = databases_over(lambda: SqliteDialect(tmp_path / "postroad.db"))
    yield Desk(made, tmp_path)
    made.close()
