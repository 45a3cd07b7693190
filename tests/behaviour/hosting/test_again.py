"""Sent again to those who were not reached, from the files of the run before."""

import shutil
from collections import Counter

from tests.builders.hosted_runs import Post
from tests.builders.http_receiver import CUT_AFTER, HttpReceiver

KEYED = {"idempotency": {"header": "Idempotency-Key", "keptFor": "PT1H"}}


def _fates(who: str, copy: int) -> str:
    """Two are lost on the way and one is refused, the first time."""
    if copy == 1 and who in ("p2", "p5"):
        return CUT_AFTER
    return "400" if copy == 1 and who == "p7" else "200"


def test_those_who_were_not_reached_get_it_and_unknown_ones_under_the_key_they_had(post: Post) -> None:
    with HttpReceiver(_fates) as lossy:
        post.port = lossy.port
        first = post.started(post.job(10, account=post.account(**KEYED), retry={"maxAttempts": 1}))
        ended = post.ended(first["id"])
        assert (ended["counts"]["unknown"], ended["counts"]["failed"]) == (2, 1)
        shutil.rmtree(post.folder_of(first["id"]))

        again = post.resent(first["id"], "UNKNOWN", "FAILED")
        done = post.ended(again["id"])

    assert (done["state"], done["counts"]["succeeded"], done["sourceRunId"]) == ("SUCCEEDED", 3, first["id"])
    assert lossy.copies == Counter({f"p{n}": 1 for n in range(10)}) + Counter(["p2", "p5", "p7"])
    assert [len(set(lossy.keys[who])) for who in ("p2", "p5", "p7")] == [1, 1, 2]
    assert {item["fields"]["id"] for item in post.items(again["id"])} == {"p2", "p5", "p7"}


def test_a_key_goes_on_through_a_second_re_send(post: Post) -> None:
    with HttpReceiver(lambda who, copy: CUT_AFTER if who == "p1" and copy < 3 else "200") as lossy:
        post.port = lossy.port
        job = post.job(3, account=post.account(**KEYED), retry={"maxAttempts": 1})
        run = post.started(job)
        assert post.ended(run["id"])["counts"]["unknown"] == 1
        for unknown in (1, 0):
            run = post.resent(run["id"], "UNKNOWN")
            done = post.ended(run["id"])
            assert done["counts"]["unknown"] == unknown

    assert {"audience", "origins", "frozen"} <= {file["name"] for file in done["artifacts"]}
    assert (lossy.copies["p1"], len(set(lossy.keys["p1"]))) == (3, 1)
