"""A run through the whole service: confirmed, sent, looked at, ended, and its statement checked."""

import json
from pathlib import Path
from typing import Any

from tests.builders.hosted_runs import Post, assert_nobody_twice
from tests.builders.http_receiver import HttpReceiver

from postroad.flows.local_runs import export_public_key, verify_receipt
from postroad.foundation.home import Home

FILES = {"results", "summary", "receipt", "succeeded", "failed", "unknown", "unsent", "skipped"}


def test_a_confirmed_run_reaches_everybody_once_and_proves_it(
    post: Post, receiver: HttpReceiver, tmp_path: Path
) -> None:
    run = post.started(post.job(200))

    ended = post.ended(run["id"])

    assert (ended["state"], ended["counts"]["succeeded"], ended["hasResults"]) == ("SUCCEEDED", 200, True)
    assert_nobody_twice(receiver.copies, 200)
    assert post.outcomes(run["id"]) == {"SUCCEEDED": 200}
    _has_kept_its_files(post, ended)
    _has_told_its_way(post, run["id"])
    receipt = tmp_path / "receipt.json"
    receipt.write_text(json.dumps(post.client.get(f"/runs/{run['id']}/receipt").json()), encoding="utf-8")
    key = export_public_key(Home(post.service.composition.settings.data_dir / "installation"))
    checked = verify_receipt(receipt, key, post.folder_of(run["id"]))
    assert (checked.ok, checked.run_id, checked.counts.succeeded) == (True, run["id"], 200), checked


def _has_kept_its_files(post: Post, ended: dict[str, Any]) -> None:
    named = {file["name"]: file for file in ended["artifacts"]}
    assert set(named) == FILES
    table = post.client.get(f"/artifacts/{named['succeeded']['id']}/content").text
    assert table.splitlines()[0].endswith("id,name")
    assert len(table.splitlines()) == 201


def _has_told_its_way(post: Post, run_id: str) -> None:
    events = post.client.get(f"/runs/{run_id}/events").json()["items"]
    states = [event["payload"]["to"] for event in events if event["type"] == "state"]
    assert states == ["PENDING", "LEASED", "RUNNING", "SUCCEEDED"]
    told = [event["payload"]["succeeded"] for event in events if event["type"] == "progress"]
    assert told == sorted(told)
    assert told[-1] == 200
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))


def test_a_dry_run_has_results_and_sends_nothing(post: Post, receiver: HttpReceiver) -> None:
    run = post.started(post.job(30), dryRun=True)

    ended = post.ended(run["id"])

    assert receiver.copies.total() == 0
    assert (ended["state"], ended["dryRun"]) == ("SUCCEEDED", True)
    assert len(post.items(run["id"])) == 30


def test_a_run_that_was_cancelled_before_anybody_began_has_results_that_say_so(
    post: Post, receiver: HttpReceiver
) -> None:
    with post.host_away():
        run = post.started(post.job(6))
        assert post.steer(run["id"], "cancel").status_code == 202
        assert post.run(run["id"])["state"] == "CANCELLED"
    post.waited(run["id"], lambda one: one["hasResults"], "its results are made")
    assert post.outcomes(run["id"]) == {"UNSENT": 6}
    again = post.ended(post.resent(run["id"], "UNSENT")["id"])
    assert again["counts"]["succeeded"] == 6
    assert_nobody_twice(receiver.copies, 6)


def test_credentials_that_are_refused_end_the_run_and_after_some_runs_let_none_begin(post: Post) -> None:
    with HttpReceiver(lambda _who, _: "401") as strict:
        post.port = strict.port
        job = post.job(50, concurrency=2)
        for _ in range(3):
            ended = post.ended(post.started(job)["id"])
            assert ended["state"] == "FAILED"
            assert ended["stateReason"].startswith("AUTHENTICATION")
            assert ended["counts"]["unsent"] >= 40
            assert ended["counts"]["open"] == 0
        refused = post.confirmed_start(job)

    assert refused.status_code == 409
    assert "credentials" in refused.json()["detail"]
