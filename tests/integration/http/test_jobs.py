"""Jobs over HTTP: parts that fit, policies, the mark for programs, job files pushed."""

from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from tests.builders.kept_audiences import keep_audience
from tests.builders.service import RunningService

from postroad.vocabulary.roles import Role

CONFIG = {"baseUrl": "https://api.example.com/v1", "auth": {"type": "BEARER", "token": {"$secret": "token"}}}
CONTENT = {"path": "/send", "bodyTemplate": {"to": "{{ name }}"}}
FILE = {"name": "pushed", "provider": "http", "account": CONFIG, "message": CONTENT, "policies": {"rate": "20/s"}}


@dataclass
class Parts:
    client: httpx.Client
    account: dict[str, object]
    message: dict[str, object]
    audience: str

    @property
    def body(self) -> dict[str, object]:
        ids = {"accountId": self.account["id"], "messageId": self.message["id"], "audienceId": self.audience}
        return {"name": "Greeting", **ids}


@pytest.fixture
def parts(service: RunningService, tmp_path: Path) -> Parts:
    client = service.client()
    account = client.post("/accounts", json={"providerId": "http", "name": "Shop", "config": CONFIG}).json()
    message = client.post("/messages", json={"providerId": "http", "name": "Welcome", "content": CONTENT}).json()
    return Parts(client, account, message, keep_audience(service, tmp_path))


def _at(answer: httpx.Response) -> dict[str, str]:
    return {"if-match": answer.headers["etag"]}


def test_a_job_is_made_changed_copied_and_archived(parts: Parts) -> None:
    client = parts.client
    made = client.post("/jobs", json=parts.body)
    url = f"/jobs/{made.json()['id']}"
    assert (made.status_code, made.json()["policies"]["onMaxPause"]) == (201, "cancel")
    assert (made.json()["messageRevision"], made.json()["openApi"]) == (None, {"enabled": False, "recipientCap": 0})
    changed = client.patch(
        url,
        json={"policies": {"rate": "5/s"}, "openApi": {"enabled": True, "recipientCap": 10}, "messageRevision": 1},
        headers=_at(made),
    )
    assert (changed.json()["policies"]["rate"], changed.json()["messageRevision"]) == ({"run": "5/1s"}, 1)
    unpinned = client.patch(url, json={"messageRevision": None}, headers=_at(changed))
    kept = client.patch(url, json={"name": "Hello"}, headers=_at(unpinned))
    assert (unpinned.json()["messageRevision"], kept.json()["openApi"]["recipientCap"]) == (None, 10)
    copied = client.post(f"{url}/copy", json={}).json()
    assert (copied["name"], copied["openApi"]["enabled"]) == ("Hello (copy)", False)
    assert client.delete(url, headers=_at(kept)).json()["status"] == "ARCHIVED"


def test_references_that_do_not_hold_are_all_named(parts: Parts) -> None:
    answer = parts.client.post("/jobs", json={"name": "Ghost", "accountId": "a", "messageId": "b", "audienceId": "c"})
    assert answer.status_code == 400
    assert [one["path"] for one in answer.json()["errors"]] == ["accountId", "messageId", "audienceId"]


def test_policies_are_read_as_in_a_job_file(parts: Parts) -> None:
    answer = parts.client.post("/jobs", json={**parts.body, "policies": {"rate": "fast", "concurrency": {"target": 0}}})
    assert answer.status_code == 400
    assert {one["path"] for one in answer.json()["errors"]} == {"policies.rate", "policies.concurrency.target"}


def test_what_a_job_refers_to_cannot_be_archived(parts: Parts) -> None:
    client = parts.client
    made = client.post("/jobs", json=parts.body)
    for kind, one in (("accounts", parts.account), ("messages", parts.message)):
        refused = client.delete(f"/{kind}/{one['id']}", headers={"if-match": '"1"'})
        assert (refused.status_code, refused.json()["code"]) == (409, "STATE_CONFLICT")
        assert "job 'Greeting'" in refused.json()["detail"]
    client.delete(f"/jobs/{made.json()['id']}", headers=_at(made))
    assert client.delete(f"/accounts/{parts.account['id']}", headers={"if-match": '"1"'}).status_code == 200


def test_a_disabled_job_comes_back_only_with_parts_that_can_be_used(parts: Parts) -> None:
    client = parts.client
    made = client.post("/jobs", json=parts.body)
    url = f"/jobs/{made.json()['id']}"
    off = client.post(f"{url}/disable", headers=_at(made))
    client.post(f"/accounts/{parts.account['id']}/disable", headers={"if-match": '"1"'})
    refused = client.post(f"{url}/enable", headers=_at(off))
    client.post(f"/accounts/{parts.account['id']}/enable", headers={"if-match": '"2"'})
    on = client.post(f"{url}/enable", headers=_at(off))
    assert (off.json()["status"], refused.status_code, on.json()["status"]) == ("DISABLED", 400, "ACTIVE")


def test_a_list_is_filtered_by_what_jobs_refer_to(parts: Parts) -> None:
    client = parts.client
    client.post("/jobs", json=parts.body)
    found = client.get("/jobs", params={"accountId": parts.account["id"], "name": "greet"}).json()
    none = client.get("/jobs", params={"messageId": "another"}).json()
    assert ([one["name"] for one in found["items"]], found["counters"]) == (["Greeting"], {"ACTIVE": 1})
    assert none == {"items": [], "page": {"nextCursor": None, "hasMore": False}, "counters": {}}


def test_a_job_file_is_pushed_as_often_as_one_likes(parts: Parts) -> None:
    body = {"job": FILE, "audienceId": parts.audience, "secrets": {"token": "s3cret-text"}}
    again = {**body, "secrets": {}}
    first, second = (parts.client.post("/jobs/push", json=one) for one in (body, again))
    assert [first.json()[part]["outcome"] for part in ("account", "message", "job")] == ["CREATED"] * 3
    assert [second.json()[part]["outcome"] for part in ("account", "message", "job")] == ["UNCHANGED"] * 3
    account = parts.client.get(f"/accounts/{first.json()['account']['id']}").json()
    assert account["secrets"]["token"]["configured"] is True
    assert "s3cret-text" not in first.text


def test_a_push_tells_faults_where_the_file_says_them(parts: Parts) -> None:
    body = {"job": {**FILE, "account": {"baseUrl": "http://10.0.0.1"}}, "audienceId": parts.audience}
    answer = parts.client.post("/jobs/push", json=body)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "job.account")
    unknown = parts.client.post("/jobs/push", json={"job": FILE, "audienceId": "nobody"})
    assert (unknown.status_code, unknown.json()["errors"][0]["path"]) == (400, "audienceId")


def test_a_viewer_changes_nothing(service: RunningService, parts: Parts) -> None:
    made = parts.client.post("/jobs", json=parts.body).json()
    viewer = service.client(Role.VIEWER)
    assert viewer.get(f"/jobs/{made['id']}").status_code == 200
    assert viewer.post("/jobs", json=parts.body).status_code == 403
    assert viewer.post("/jobs/push", json={"job": FILE, "audienceId": parts.audience}).status_code == 403
    assert viewer.post(f"/jobs/{made['id']}/disable", headers={"if-match": '"1"'}).status_code == 403
