"""A run through the whole service: confirmed, sent, looked at, ended, and its statement checked."""

import json
from pathlib import Path

from tests.builders.hosted_runs import Post, assert_nobody_twice
from tests.builders.http_receiver import HttpReceiver

from postroad.flows.local_runs import export_public_key, verify_receipt
from postroad.foundation.home import Home


def test_a_confirmed_run_reaches_everybody_once(post: Post, receiver: HttpReceiver) -> None:
    run = post.started(post.job(200))

    ended = post.ended(run["id"])

    assert (ended["state"], ended["counts"]["succeeded"], ended["hasResults"]) == ("SUCCEEDED", 200, True)
    assert_nobody_twice(receiver.copies, 200)
    assert post.outcomes(run["id"]) == {"SUCCEEDED": 200}


def test_its_files_are_kept_and_its_receipt_can_be_checked(post: Post, tmp_path: Path) -> None:
    run = post.started(post.job(5))

    ended = post.ended(run["id"])

    named = {file["name"]: file for file in ended["artifacts"]}
    assert set(named) == {"results", "summary", "receipt", "succeeded", "failed", "unknown", "unsent", "skipped"}
    table = post.client.get(f"/artifacts/{named['succeeded']['id']}/content").text
    assert table.splitlines()[0].endswith("id,name")
    assert len(table.splitlines()) == 6
    receipt = tmp_path / "receipt.json"
    receipt.write_text(json.dumps(post.client.get(f"/runs/{run['id']}/receipt").json()), encoding="utf-8")
    key = export_public_key(Home(post.service.composition.settings.data_dir / "installation"))
    checked = verify_receipt(receipt, key, post.folder_of(run["id"]))
    assert (checked.ok, checked.run_id, checked.counts.succeeded) == (True, run["id"], 5), checked


def test_its_events_tell_its_way(post: Post) -> None:
    run = post.started(post.job(5))
    post.ended(run["id"])

    events = post.client.get(f"/runs/{run['id']}/events").json()["items"]

    states = [event["payload"]["to"] for event in events if event["type"] == "state"]
    assert states == ["PENDING", "LEASED", "RUNNING", "SUCCEEDED"]
    assert [event["payload"]["succeeded"] for event in events if event["type"] == "progress"][-1] == 5
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


def test_whoever_fails_is_named_and_the_rest_is_reached(post: Post) -> None:
    with HttpReceiver(lambda who, _: "400" if who in ("p3", "p7") else "200") as picky:
        post.port = picky.port
        run = post.started(post.job(20))
        ended = post.ended(run["id"])

    assert (ended["state"], ended["counts"]["failed"]) == ("PARTIAL", 2)
    assert {item["fields"]["id"] for item in post.items(run["id"], outcome="FAILED")} == {"p3", "p7"}


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
