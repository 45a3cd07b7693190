"""The first administrator of a new service, who makes what the loads need, the way a page would: over HTTP."""

import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from benchmarks.service.serving import Serving

Json = dict[str, Any]
_PATIENCE_S = 120.0
_LOOK_S = 0.02
_ENDS = frozenset({"SUCCEEDED", "PARTIAL", "FAILED", "CANCELLED"})
_PERSON = {"username": "bench", "password": "correct horse battery"}
_PACE = {"concurrency": 64, "rate": "unlimited"}


class Desk:
    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        self._numbers = itertools.count(1)
        workspace: str = self.get("/api/v1/workspaces")["items"][0]["id"]
        self.path = f"/api/v1/workspaces/{workspace}"
        """The path of the workspace; the calls below add to it."""

    @property
    def headers(self) -> dict[str, str]:
        """What a request of this person has to show."""
        cookies = "; ".join(f"{name}={value}" for name, value in self._client.cookies.items())
        return {"cookie": cookies, "x-postroad-csrf": "1"}

    @property
    def port(self) -> int:
        return self._client.base_url.port or 80

    def get(self, path: str, **query: Any) -> Json:
        return _found(self._client.get(path, params=query))

    def of(self, path: str, **query: Any) -> Json:
        """GET of something in the workspace."""
        return self.get(self.path + path, **query)

    def post(self, path: str, body: Mapping[str, Any], **headers: str) -> Json:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return _found(self._client.post(self.path + path, json=body, headers=sent))

    def audience(self, people: int) -> str:
        """The id of an audience of so many made-up recipients, once it is read."""
        begun = self.post("/audience-imports", {"count": people})
        path = f"/audience-imports/{begun['id']}"
        read = self.waited(lambda: self.of(path), lambda one: one["state"] == "PARSED", "the import is read")
        kept = self.post(f"{path}/commit", {"name": f"People {next(self._numbers)}"}, if_match=f'"{read["version"]}"')
        return str(kept["id"])

    def job(self, receiver_url: str, audience_id: str) -> str:
        """The id of a job that sends one small request a recipient, as fast as 64 in flight go."""
        number = next(self._numbers)
        account = {"providerId": "http", "name": f"Gateway {number}", "config": {"baseUrl": receiver_url}}
        content = {"path": "/to/{{ number }}", "bodyTemplate": {"hello": "{{ name }}", "text": "您好 {{ name }}"}}
        made = {
            "name": f"Job {number}",
            "accountId": self.post("/accounts", account)["id"],
            "messageId": self.post("/messages", message(f"News {number}", content))["id"],
            "audienceId": audience_id,
            "policies": _PACE,
        }
        return str(self.post("/jobs", made)["id"])

    def started(self, job_id: str) -> str:
        """The id of a confirmed run of the job that sends."""
        shown = self.post(f"/jobs/{job_id}/run-confirmation", {})
        asked = {"confirmationToken": shown["confirmationToken"]}
        run_id = str(self.post(f"/jobs/{job_id}/runs", asked, idempotency_key=self._key())["id"])
        self.waited(lambda: self.run(run_id), lambda run: run["counts"]["succeeded"] > 0, "the run sends")
        return run_id

    def run(self, run_id: str) -> Json:
        return self.of(f"/runs/{run_id}")

    def cancelled(self, run_id: str) -> Json:
        """The run once it has ended and its results are there."""
        self.post(f"/runs/{run_id}/commands/cancel", {"reason": "measured"}, idempotency_key=self._key())
        until = time.monotonic() + _PATIENCE_S
        while not (run := self.run(run_id))["hasResults"]:
            if time.monotonic() > until:
                raise RuntimeError(f"waited in vain until the results are there: {run}")
            time.sleep(_LOOK_S)
        return run

    def waited(self, look: Callable[[], Json], holds: Callable[[Json], bool], what: str) -> Json:
        """What `look` finds once `holds`; nothing of a run that has ended is waited for."""
        until = time.monotonic() + _PATIENCE_S
        while not holds(seen := look()):
            if time.monotonic() > until or seen.get("state") in _ENDS:
                raise RuntimeError(f"waited in vain until {what}: {seen}")
            time.sleep(_LOOK_S)
        return seen

    def _key(self) -> str:
        return f"bench-{next(self._numbers)}"


@contextmanager
def desk_at(service: Serving) -> Iterator[Desk]:
    """Makes the administrator and signs in."""
    with httpx.Client(base_url=service.url, trust_env=False, timeout=60, headers={"x-postroad-csrf": "1"}) as client:
        _found(client.post("/api/v1/setup", json={**_PERSON, "code": service.setup_code}))
        _found(client.post("/api/v1/sessions", json=_PERSON))
        yield Desk(client)


def message(name: str, content: Mapping[str, Any]) -> Json:
    return {"providerId": "http", "name": name, "content": dict(content)}


def _found(answer: httpx.Response) -> Json:
    if answer.is_error:
        raise RuntimeError(f"{answer.request.method} {answer.request.url.path}: {answer.status_code} {answer.text}")
    found: Json = answer.json()
    return found
