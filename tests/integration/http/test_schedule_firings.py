"""Schedules over HTTP, fired: what became of each time, and the runs that were started."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.builders.databases import START_MS, HandClock
from tests.builders.service import RunningService, running_service
from tests.integration.http.planning import HOUR, Starts, made_job, planned, read_all, scheduler

from postroad.foundation.service_settings import load_settings
from postroad.vocabulary.refusals import RunStateConflict
from postroad.vocabulary.roles import Role


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


@pytest.fixture
def job_id(service: RunningService, operator: httpx.Client) -> str:
    return made_job(service, operator)


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
