"""Runs that are really sent: the service with its host of workers, against a receiver on loopback that counts.

    with HttpReceiver() as receiver, sending_service(tmp_path) as service:
        post = Post(service, tmp_path, receiver.port)
        run = post.started(post.job(100))
        assert post.ended(run["id"])["state"] == "SUCCEEDED"

`post.host` is the host, `post.restart()` a new one over the same data folder, as after a stop of the service.
"""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from postroad.flows.hosting import Host
from postroad.flows.sending import ShardRule
from postroad.foundation.service_settings import Settings, load_settings
from postroad.modules.runs import COMMANDS_TOPIC, RUNS_TOPIC
from postroad.vocabulary.roles import Role
from tests.builders.kept_audiences import keep_audience
from tests.builders.processes import children_of
from tests.builders.service import RunningService, running_service

_NUMBERS = itertools.count(1)
PATIENCE_S = 30.0
FINAL = frozenset({"SUCCEEDED", "PARTIAL", "FAILED", "CANCELLED"})
QUICK = {"concurrency": 8, "rate": "unlimited", "retry": {"maxAttempts": 3, "initial": "20ms", "maxDelay": "50ms"}}


def loopback_settings(folder: Path, environment: Mapping[str, str] | None = None, **flags: str) -> Settings:
    """Settings that let messages go to 127.0.0.1."""
    return load_settings(
        environment=environment or {},
        flags={
            "dataDir": str(folder / "data"),
            "security.allowedNetworks": "127.0.0.0/8",
            "events.progressInterval": "100ms",
            **flags,
        },
    )


@contextmanager
def sending_service(folder: Path, settings: Settings | None = None) -> Iterator[RunningService]:
    """The application, with its host started."""
    with running_service(folder, settings=settings or loopback_settings(folder)) as service:
        service.composition.start_work()
        try:
            yield service
        finally:
            assert service.composition.stop_work(20)


