"""One service for all tests of a file, each with a workspace, an account and a receiver of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders.hosted_runs import Post, loopback_settings, sending_service
from tests.builders.http_receiver import HttpReceiver
from tests.builders.service import RunningService


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("service")
    with sending_service(folder, loopback_settings(folder, **{"worker.embedded.maxRuns": "3"})) as running:
        yield running


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with HttpReceiver() as running:
        yield running


@pytest.fixture
def post(service: RunningService, tmp_path: Path, receiver: HttpReceiver) -> Post:
    return post_in(service, tmp_path, receiver)


def post_in(service: RunningService, folder: Path, receiver: HttpReceiver) -> Post:
    service.workspace_id = service.new_workspace(folder.name)
    post = Post(service, folder, receiver.port)
    post.cut_into(1)
    return post
