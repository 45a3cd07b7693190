"""Schedules over HTTP: planned, previewed, switched, fired."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.builders.databases import START_MS, HandClock
from tests.builders.service import RunningService, running_service

from postroad.foundation.service_settings import load_settings
from postroad.kernel.uow import UnitOfWork
from postroad.modules.schedules import Firer, Scheduler, ScheduleView
from postroad.vocabulary.refusals import RunStateConflict
from postroad.vocabulary.roles import Role

HOUR = 3_600_000


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(tmp_path: Path, clock: HandClock) -> Iterator[RunningService]:
    """One that may query the databases in `tmp_path / "open"`."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    flags = {"dataDir": str(folder), "audiences.databaseFolders": str(tmp_path / "open")}
    with running_service(folder, clock=clock, settings=load_settings(flags=flags)) as running:
        yield running


@pytest.fixture
def operator(service: RunningService) -> httpx.Client:
    return service.client(Role.OPERATOR)


def read_all(service: RunningService) -> None:
    while service.composition.import_reader.tick():
        pass


@pytest.fixture
def job_id(service: RunningService, operator: httpx.Client) -> str:
    """A job to a made-up audience."""
    begun = operator.post("/audience-imports", json={"count": 2}).json()
    read_all(service)
    audience = operator.post(
        f"/audience-imports/{begun['id']}/commit", json={"name": "People"}, headers={"if-match": '"2"'}
    ).json()
    config = {"baseUrl": "https://api.example.com/v1"}
    account = operator.post("/accounts", json={"providerId": "http", "name": "Shop", "config": config})
    content = {"path": "/send", "bodyTemplate": {"to": "{{ name }}"}}
    message = operator.post("/messages", json={"providerId": "http", "name": "Hello", "content": content})
    job = operator.post(
        "/jobs",
        json={
            "name": "Welcome",
            "accountId": account.json()["id"],
            "messageId": message.json()["id"],
            "audienceId": audience["id"],
        },
    )
    assert job.status_code == 201, job.text
    return str(job.json()["id"])


def planned(client: httpx.Client, job_id: str, **body: Any) -> Any:
    asked = {"name": "Mornings", "jobId": job_id, "timezone": "Europe/Berlin", "cron": "0 8 * * mon-fri", **body}
    answer = client.post("/schedules", json={name: value for name, value in asked.items() if value is not None})
    assert answer.status_code == 201, answer.text
    return answer.json()


class Starts:
    def __init__(self) -> None:
        self.fired: list[tuple[str, int]] = []
        self.refuse: Exception | None = None

    def fire(self, uow: UnitOfWork, schedule: ScheduleView, fire_at_ms: int) -> str:
        if self.refuse is not None:
            raise self.refuse
        self.fired.append((schedule.job_id, fire_at_ms))
        return f"run-{len(self.fired)}"


def scheduler(service: RunningService, starts: Firer) -> Scheduler:
    return service.composition.scheduler_over(service.database, starts)


def test_a_schedule_is_planned_and_shows_its_times(operator: httpx.Client, job_id: str) -> None:
    made = planned(operator, job_id)
    assert (made["cron"], made["status"], made["misfirePolicy"]) == ("0 8 * * MON-FRI", "ENABLED", "FIRE_ONCE")
    assert made["nextFireAt"] == "2027-01-18T07:00:00.000Z"
    times = operator.get(f"/schedules/{made['id']}/fire-times").json()["items"]
    assert len(times) == 10
    assert times[0] == {"at": "2027-01-18T07:00:00.000Z", "local": "2027-01-18T08:00:00+01:00"}


def test_times_are_previewed_over_a_change_of_clocks(service: RunningService, operator: httpx.Client) -> None:
    body = {"timezone": "Europe/Berlin", "cron": "30 2 * * *", "startAt": "2027-03-27T00:00:00Z"}
    items = operator.post("/schedules/preview", json=body).json()["items"]
    assert [one["local"] for one in items[:3]] == [
        "2027-03-27T02:30:00+01:00",
        "2027-03-28T03:00:00+02:00",
        "2027-03-29T02:30:00+02:00",
    ]
    assert (
        "Europe/Berlin" in operator.get(str(operator.base_url).split("/workspaces")[0] + "/time-zones").json()["items"]
    )


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"cron": "0 25 * * *"}, "cron"),
    ({"cron": None}, "cron"),
    ({"at": "2028-01-01T00:00"}, "cron"),
    ({"cron": None, "at": "2020-01-01T00:00"}, "at"),
    ({"timezone": "Berlin"}, "timezone"),
    ({"catchUpLimit": 3}, "catchUpLimit"),
    ({"misfirePolicy": "CATCH_UP_LIMITED"}, "catchUpLimit"),
    ({"misfirePolicy": "SOMETIMES"}, "misfirePolicy"),
    ({"startAt": "2028-01-02T00:00:00Z", "endAt": "2028-01-01T00:00:00Z"}, "endAt"),
    ({"startAt": "9999-01-02T00:00:00Z"}, "startAt"),
    ({"jobId": "nowhere"}, "jobId"),
    ({"refreshAudience": True}, "refreshAudience"),
    ({"name": " "}, "name"),
]