class Post:
    def __init__(self, service: RunningService, folder: Path, port: int) -> None:
        self.service = service
        self.folder = folder
        self.port = port
        self.client = service.client(Role.OPERATOR)
        self.patience_s = PATIENCE_S

    @property
    def host(self) -> Host:
        return self.service.composition.host

    def cut_into(self, most: int, recipients: int = 10) -> None:
        """Runs that start from now on have so many shards at most."""
        parts = self.service.composition.runs
        sending = replace(parts.sending, shards=ShardRule(recipients, most))
        self.service.composition.__dict__["runs"] = replace(parts, sending=sending)

    def account(self, **config: Any) -> dict[str, Any]:
        whole = {"baseUrl": f"http://127.0.0.1:{self.port}", **config}
        secrets = whole.pop("secrets", None)
        body = {"providerId": "http", "name": f"Gateway {next(_NUMBERS)}", "config": whole}
        return self._made("/accounts", body | ({"secrets": secrets} if secrets else {}))

    def job(self, people: int, *, account: Mapping[str, Any] | None = None, **policies: Any) -> dict[str, Any]:
        """To recipients `p0` … whose copies the receiver counts by these names."""
        number = next(_NUMBERS)
        content = {"path": "/to/{{ id }}", "bodyTemplate": {"hello": "{{ name }}"}}
        message = self._made("/messages", {"providerId": "http", "name": f"News {number}", "content": content})
        text = "id,name\n" + "".join(f"p{one},Name {one}\n" for one in range(people))
        audience = keep_audience(self.service, self.folder, text, f"People {number}")
        ids = {
            "accountId": (account or self.account())["id"],
            "messageId": message["id"],
            "audienceId": audience,
        }
        return self._made("/jobs", {"name": f"Job {number}", **ids, "policies": {**QUICK, **policies}})

    def started(self, job: Mapping[str, Any], **body: Any) -> dict[str, Any]:
        """A run, confirmed where it sends."""
        answer = self.confirmed_start(job, **body)
        assert answer.status_code == 202, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def confirmed_start(self, job: Mapping[str, Any], **body: Any) -> httpx.Response:
        if not body.get("dryRun"):
            shown = self._made(f"/jobs/{job['id']}/run-confirmation", {}, 200)
            body["confirmationToken"] = shown["confirmationToken"]
        return self.client.post(f"/jobs/{job['id']}/runs", json=body, headers=_once())

    def resent(self, run_id: str, *outcomes: str) -> dict[str, Any]:
        asked = {"outcomes": list(outcomes)}
        shown = self._made(f"/runs/{run_id}/retry-confirmation", asked, 200)
        body = asked | {"confirmationToken": shown["confirmationToken"]}
        answer = self.client.post(f"/runs/{run_id}/retries", json=body, headers=_once())
        assert answer.status_code == 202, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def run(self, run_id: str) -> dict[str, Any]:
        answer = self.client.get(f"/runs/{run_id}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def waited(self, run_id: str, holds: Callable[[dict[str, Any]], object], what: str) -> dict[str, Any]:
        """The run as soon as this holds of it."""
        until = time.monotonic() + self.patience_s
        with self.service.composition.wakeups.subscribe(RUNS_TOPIC) as hints:
            while True:
                run = self.run(run_id)
                if holds(run):
                    return run
                assert time.monotonic() < until, f"waited in vain until {what}; the run is {run}"
                hints.wait(0.5)

    def ended(self, run_id: str) -> dict[str, Any]:
        """The run in its final state."""
        return self.waited(run_id, lambda run: run["state"] in FINAL, "the run ends")

    def steer(self, run_id: str, command: str, **body: Any) -> httpx.Response:
        return self.client.post(f"/runs/{run_id}/commands/{command}", json=body or None, headers=_once())

    def obeyed(self, run_id: str, command: str, **body: Any) -> None:
        """Steered, and applied by whoever has to."""
        answer = self.steer(run_id, command, **body)
        assert answer.status_code == 202, answer.text
        wanted = answer.json()["id"]

        def is_applied(run: dict[str, Any]) -> bool:
            return any(one["id"] == wanted and one["state"] == "APPLIED" for one in run["commands"])

        self.waited(run_id, is_applied, f"{command} is applied")

    def items(self, run_id: str, **query: Any) -> list[dict[str, Any]]:
        """All pages."""
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            params = {"limit": 500, **query, **({"cursor": cursor} if cursor else {})}
            page = self.client.get(f"/runs/{run_id}/items", params=params).json()
            found += page["items"]
            cursor = page["page"]["nextCursor"]
            if not cursor:
                return found

    def outcomes(self, run_id: str) -> Counter[str]:
        return Counter(item["outcome"] for item in self.items(run_id))

    def judged(self, run_id: str, copies: Counter[str], most_unknown: int) -> dict[str, Any]:
        """The ended run, whose account is what the receiver saw: nobody twice, and only UNKNOWN ones may have none."""
        ended = self.ended(run_id)
        counts = ended["counts"]
        unknown = [item["fields"]["id"] for item in self.items(run_id, outcome="UNKNOWN")]
        reached = {item["fields"]["id"] for item in self.items(run_id, outcome="SUCCEEDED")}
        assert counts["succeeded"] + counts["unknown"] == counts["total"], counts
        assert (len(reached), len(unknown)) == (counts["succeeded"], counts["unknown"])
        assert len(unknown) <= most_unknown
        assert reached <= set(copies)
        assert_nobody_twice(copies, counts["total"], unknown)
        return ended

    def folder_of(self, run_id: str) -> Path:
        return self.service.composition.run_folders.folder_of(run_id)

    def host_settles(self) -> None:
        """Whatever a worker was going to do at once is done: it answers a command that changes nothing."""
        for _ in range(3):
            self.service.composition.wakeups.notify(COMMANDS_TOPIC)
            threading.Event().wait(0.1)

    def restart(self) -> None:
        """Stops the host as a stop of the service does, and starts another one."""
        with self.host_away():
            pass

    @contextmanager
    def host_away(self) -> Iterator[None]:
        """Nobody works while this lasts."""
        composition = self.service.composition
        assert composition.stop_work(20)
        for part in ("host", "run_folders"):
            composition.__dict__.pop(part)
        try:
            yield
        finally:
            composition.start_work()

    def change(self, path: str, made: Mapping[str, Any], **body: Any) -> None:
        headers = {"if-match": f'"{made["version"]}"'}
        answer = self.client.patch(f"/{path}/{made['id']}", json=body, headers=headers)
        assert answer.status_code == 200, answer.text

    def _made(self, path: str, body: Mapping[str, Any], status: int = 201) -> dict[str, Any]:
        answer = self.client.post(path, json=body)
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()
        return found


def workers_of(parent: int | None = None) -> list[int]:
    """Worker processes that `parent` started, or this process."""
    return children_of("postroad.worker", parent)


def assert_nobody_twice(copies: Counter[str], people: int, unknown: Sequence[str] = ()) -> None:
    """Everybody got one copy; those who are unknown at most one."""
    expected = {f"p{number}" for number in range(people)}
    assert {name for name, number in copies.items() if number > 1} == set()
    assert expected - set(copies) <= set(unknown)


def _once() -> dict[str, str]:
    return {"idempotency-key": f"key-{next(_NUMBERS)}-{threading.get_ident()}"}
