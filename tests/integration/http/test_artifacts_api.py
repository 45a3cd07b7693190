"""Artifacts over HTTP: uploads, whole and partial downloads, flags, deletion, retention."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.builders.service import RunningService, running_service

from postroad.foundation.service_settings import load_settings
from postroad.modules.artifacts import ArtifactAsked, ArtifactType, Behalf, Owner
from postroad.modules.workspaces import ChangePolicy, WorkspacePolicy
from postroad.vocabulary.roles import Role

CONTENT = b"0123456789" * 100
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def _upload(client: httpx.Client, content: Any = CONTENT, **parameters: str) -> httpx.Response:
    return client.post(
        "/artifacts",
        content=content,
        params={"fileName": "客户 list.csv", **parameters},
        headers={"content-type": "text/csv; charset=utf-8"},
    )


@pytest.fixture
def operator(service: RunningService) -> httpx.Client:
    return service.client(Role.OPERATOR)


@pytest.fixture
def path(operator: httpx.Client) -> str:
    return f"/artifacts/{_upload(operator).json()['id']}"


def test_an_upload_is_stored_with_its_digest(operator: httpx.Client) -> None:
    answer = _upload(operator, sha256=SHA256)
    made = answer.json()
    assert answer.status_code == 201
    assert answer.headers["location"].endswith(f"/artifacts/{made['id']}")
    assert (made["state"], made["type"], made["sizeBytes"], made["sha256"]) == ("READY", "IMPORT", 1000, SHA256)
    assert (made["fileName"], made["contentType"]) == ("客户 list.csv", "text/csv")
    assert "location" not in made
    assert operator.get("/artifact-usage").json() == {"usedBytes": 1000, "reservedBytes": 0, "quotaBytes": 0}


def test_a_large_upload_of_unknown_length_streams_through(operator: httpx.Client) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(50):
            yield b"x" * 100_000

    answer = _upload(operator, pieces())
    assert (answer.status_code, answer.json()["sizeBytes"]) == (201, 5_000_000)


def test_another_digest_than_announced_leaves_nothing(service: RunningService, operator: httpx.Client) -> None:
    answer = _upload(operator, sha256="0" * 64)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "DIGEST_DIFFERS")
    assert operator.get("/artifact-usage").json()["usedBytes"] == 0
    folder = service.composition.settings.artifacts.directory
    assert not any(each.is_file() for each in folder.rglob("*"))


def test_an_upload_beyond_the_quota_is_refused(service: RunningService, operator: httpx.Client) -> None:
    from postroad.kernel.authz import Principal
    from postroad.kernel.versions import Expected
    from postroad.modules import workspaces

    def limit(uow: Any) -> object:
        view = workspaces.get_workspace(uow, service.workspace_id)
        policy = WorkspacePolicy(artifact_quota_bytes=999)
        return workspaces.change_policy(uow, ChangePolicy(service.workspace_id, policy, Expected(view.version)))

    service.database.write(Principal.system("tests"), limit)
    answer = _upload(operator)
    assert (answer.status_code, answer.json()["code"]) == (409, "QUOTA_EXCEEDED")


def test_a_download_has_safe_headers_and_the_same_bytes(operator: httpx.Client, path: str) -> None:
    answer = operator.get(f"{path}/content")
    assert (answer.status_code, answer.content) == (200, CONTENT)
    assert answer.headers["etag"] == f'"{SHA256}"'
    assert answer.headers["accept-ranges"] == "bytes"
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-disposition"] == (
        "attachment; filename=\"__ list.csv\"; filename*=UTF-8''%E5%AE%A2%E6%88%B7%20list.csv"
    )
    assert "sandbox" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("asked", "status", "content", "said"),
    [
        ("bytes=0-4", 206, CONTENT[:5], "bytes 0-4/1000"),
        ("bytes=990-", 206, CONTENT[990:], "bytes 990-999/1000"),
        ("bytes=-3", 206, CONTENT[-3:], "bytes 997-999/1000"),
        ("bytes=995-5000", 206, CONTENT[995:], "bytes 995-999/1000"),
        ("bytes=-5000", 206, CONTENT, "bytes 0-999/1000"),
        ("bytes=1000-", 416, None, "bytes */1000"),
        ("bytes=-0", 416, None, "bytes */1000"),
        ("bytes=5-4", 200, CONTENT, None),
        ("bytes=0-1,5-6", 200, CONTENT, None),
        ("lines=0-1", 200, CONTENT, None),
        ("bytes=x", 200, CONTENT, None),
    ],
)
def test_a_part_is_answered_as_the_rfc_says(
    operator: httpx.Client, path: str, asked: str, status: int, content: bytes | None, said: str | None
) -> None:
    answer = operator.get(f"{path}/content", headers={"range": asked})
    assert answer.status_code == status
    assert answer.headers.get("content-range") == said
    if content is not None:
        assert answer.content == content
        assert answer.headers["content-length"] == str(len(content))


def test_if_range_lets_a_part_count_only_for_the_same_file(operator: httpx.Client, path: str) -> None:
    same = operator.get(f"{path}/content", headers={"range": "bytes=0-4", "if-range": f'"{SHA256}"'})
    other = operator.get(f"{path}/content", headers={"range": "bytes=0-4", "if-range": '"x"'})
    assert (same.status_code, other.status_code) == (206, 200)
    assert other.content == CONTENT


def test_who_has_the_file_is_told_so(operator: httpx.Client, path: str) -> None:
    answer = operator.get(f"{path}/content", headers={"if-none-match": f'"other", "{SHA256}"'})
    assert (answer.status_code, answer.content) == (304, b"")


def test_head_says_what_a_download_would(operator: httpx.Client, path: str) -> None:
    head, whole = operator.head(f"{path}/content"), operator.get(f"{path}/content")
    assert (head.status_code, head.content) == (200, b"")
    for name in ("etag", "content-length", "content-type", "content-disposition", "accept-ranges"):
        assert head.headers[name] == whole.headers[name]


def test_a_page_that_somebody_uploaded_is_only_bytes(operator: httpx.Client) -> None:
    made = operator.post(
        "/artifacts",
        content=b"<script>alert(1)</script>",
        params={"fileName": 'x"\r\n.html'},
        headers={"content-type": "text/html"},
    ).json()
    answer = operator.get(f"/artifacts/{made['id']}/content")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith('attachment; filename="x_.html"')


def test_downloads_are_for_members_and_noted(service: RunningService, operator: httpx.Client, path: str) -> None:
    operator.get(f"{path}/content", headers={"range": "bytes=0-4"})
    assert service.client(Role.VIEWER).get(f"{path}/content").status_code == 200
    assert service.client(None).get(f"{path}/content").status_code == 404
    assert service.outside.get(f"{service.workspace}{path}/content").status_code == 401
    assert service.program(Role.OPERATOR, ["artifacts:write"]).get(f"{path}/content").status_code == 403
    events = service.client(Role.ADMIN).get("/audit-events", params={"action": "artifact.downloaded"}).json()["items"]
    assert len(events) == 2
    assert events[1]["details"]["length"] == 5


def test_a_result_of_a_run_needs_the_right_to_read_runs(service: RunningService, operator: httpx.Client) -> None:
    ask = ArtifactAsked(service.workspace_id, ArtifactType.RESULT, Owner("run", "r1"), "results.csv", size_bytes=1)
    keeper = service.composition.artifacts
    from postroad.kernel.authz import Principal

    upload = keeper.begin(Behalf(Principal.system("tests")), ask)
    upload.append(b"x")
    made = upload.finish()
    there = f"/artifacts/{made.id}/content"
    assert service.program(Role.VIEWER, ["artifacts:read", "audiences:read"]).get(there).status_code == 403
    assert service.program(Role.VIEWER, ["artifacts:read", "runs:read"]).get(there).status_code == 200
    found = operator.get("/artifacts", params={"ownerType": "run", "ownerId": "r1"}).json()["items"]
    assert [item["id"] for item in found] == [made.id]


def test_pins_holds_and_deletion_expect_a_version(service: RunningService, operator: httpx.Client, path: str) -> None:
    version = operator.get(path).headers["etag"]
    assert operator.put(f"{path}/pin", json={"pinned": True}).status_code == 428
    pinned = operator.put(f"{path}/pin", json={"pinned": True}, headers={"if-match": version})
    assert (pinned.status_code, pinned.json()["pinned"]) == (200, True)
    refused = operator.delete(path, headers={"if-match": pinned.headers["etag"]})
    assert (refused.status_code, refused.json()["code"]) == (409, "STATE_CONFLICT")
    assert operator.put(f"{path}/hold", json={"held": True}, headers={"if-match": version}).status_code == 403
    free = operator.put(f"{path}/pin", json={"pinned": False}, headers={"if-match": pinned.headers["etag"]})
    held = service.client(Role.ADMIN).put(
        f"{path}/hold", json={"held": True}, headers={"if-match": free.headers["etag"]}
    )
    assert held.json()["legalHold"] is True
    assert operator.delete(path, headers={"if-match": held.headers["etag"]}).status_code == 409


def test_a_deleted_file_can_no_longer_be_had(service: RunningService, operator: httpx.Client, path: str) -> None:
    version = operator.get(path).headers["etag"]
    assert operator.delete(path, headers={"if-match": version}).status_code == 204
    gone = operator.get(f"{path}/content")
    assert (gone.status_code, gone.json()["code"]) == (409, "ARTIFACT_NOT_READY")
    service.composition.artifacts.sweep()
    assert operator.get(path).json()["state"] == "DELETED"


def test_retention_is_set_off_by_system_administrators(service: RunningService, operator: httpx.Client) -> None:
    there = f"{service.api}/system/maintenance/retention"
    assert operator.post(there, json={}).status_code == 403
    chief = service.client(Role.ADMIN, system_admin=True)
    counted = chief.post(there, json={"dryRun": True})
    assert (counted.status_code, counted.json()) == (200, {"dryRun": True, "expired": []})
    assert chief.post(there, json={"dryRun": False}).status_code == 200


def test_a_client_that_goes_away_leaves_nothing_reserved(service: RunningService, operator: httpx.Client) -> None:
    def broken() -> Iterator[bytes]:
        yield b"x" * 2_000_000
        raise ConnectionAbortedError

    with pytest.raises(ConnectionAbortedError):
        _upload(operator, broken())
    for _ in range(200):
        usage = operator.get("/artifact-usage").json()
        states = [item["state"] for item in operator.get("/artifacts").json()["items"]]
        if usage["reservedBytes"] == 0 and states == ["FAILED"]:
            break
    assert usage == {"usedBytes": 0, "reservedBytes": 0, "quotaBytes": 0}


def test_a_body_beyond_the_limit_is_refused_while_it_comes(tmp_path: Path) -> None:
    settings = load_settings(flags={"dataDir": str(tmp_path), "limits.upload": "1KiB"})
    with running_service(tmp_path, settings=settings) as service:
        operator = service.client(Role.OPERATOR)
        announced = _upload(operator, b"x" * 2000)
        streamed = _upload(operator, iter([b"x" * 1000] * 3))
        assert {announced.status_code, streamed.status_code} <= {400, 413}
        assert operator.get("/artifact-usage").json() == {"usedBytes": 0, "reservedBytes": 0, "quotaBytes": 0}
        assert _upload(operator, b"x" * 1024).status_code == 201
