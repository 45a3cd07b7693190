"""Workers and hosts are killed as nothing else would: nobody is missed, nobody gets a second copy.

`tests/soak/test_host_kills.py` kills at every step; here is one step, and what costs an answer.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.behaviour.hosting.conftest import post_in
from tests.builders.host_process import host_process
from tests.builders.hosted_runs import Post, loopback_settings, workers_of
from tests.builders.http_receiver import HANG, HttpReceiver
from tests.builders.service import TESTS, RunningService, running_service

from postroad.modules import runs

PEOPLE = 12
AT_ONCE = 3


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """The application without a host: that is another process."""
    folder = tmp_path_factory.mktemp("idle")
    with running_service(folder, settings=loopback_settings(folder)) as service:
        yield service


def test_a_host_that_is_killed_between_two_steps_is_taken_up_by_the_next(
    idle: RunningService, tmp_path: Path, receiver: HttpReceiver
) -> None:
    post = post_in(idle, tmp_path, receiver)
    run = post.started(post.job(PEOPLE, concurrency=AT_ONCE))
    with host_process(idle, "keep:after:2") as first:
        assert first.wait(30) == -signal.SIGKILL
    with host_process(idle):
        post.judged(run["id"], receiver.copies, 0)


def test_a_host_that_is_killed_while_messages_are_in_flight_leaves_them_unknown_and_nobody_else(
    idle: RunningService, tmp_path: Path
) -> None:
    with HttpReceiver(lambda who, copy: HANG if who in ("p5", "p6") else "200") as receiver:
        post = post_in(idle, tmp_path, receiver)
        run = post.started(post.job(PEOPLE, concurrency=2))
        with host_process(idle) as first:
            receiver.wait_for(7)
            first.kill()
            first.wait(10)
        receiver.release()
        with host_process(idle):
            post.judged(run["id"], receiver.copies, 2)
    assert {item["fields"]["id"] for item in post.items(run["id"], outcome="UNKNOWN")} == {"p5", "p6"}


def test_a_host_that_is_stopped_leaves_nothing_in_doubt(post: Post) -> None:
    with HttpReceiver(slow_s=0.15) as receiver:
        post.port = receiver.port
        run = post.started(post.job(PEOPLE, concurrency=AT_ONCE))
        receiver.wait_for(4)
        with post.host_away():
            between = post.run(run["id"])
            assert (between["state"], between["stateReason"]) == ("PENDING", "the service stopped")
            assert between["counts"]["succeeded"] == receiver.copies.total() < PEOPLE
            assert workers_of() == []
        post.judged(run["id"], receiver.copies, 0)


def test_a_lease_that_is_lost_lets_answers_come_back_and_its_shard_goes_on_under_the_next(post: Post) -> None:
    composition = post.service.composition
    with HttpReceiver(slow_s=0.2) as receiver:
        post.port = receiver.port
        run = post.started(post.job(PEOPLE, concurrency=AT_ONCE))
        receiver.wait_for(AT_ONCE + 1)
        around, worker_id = composition.run_surroundings, post.host.worker_id
        composition.database.write(TESTS, lambda uow: runs.forget_worker(uow, worker_id, around))
        ended = post.judged(run["id"], receiver.copies, 0)
    assert ended["shards"][0]["epoch"] == 2


def test_a_worker_that_is_killed_is_replaced(post: Post) -> None:
    with HttpReceiver(slow_s=0.05) as receiver:
        post.port = receiver.port
        run = post.started(post.job(PEOPLE, concurrency=AT_ONCE))
        receiver.wait_for(PEOPLE // 2)
        for worker in workers_of():
            os.kill(worker, signal.SIGKILL)
        ended = post.judged(run["id"], receiver.copies, AT_ONCE)
    assert ended["shards"][0]["epoch"] == 2
