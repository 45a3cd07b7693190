"""People look at a run while it goes on."""

from tests.builders.daemons import wait_until
from tests.builders.hosted_runs import Post
from tests.builders.http_receiver import HANG, HttpReceiver


def test_what_is_settled_of_a_run_under_way_can_be_paged_by_outcome(post: Post) -> None:
    def fate(who: str, _copy: int) -> str:
        return {"p3": "400", "p9": HANG}.get(who, "200")

    with HttpReceiver(fate) as receiver:
        post.port = receiver.port
        run = post.started(post.job(10, concurrency=4))
        wait_until(lambda: len(post.items(run["id"])) == 9, "everybody but the one in flight is shown")
        failed = post.items(run["id"], outcome="FAILED")
        page = post.client.get(f"/runs/{run['id']}/items", params={"limit": 4, "outcome": "SUCCEEDED"}).json()
        receiver.release()
        ended = post.ended(run["id"])

    assert (ended["state"], ended["counts"]["failed"]) == ("PARTIAL", 1)
    assert [(item["fields"], item["code"]) for item in failed] == [({"id": "p3", "name": "Name 3"}, "HTTP_400")]
    assert [item["sequence"] for item in page["items"]] == [0, 1, 2, 4]
    final = {item["sequence"]: item for item in post.items(run["id"])}
    assert len(final) == 10
    assert final[3] == failed[0]
    wait_until(lambda: not (post.folder_of(run["id"]) / "live").exists(), "nothing is kept for looking")