def test_what_cannot_be_planned_is_refused_by_its_field(operator: httpx.Client, job_id: str) -> None:
    for body, path in REFUSED:
        asked = {"name": "Mornings", "jobId": job_id, "timezone": "UTC", "cron": "0 8 * * *", **body}
        answer = operator.post("/schedules", json={name: value for name, value in asked.items() if value is not None})
        assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, path), answer.text


def test_a_schedule_is_planned_anew_and_switched(operator: httpx.Client, job_id: str) -> None:
    made = planned(operator, job_id)
    path = f"/schedules/{made['id']}"
    body = {"name": "Once", "jobId": job_id, "timezone": "Asia/Shanghai", "at": "2027-02-01T09:00", "enabled": True}
    assert operator.put(path, json=body).status_code == 428
    changed = operator.put(path, json=body, headers={"if-match": '"1"'}).json()
    assert (changed["cron"], changed["at"], changed["nextFireAt"]) == (None, *["2027-02-01T01:00:00.000Z"] * 2)
    assert operator.put(path, json=body, headers={"if-match": '"1"'}).status_code == 412
    disabled = operator.post(f"{path}/disable", headers={"if-match": '"2"'}).json()
    assert (disabled["status"], disabled["nextFireAt"]) == ("DISABLED", None)
    assert len(operator.get(f"{path}/fire-times").json()["items"]) == 1
    assert operator.post(f"{path}/enable", headers={"if-match": '"3"'}).json()["status"] == "ENABLED"
    assert operator.delete(path, headers={"if-match": '"4"'}).json()["status"] == "ARCHIVED"
    assert operator.get("/schedules").json()["items"] == []
    assert operator.post(f"{path}/enable", headers={"if-match": '"5"'}).status_code == 409
    archived = operator.get("/schedules", params={"status": "ARCHIVED", "jobId": job_id}).json()["items"]
    assert [one["id"] for one in archived] == [made["id"]]


