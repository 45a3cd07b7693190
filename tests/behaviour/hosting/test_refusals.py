"""What makes a run impossible ends it, with a reason and everybody accounted for; what may pass is waited for."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.builders.hosted_runs import Post, assert_nobody_twice
from tests.builders.http_receiver import HttpReceiver

from postroad.flows.hosting import shard_work
from postroad.flows.local_runs.running import one_worker

WITH_TOKEN = {
    "auth": {"type": "BEARER", "token": {"$secret": "token"}},
    "secrets": {"token": {"operation": "REPLACE", "value": "s3cret-text"}},
}


def _refused(post: Post, run_id: str, reason: str, people: int) -> None:
    ended = post.ended(run_id)
    assert (ended["state"], ended["counts"]["unsent"]) == ("FAILED", people), ended
    assert reason in ended["stateReason"]


def test_a_secret_that_was_taken_away_since_the_start_ends_the_run(post: Post, receiver: HttpReceiver) -> None:
    account = post.account(**WITH_TOKEN)
    with post.host_away():
        run = post.started(post.job(4, account=account))
        post.change("accounts", account, config={"baseUrl": account["config"]["baseUrl"]})

    _refused(post, run["id"], "SECRET_MISSING", 4)
    assert receiver.copies.total() == 0
    assert post.outcomes(run["id"]) == {"UNSENT": 4}


def test_the_secret_of_an_account_reaches_the_remote_and_no_file(post: Post, tmp_path: Path) -> None:
    with HttpReceiver() as receiver:
        post.port = receiver.port
        run = post.started(post.job(4, account=post.account(**WITH_TOKEN)))
        assert post.ended(run["id"])["counts"]["succeeded"] == 4

    data = post.service.composition.settings.data_dir
    holding = [file for file in data.rglob("*") if file.is_file() and b"s3cret-text" in file.read_bytes()]
    assert holding == []


def test_a_snapshot_whose_file_is_lost_is_waited_for_and_the_run_can_be_cancelled(
    post: Post, receiver: HttpReceiver
) -> None:
    store = post.service.composition.settings.artifacts.directory
    before = set(store.rglob("*"))
    with post.host_away():
        run = post.started(post.job(4))
        for file in set(store.rglob("*")) - before:
            if file.is_file():
                file.unlink()

    post.waited(run["id"], lambda one: "STORAGE_FAILED" in one["shards"][0]["reason"], "it waits for the file")
    post.steer(run["id"], "cancel")
    ended = post.ended(run["id"])
    assert (ended["state"], ended["counts"]["unsent"]) == ("CANCELLED", 4)
    assert receiver.copies.total() == 0


def test_an_address_that_is_not_allowed_any_more_is_not_reached(post: Post, receiver: HttpReceiver) -> None:
    composition = post.service.composition
    with post.host_away():
        run = post.started(post.job(4))
        composition.__dict__["run_folders"] = replace(composition.run_folders, networks=())

    ended = post.ended(run["id"])
    post.restart()
    assert (ended["counts"]["succeeded"], ended["counts"]["open"]) == (0, 0)
    assert receiver.copies.total() == 0


def test_a_worker_that_keeps_dying_ends_the_run_clearly(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_worker, "COMMAND", (sys.executable, "-c", "raise SystemExit('out of luck')"))
    run = post.started(post.job(4))
    _refused(post, run["id"], f"WORKER: died {shard_work.MAX_DEATHS_IN_A_ROW} times without progress: out of luck", 4)


def test_a_folder_that_is_gone_is_waited_for(
    post: Post, receiver: HttpReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_work, "WAIT_AFTER_TROUBLE_MS", 300)
    run = post.started(post.job(30, rate="20/s"))
    receiver.wait_for(3)
    with post.host_away():
        folder = post.folder_of(run["id"])
        aside = folder.rename(folder.with_name("aside"))

    waiting = post.waited(run["id"], lambda one: "is gone" in one["shards"][0]["reason"], "it waits for its folder")
    assert waiting["state"] == "PENDING"
    aside.rename(folder)
    assert post.ended(run["id"])["counts"]["succeeded"] == 30
    assert_nobody_twice(receiver.copies, 30)


def test_a_journal_without_room_stops_the_run_until_there_is_some(
    post: Post, receiver: HttpReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_work, "WAIT_AFTER_TROUBLE_MS", 300)
    limited = (
        "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000)); "
        "os.execv(sys.executable, [sys.executable, '-m', 'postroad.worker'])"
    )
    with monkeypatch.context() as full:
        full.setattr(one_worker, "COMMAND", (sys.executable, "-c", limited))
        run = post.started(post.job(120, concurrency=4))
        stopped = post.waited(run["id"], lambda one: "JOURNAL" in one["shards"][0]["reason"], "its disk is full")
    assert stopped["state"] in ("PENDING", "LEASED", "RUNNING")
    assert 0 < receiver.copies.total() < 120

    ended = post.judged(run["id"], receiver.copies, 4)
    assert ended["shards"][0]["epoch"] >= 2
