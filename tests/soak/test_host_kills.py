"""The host of the service killed before and after every step of a run's life, its workers killed at random."""

import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders.daemons import wait_until
from tests.builders.host_process import PLACES, host_process
from tests.builders.hosted_runs import Post, loopback_settings, workers_of
from tests.builders.http_receiver import HttpReceiver
from tests.builders.service import RunningService, running_service
from tests.soak.test_disk_faults import FAILING_DISK

PEOPLE = 30
AT_ONCE = 4
MANY = 4_000
ONCE = {"claim", "write_job", "make_journal", "write_plan", "export", "receipt", "finish_shard", "claim_end", "end_run"}
"""Places that a run passes once."""
ONCE_A_SHARD = {"freeze", "acknowledge", "start"}
CASES = [
    (f"{place}:{when}:{number}", shards)
    for place in PLACES
    for when in ("before", "after")
    for shards in (1, 2)
    for number in (1, 2)
    if number == 1 or (place not in ONCE and (place not in ONCE_A_SHARD or shards == 2))
]


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """The application without a host: that is another process."""
    folder = tmp_path_factory.mktemp("idle")
    with running_service(folder, settings=loopback_settings(folder)) as service:
        yield service


def _post(idle: RunningService, folder: Path, receiver: HttpReceiver, shards: int) -> Post:
    idle.workspace_id = idle.new_workspace(folder.name)
    post = Post(idle, folder, receiver.port)
    post.cut_into(shards)
    post.patience_s = 90
    return post


@pytest.mark.parametrize(("fault", "shards"), CASES)
def test_a_host_that_is_killed_at_any_step_is_taken_up_by_the_next(
    idle: RunningService, tmp_path: Path, fault: str, shards: int
) -> None:
    with HttpReceiver(slow_s=0.02) as receiver:
        post = _post(idle, tmp_path, receiver, shards)
        run = post.started(post.job(PEOPLE, concurrency=AT_ONCE))
        with host_process(idle, fault) as first:
            assert first.wait(60) == -signal.SIGKILL
        with host_process(idle):
            ended = post.judged(run["id"], receiver.copies, AT_ONCE)
    print(f"{fault}, {shards} shards: {ended['counts']}")


@pytest.mark.parametrize("seed", range(3))
def test_a_run_whose_host_and_workers_are_killed_again_and_again_ends_well(
    idle: RunningService, tmp_path: Path, seed: int
) -> None:
    odds, kills = random.Random(seed), 0
    with HttpReceiver(slow_s=0.02) as receiver:
        post = _post(idle, tmp_path, receiver, 2)
        run = post.started(post.job(MANY, concurrency=16))
        while receiver.copies.total() < MANY * 0.9:
            with host_process(idle) as host:
                receiver.wait_for(min(MANY, receiver.copies.total() + odds.randrange(100, 900)), 60)
                if odds.random() < 0.5:
                    for worker in workers_of(host.pid):
                        os.kill(worker, signal.SIGKILL)
                    kills += 1
                    receiver.wait_for(min(MANY, receiver.copies.total() + 100), 60)
                host.kill()
                kills += 1
        with host_process(idle):
            ended = post.judged(run["id"], receiver.copies, 16 * kills)
    print(f"seed {seed}: {kills} kills, {ended['counts']}")


@pytest.mark.parametrize(
    "fault",
    [
        "write ENOSPC 1 .job.json.part",
        "write ENOSPC 1 .frozen.json.part",
        "replace EIO 1 frozen.json",
        "write ENOSPC 2 *.journal",
        "fdatasync EIO 2 *.journal",
        "write ENOSPC 1 .ended.json.part",
        "replace ENOSPC 1 results.parquet",
        "replace EIO 1 skipped.csv",
        "write ENOSPC 1 .receipt.json.part",
    ],
)
def test_a_disk_that_fails_once_costs_nobody_anything(idle: RunningService, tmp_path: Path, fault: str) -> None:
    log = tmp_path / "faults"
    failing = {"PYTHONPATH": FAILING_DISK, "DRILL_FAULT": fault, "DRILL_FAULT_LOG": str(log)}
    with HttpReceiver(slow_s=0.02) as receiver:
        post = _post(idle, tmp_path, receiver, 1)
        run = post.started(post.job(PEOPLE, concurrency=AT_ONCE))
        with host_process(idle, environment=failing):
            wait_until(log.exists, "the disk failed")
        with host_process(idle):
            post.waited(run["id"], lambda one: one["shards"][0]["epoch"] >= 1, "it was begun")
            ended = post.judged(run["id"], receiver.copies, AT_ONCE)
    print(f"{fault}: {ended['counts']}")
