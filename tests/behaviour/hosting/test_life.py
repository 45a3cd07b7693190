"""A run through the whole service: confirmed, sent, looked at, ended, and its statement checked."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders.hosted_runs import Post, assert_nobody_twice, sending_service
from tests.builders.http_receiver import HttpReceiver


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with HttpReceiver() as running:
        yield running


@pytest.fixture
def post(tmp_path: Path, receiver: HttpReceiver) -> Iterator[Post]:
    with sending_service(tmp_path) as service:
        yield Post(service, tmp_path, receiver.port)


def test_a_confirmed_run_reaches_everybody_once(post: Post, receiver: HttpReceiver) -> None:
    run = post.started(post.job(200))

    ended = post.ended(run["id"])

    assert (ended["state"], ended["counts"]["succeeded"]) == ("SUCCEEDED", 200)
    assert_nobody_twice(receiver.copies, 200)
    assert post.outcomes(run["id"]) == {"SUCCEEDED": 200}