def test_firings_are_listed_with_what_became_of_them(
    service: RunningService, operator: httpx.Client, clock: HandClock, job_id: str
) -> None:
    made = planned(operator, job_id, cron="0 * * * *", misfirePolicy="SKIP")
    starts = Starts()
    first = START_MS - START_MS % HOUR + HOUR
    scheduler(service, starts).tick(first)
    starts.refuse = RunStateConflict("the job is archived")
    scheduler(service, starts).tick(first + HOUR)
    scheduler(service, starts).tick(first + 2 * HOUR + HOUR // 2)
    firings = operator.get(f"/schedules/{made['id']}/firings").json()["items"]
    assert [(one["fireAt"][11:16], one["state"], one["runId"]) for one in firings] == [
        ("11:00", "SKIPPED", None),
        ("10:00", "FAILED", None),
        ("09:00", "FIRED", "run-1"),
    ]
    assert firings[1]["reason"] == "RUN_STATE_CONFLICT: the job is archived"
    assert starts.fired == [(job_id, first)]
    failed = operator.get(f"/schedules/{made['id']}/firings", params={"state": "FAILED"}).json()["items"]
    assert failed == [firings[1]]


def test_a_schedule_starts_a_real_run_of_its_job(
    service: RunningService, operator: httpx.Client, clock: HandClock, job_id: str
) -> None:
    made = planned(operator, job_id, cron="0 * * * *")
    firer = service.composition.firer()
    assert firer is not None
    clock.ms = START_MS - START_MS % HOUR + HOUR
    assert scheduler(service, firer).tick(clock.ms)
    assert not scheduler(service, firer).tick(clock.ms)
    [firing] = operator.get(f"/schedules/{made['id']}/firings").json()["items"]
    [run] = operator.get("/runs").json()["items"]
    assert (firing["state"], firing["runId"], run["jobId"]) == ("FIRED", run["id"], job_id), firing
    operator.post(f"/jobs/{job_id}/disable", headers={"if-match": '"1"'})
    clock.advance(ms=HOUR)
    scheduler(service, firer).tick(clock.ms)
    refused = operator.get(f"/schedules/{made['id']}/firings").json()["items"][0]
    assert refused["state"] == "FAILED"
    assert refused["reason"].startswith("STATE_CONFLICT: the job 'Welcome' is DISABLED")
    assert len(operator.get("/runs").json()["items"]) == 1


def test_the_audience_is_read_again_before_each_firing(
    service: RunningService, operator: httpx.Client, clock: HandClock, job_id: str, tmp_path: Path
) -> None:
    (tmp_path / "open").mkdir()
    with sqlite3.connect(tmp_path / "open" / "crm.db") as crm:
        crm.execute("CREATE TABLE people (name TEXT)")
        crm.execute("INSERT INTO people VALUES ('Bo')")
    query = {"database": f"sqlite:///{tmp_path}/open/crm.db", "query": "SELECT name FROM people"}
    begun = operator.post("/audience-imports", json={"query": query}).json()
    read_all(service)
    audience = operator.post(
        f"/audience-imports/{begun['id']}/commit", json={"name": "CRM"}, headers={"if-match": '"2"'}
    ).json()
    operator.patch(f"/jobs/{job_id}", json={"audienceId": audience["id"]}, headers={"if-match": '"1"'})
    made = planned(operator, job_id, cron="0 * * * *", refreshAudience=True)
    firer = service.composition.firer()
    assert firer is not None
    with sqlite3.connect(tmp_path / "open" / "crm.db") as crm:
        crm.execute("INSERT INTO people VALUES ('Li'), ('Ann')")
    clock.ms = START_MS - START_MS % HOUR + HOUR
    scheduler(service, firer).tick(clock.ms)
    [due] = operator.get(f"/schedules/{made['id']}/firings").json()["items"]
    assert due["state"] == "DUE"
    assert operator.get(f"/audience-imports/{due['importId']}").json()["cause"] == "REFRESH"
    read_all(service)
    scheduler(service, firer).tick(clock.ms)
    [fired] = operator.get(f"/schedules/{made['id']}/firings").json()["items"]
    [run] = operator.get("/runs").json()["items"]
    assert (fired["state"], fired["runId"], run["counts"]["total"]) == ("FIRED", run["id"], 3), fired


def test_nothing_starts_in_an_archived_workspace(
    service: RunningService, operator: httpx.Client, clock: HandClock, job_id: str
) -> None:
    made = planned(operator, job_id, cron="0 * * * *")
    service.new_workspace("Another")
    admin, etag = service.client(system_admin=True), operator.get(service.workspace).headers["etag"]
    assert admin.post(f"{service.workspace}/archive", headers={"if-match": etag}).status_code == 200
    clock.ms = START_MS - START_MS % HOUR + HOUR
    starts = Starts()
    scheduler(service, starts).tick(clock.ms)
    [failed] = operator.get(f"/schedules/{made['id']}/firings").json()["items"]
    assert (failed["state"], starts.fired) == ("FAILED", [])
    assert "archived" in failed["reason"]


def test_a_job_that_is_disabled_cannot_be_planned(operator: httpx.Client, job_id: str) -> None:
    operator.post(f"/jobs/{job_id}/disable", headers={"if-match": '"1"'})
    asked = {"name": "Mornings", "jobId": job_id, "timezone": "UTC", "cron": "0 8 * * *"}
    answer = operator.post("/schedules", json=asked)
    assert answer.json()["errors"][0] == {
        "path": "jobId",
        "code": "NOT_ACTIVE",
        "message": "the job 'Welcome' is disabled; a schedule needs an active one",
    }


def test_a_viewer_looks_and_plans_nothing(service: RunningService, operator: httpx.Client, job_id: str) -> None:
    made = planned(operator, job_id)
    viewer = service.client(Role.VIEWER)
    assert viewer.get(f"/schedules/{made['id']}").status_code == 200
    assert viewer.post(f"/schedules/{made['id']}/disable", headers={"if-match": '"1"'}).status_code == 403
    assert service.client(None).get(f"/schedules/{made['id']}").status_code == 404
