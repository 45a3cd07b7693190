"""Schedules over HTTP: planned, previewed, switched."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.builders.databases import HandClock
from tests.builders.service import RunningService, running_service
from tests.integration.http.planning import made_job, planned

from postroad.vocabulary.roles import Role


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One for all tests: each has a workspace of its own, and the clock stands still."""
    with running_service(tmp_path_factory.mktemp("data"), clock=HandClock()) as running:
        yield running


@pytest.fixture
def workspace_id(service: RunningService, request: pytest.FixtureRequest) -> str:
    return service.new_workspace(request.node.name[-100:])


@pytest.fixture
def operator(service: RunningService, workspace_id: str) -> httpx.Client:
    return service.client(Role.OPERATOR, workspace_id=workspace_id)


@pytest.fixture
def job_id(service: RunningService, operator: httpx.Client) -> str:
    return made_job(service, operator)


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


def test_a_job_that_is_disabled_cannot_be_planned(operator: httpx.Client, job_id: str) -> None:
    operator.post(f"/jobs/{job_id}/disable", headers={"if-match": '"1"'})
    asked = {"name": "Mornings", "jobId": job_id, "timezone": "UTC", "cron": "0 8 * * *"}
    answer = operator.post("/schedules", json=asked)
    assert answer.json()["errors"][0] == {
        "path": "jobId",
        "code": "NOT_ACTIVE",
        "message": "the job 'Welcome' is disabled; a schedule needs an active one",
    }


def test_a_viewer_looks_and_plans_nothing(
    service: RunningService, operator: httpx.Client, workspace_id: str, job_id: str
) -> None:
    made = planned(operator, job_id)
    viewer = service.client(Role.VIEWER, workspace_id=workspace_id)
    assert viewer.get(f"/schedules/{made['id']}").status_code == 200
    assert viewer.post(f"/schedules/{made['id']}/disable", headers={"if-match": '"1"'}).status_code == 403
    assert service.client(None, workspace_id=workspace_id).get(f"/schedules/{made['id']}").status_code == 404
