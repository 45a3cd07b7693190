"""A person steers a run that is being sent; the receiver says what really happened."""

from typing import Any

from tests.builders.hosted_runs import Post, assert_nobody_twice, workers_of
from tests.builders.http_receiver import HANG, HttpReceiver


def test_a_cancelled_run_waits_for_what_is_in_flight_and_leaves_the_rest_unsent(post: Post) -> None:
    with HttpReceiver(lambda _who, _: HANG) as slow:
        post.port = slow.port
        run = post.started(post.job(40, concurrency=4))
        slow.wait_for(4)
        assert post.steer(run["id"], "cancel", reason="wrong list").status_code == 202
        post.waited(run["id"], lambda one: one["shards"][0]["state"] == "CANCELLING", "its worker has heard")
        slow.release()
        ended = post.ended(run["id"])

    assert (ended["state"], ended["counts"]["succeeded"], ended["counts"]["unsent"]) == ("CANCELLED", 4, 36)
    assert slow.copies.total() == 4
    assert post.outcomes(run["id"]) == {"SUCCEEDED": 4, "UNSENT": 36}


def test_concurrency_and_rate_change_while_it_goes_on(post: Post) -> None:
    with HttpReceiver(lambda _who, _: HANG) as slow:
        post.port = slow.port
        run = post.started(post.job(40, concurrency={"min": 1, "max": 12, "target": 2}))
        slow.wait_for(2)
        assert post.waited(run["id"], lambda one: one["inFlight"] == 2, "two are in flight")["concurrency"] == 2
        post.obeyed(run["id"], "concurrency", target=7)
        slow.wait_for(7)
        post.obeyed(run["id"], "rate", key="run", rate="20/s")
        slow.release()
        ended = post.ended(run["id"])

    assert ended["counts"]["succeeded"] == 40
    assert slow.most_in_any(0.95) <= 7 + 20
    assert ended["rates"] == {"run": "20/1s"}


def test_two_runs_of_one_account_share_its_rate(post: Post, receiver: HttpReceiver) -> None:
    account = post.account()
    runs = [post.started(post.job(50, account=account, rate={"account": "40/s"})) for _ in range(2)]
    for run in runs:
        assert post.ended(run["id"])["counts"]["succeeded"] == 50
    assert receiver.copies.total() == 100
    assert set(receiver.copies.values()) == {2}
    assert receiver.most_in_any(0.95) <= 40


def test_the_shards_of_a_run_share_rate_and_concurrency(post: Post, receiver: HttpReceiver) -> None:
    post.cut_into(3)
    run = post.started(post.job(61, rate="40/s", concurrency=5))

    ended = post.ended(run["id"])

    assert [shard["counts"]["succeeded"] for shard in ended["shards"]] == [20, 20, 21]
    assert_nobody_twice(receiver.copies, 61)
    assert receiver.most_in_any(0.95) <= 40
    assert ended["counts"]["succeeded"] == 61


def test_a_paused_run_sends_nothing_more_until_it_is_resumed_not_even_after_a_restart(
    post: Post, receiver: HttpReceiver
) -> None:
    run = post.started(post.job(40, rate="20/s"))
    receiver.wait_for(3)
    post.obeyed(run["id"], "pause")
    paused = post.waited(run["id"], lambda one: one["state"] == "PAUSED", "it is paused")
    sent = receiver.copies.total()
    assert paused["allowedCommands"][0] == "resume"
    post.host_settles()
    post.restart()
    again = post.waited(
        run["id"], lambda one: one["state"] == "PAUSED" and one["shards"][0]["epoch"] == 2, "it is paused again"
    )
    assert again["counts"]["succeeded"] == sent
    post.host_settles()
    assert receiver.copies.total() == sent
    post.obeyed(run["id"], "resume")
    assert post.ended(run["id"])["counts"]["succeeded"] == 40
    assert_nobody_twice(receiver.copies, 40)
    assert workers_of() == []


def test_a_budget_over_a_long_window_holds_over_a_restart_and_for_the_next_run(
    post: Post, receiver: HttpReceiver
) -> None:
    def waits(one: dict[str, Any]) -> bool:
        return bool(one["waiting"]["reason"] == "WAITING_RATE" and one["shards"][0]["state"] == "RUNNING")

    account = post.account()
    first = post.started(post.job(4, account=account, rate={"account": "2/1h"}))
    receiver.wait_for(1)
    post.restart()
    post.waited(first["id"], lambda one: waits(one) and one["shards"][0]["epoch"] == 2, "it waits for its account")
    second = post.started(post.job(4, account=account, rate={"account": "2/1h"}))
    post.waited(second["id"], waits, "the other one waits as well")
    post.host_settles()
    assert receiver.copies.total() == 1
    for run in (first, second):
        post.steer(run["id"], "cancel")
        assert post.ended(run["id"])["state"] == "CANCELLED"
    assert receiver.copies.total() == 1
