"""Messages over HTTP: revisions, differences, copies, previews."""

from pathlib import Path

import httpx
from tests.builders.kept_audiences import keep_audience
from tests.builders.service import RunningService

from postroad.vocabulary.roles import Role

CONTENT = {"path": "/send", "bodyTemplate": {"to": "{{ name }}"}}
OTHER = {"path": "/send", "bodyTemplate": {"to": "{{ name }}", "lang": "en"}}
BODY = {"providerId": "http", "name": "Welcome", "content": CONTENT}


def _at(answer: httpx.Response) -> dict[str, str]:
    return {"if-match": answer.headers["etag"]}


def test_a_message_is_made_revised_and_compared(service: RunningService) -> None:
    client = service.client()
    made = client.post("/messages", json=BODY)
    url = f"/messages/{made.json()['id']}"
    assert (made.status_code, made.json()["outcome"], made.json()["currentRevision"]) == (201, "CREATED", 1)
    assert made.headers["location"].endswith(url)
    revised = client.patch(url, json={"content": OTHER}, headers=_at(made))
    assert (revised.json()["outcome"], revised.json()["currentRevision"], revised.headers["etag"]) == (
        "REVISED",
        2,
        '"2"',
    )
    assert client.get(url).json()["content"] == OTHER
    assert client.get(f"{url}/revisions/1").json()["content"] == CONTENT
    assert [one["revision"] for one in client.get(f"{url}/revisions").json()["items"]] == [2, 1]
    difference = client.get(f"{url}/diff", params={"from": 1, "to": 2}).json()
    assert difference["changes"] == [{"path": "bodyTemplate.lang", "kind": "ADDED", "before": None, "after": "en"}]


def test_the_same_content_makes_no_revision_and_says_so(service: RunningService) -> None:
    client = service.client()
    made = client.post("/messages", json=BODY)
    same = client.patch(f"/messages/{made.json()['id']}", json={"content": CONTENT}, headers=_at(made))
    assert (same.status_code, same.json()["outcome"], same.headers["etag"]) == (200, "UNCHANGED", '"1"')


def test_a_fault_in_a_template_has_its_path_and_line(service: RunningService) -> None:
    text = "Dear {{ name }},\n{{ nam | uper }}"
    content = {"path": "/send", "bodyType": "TEXT", "bodyTemplate": text}
    answer = service.client().post("/messages", json={**BODY, "content": content})
    (problem,) = answer.json()["errors"]
    assert (answer.status_code, problem["path"], problem["code"]) == (422, "content.bodyTemplate", "TEMPLATE_INVALID")
    assert "line 2" in problem["message"]


def test_stale_and_missing_versions_are_refused(service: RunningService) -> None:
    client = service.client()
    made = client.post("/messages", json=BODY)
    url = f"/messages/{made.json()['id']}"
    client.patch(url, json={"content": OTHER}, headers=_at(made))
    stale = client.patch(url, json={"name": "Late"}, headers=_at(made))
    missing = client.patch(url, json={"name": "Late"})
    assert (stale.status_code, stale.json()["current"]) == (
        412,
        {"version": 2, "name": "Welcome", "currentRevision": 2},
    )
    assert missing.status_code == 428


def test_a_copy_is_a_message_of_its_own(service: RunningService) -> None:
    client = service.client()
    made = client.post("/messages", json=BODY).json()
    copied = client.post(f"/messages/{made['id']}/copy", json={})
    assert (copied.status_code, copied.json()["name"]) == (201, "Welcome (copy)")
    assert copied.json()["contentHash"] == made["contentHash"]
    taken = client.post(f"/messages/{made['id']}/copy", json={"name": "welcome"})
    assert (taken.status_code, taken.json()["errors"][0]["code"]) == (400, "NAME_TAKEN")


def test_an_archived_message_keeps_its_revisions_and_frees_its_name(service: RunningService) -> None:
    client = service.client()
    made = client.post("/messages", json=BODY)
    url = f"/messages/{made.json()['id']}"
    assert client.delete(url, headers=_at(made)).json()["status"] == "ARCHIVED"
    assert client.get(f"{url}/revisions/1").status_code == 200
    assert client.post("/messages", json=BODY).status_code == 201
    assert client.get("/messages").json()["counters"] == {"ACTIVE": 1, "ARCHIVED": 1}


def test_a_message_is_looked_at_with_made_up_people(service: RunningService) -> None:
    client = service.client(Role.VIEWER)
    made = service.client().post("/messages", json=BODY).json()
    shown = client.post(
        f"/messages/{made['id']}/preview", json={"recipients": [{"name": "Ann"}, {"nam": "Bob"}]}
    ).json()
    assert (shown["revision"], shown["exampleAccount"]) == (1, True)
    good, bad = shown["samples"]
    assert good["rendered"]["parts"]["body"] == '{"to":"Ann"}'
    assert (bad["rendered"], bad["problem"]["missingFields"]) == (None, ["name"])


def test_a_message_is_looked_at_with_rows_of_an_audience(service: RunningService, tmp_path: Path) -> None:
    client = service.client()
    audience = keep_audience(service, tmp_path)
    made = client.post("/messages", json=BODY).json()
    url = f"/messages/{made['id']}/preview"
    first = client.post(url, json={"audience": {"audienceId": audience, "limit": 1}}).json()
    chosen = client.post(url, json={"audience": {"audienceId": audience, "rows": [3, 2]}}).json()
    missing = client.post(url, json={"audience": {"audienceId": audience, "rows": [9]}})
    assert [(one["row"], one["rendered"]["parts"]["body"]) for one in first["samples"]] == [(2, '{"to":"Ann"}')]
    assert [one["row"] for one in chosen["samples"]] == [3, 2]
    assert (missing.status_code, missing.json()["errors"][0]["path"]) == (400, "audience.rows")


def test_a_draft_is_looked_at_and_not_kept(service: RunningService) -> None:
    client = service.client()
    sms = {"templateCode": "SMS_1", "signName": "Shop", "phone": "{{ mobile }}", "previewText": "您好" * 50}
    body = {"providerId": "aliyun_sms", "content": sms, "recipients": [{"mobile": "13800138000"}]}
    shown = client.post("/messages/preview", json=body).json()
    assert (shown["revision"], shown["samples"][0]["rendered"]["cost"]) == (None, 2)
    assert client.get("/messages").json()["items"] == []
    viewer = service.client(Role.VIEWER)
    assert viewer.post("/messages/preview", json=body).status_code == 403


def test_people_or_an_audience_and_not_both(service: RunningService) -> None:
    client = service.client()
    draft = {"providerId": "http", "content": CONTENT}
    both = {"recipients": [{}], "audience": {"audienceId": "x"}}
    for body in (draft, {**draft, **both}):
        answer = client.post("/messages/preview", json=body)
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "ONE_OF")


def test_numbers_that_no_database_holds_are_refused(service: RunningService) -> None:
    client = service.client()
    made = client.post("/messages", json=BODY).json()
    url = f"/messages/{made['id']}"
    huge = 10**20
    assert client.get(f"{url}/revisions/{huge}").status_code in (400, 404)
    assert client.get(f"{url}/diff", params={"from": huge, "to": 1}).status_code == 400
    assert client.post(f"{url}/copy", json={"revision": huge}).status_code == 400
    assert client.post(f"{url}/preview", json={"revision": huge, "recipients": [{}]}).status_code == 400
