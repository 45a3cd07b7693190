"""The running service for the tests of its API."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders.service import RunningService, running_service


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with running_service(tmp_path) as running:
        yield running
