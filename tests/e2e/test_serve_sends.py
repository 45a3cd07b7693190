"""The service as people start it sends by itself, and goes on where a kill or a stop left it."""

import itertools
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from tests.builders.daemons import wait_until
from tests.builders.http_receiver import HttpReceiver
from tests.builders.served import Served, served

SIGN_IN = {"username": "root", "password": "correct horse battery"}
LOOPBACK = {"POSTROAD_SECURITY_ALLOWED_NETWORKS": "127.0.0.0/8"}
PEOPLE = 60
AT_ONCE = 4
_KEYS = itertools.count(1)


@contextmanager
def _signed_in(service: Served) -> Iterator[httpx.Client]:
    """Below the first workspace."""
    headers = {"x-postroad-csrf": "1"}
    with httpx.Client(base_url=service.url, trust_env=False, headers=headers, timeout=20) as client:
        if service.setup_code:
            made = client.post("/api/v1/setup", json={"code": service.setup_code, **SIGN_IN})
            assert made.status_code == 201, made.text
        assert client.post("/api/v1/sessions", json=SIGN_IN).status_code == 201
        workspace = client.get("/api/v1/workspaces").json()["items"][0]["id"]
        client.base_url = httpx.URL(f"{service.url}/api/v1/workspaces/{workspace}")
        yield client


def _made(client: httpx.Client, path: str, status: int = 201, **body: Any) -> dict[str, Any]:
    answer = client.post(path, json=body, headers={"idempotency-key": f"key-{next(_KEYS)}"})
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json()
    return found


def _audience(client: httpx.Client) -> str:
    people = "id,name\n" + "".join(f"p{number},Name {number}\n" for number in range(PEOPLE))
    begun = client.post("/audience-imports/files", params={"fileName": "people.csv"}, content=people.encode()).json()
    url = f"/audience-imports/{begun['id']}"
    _until(lambda: client.get(url).json()["state"] == "PARSED", "the import is read")
    at = {"if-match": client.get(url).headers["etag"]}
    committed = client.post(f"{url}/commit", json={"name": "People"}, headers=at)
    assert committed.status_code == 200, committed.text
    found: str = committed.json()["id"]
    return found


def _started(client: httpx.Client, port: int) -> str:
    account = _made(
        client, "/accounts", providerId="http", name="Gateway", config={"baseUrl": f"http://127.0.0.1:{port}"}
    )
    content = {"path": "/to/{{ id }}", "bodyTemplate": {"hello": "{{ name }}"}}
    message = _made(client, "/messages", providerId="http", name="News", content=content)
    ids = {"accountId": account["id"], "messageId": message["id"], "audienceId": _audience(client)}
    job = _made(client, "/jobs", name="Send", **ids, policies={"concurrency": AT_ONCE, "rate": "unlimited"})
    token = _made(client, f"/jobs/{job['id']}/run-confirmation", 200)["confirmationToken"]
    found: str = _made(client, f"/jobs/{job['id']}/runs", 202, confirmationToken=token)["id"]
    return found


def _until(holds: Callable[[], bool], what: str) -> None:
    wait_until(lambda: holds() or time.sleep(0.1) is not None, what, patience_s=30)


def test_a_run_outlives_a_kill_and_a_stop_of_the_service(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with HttpReceiver(slow_s=0.1) as receiver:
        with served(data, more=LOOPBACK) as first, _signed_in(first) as client:
            run_id = _started(client, receiver.port)
            receiver.wait_for(PEOPLE // 4)
            first.stop(signal.SIGKILL)
        with served(data, more=LOOPBACK) as second:
            receiver.wait_for(PEOPLE // 2)
            assert second.stop(signal.SIGTERM) == 0
        with served(data, more=LOOPBACK) as third, _signed_in(third) as client:
            _until(lambda: client.get(f"/runs/{run_id}").json()["hasResults"], "the run ends")
            counts = client.get(f"/runs/{run_id}").json()["counts"]
            unknown = client.get(f"/runs/{run_id}/items", params={"outcome": "UNKNOWN", "limit": 100}).json()["items"]

    assert counts["succeeded"] + counts["unknown"] == PEOPLE
    assert counts["unknown"] <= AT_ONCE
    assert set(receiver.copies.values()) == {1}
    assert PEOPLE - len(receiver.copies) <= len({item["fields"]["id"] for item in unknown})
