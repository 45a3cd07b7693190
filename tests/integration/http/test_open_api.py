"""Jobs that programs start over the open API."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.builders.databases import HandClock
from tests.builders.running_jobs import RunningJobs
from tests.builders.service import RunningService, running_service

from postroad.vocabulary.roles import Role

MARKED = {"openApi": {"enabled": True, "recipientCap": 3}}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One for all tests: each has a workspace of its own."""
    with running_service(tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.fixture
def jobs(service: RunningService, tmp_path: Path) -> RunningJobs:
    service.workspace_id = service.new_workspace(tmp_path.name)
    return RunningJobs(service, tmp_path)


@pytest.fixture
def program(service: RunningService, jobs: RunningJobs) -> httpx.Client:
    return service.program(Role.OPERATOR, ["jobs:run"])


def _run(
    client: httpx.Client, service: RunningService, job_id: str, key: str | None = "once", **body: Any
) -> httpx.Response:
    headers = {} if key is None else {"idempotency-key": key}
    return client.post(f"{service.api}/open/jobs/{job_id}/run", json=body or None, headers=headers)


def test_a_program_starts_a_marked_job_once(service: RunningService, jobs: RunningJobs, program: httpx.Client) -> None:
    job = jobs.job(**MARKED)

    first = _run(program, service, job["id"], reason="order 7")
    again = _run(program, service, job["id"], reason="order 7")
    other = _run(program, service, job["id"], reason="order 8")

    assert (first.status_code, again.status_code) == (202, 200)
    assert again.json() == first.json()
    assert (first.json()["total"], first.json()["dryRun"]) == (3, False)
    assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_CONFLICT")
    assert [run["id"] for run in jobs.client.get("/runs").json()["items"]] == [first.json()["id"]]
    assert "x-postroad-token-expires" not in first.headers


def test_a_call_without_a_body_or_without_a_key(
    service: RunningService, jobs: RunningJobs, program: httpx.Client
) -> None:
    job = jobs.job(**MARKED)

    keyless = _run(program, service, job["id"], key=None)

    assert (keyless.status_code, keyless.json()["errors"][0]["path"]) == (400, "Idempotency-Key")
    assert _run(program, service, job["id"]).status_code == 202


def test_an_unmarked_job_looks_as_one_that_is_not_there(
    service: RunningService, jobs: RunningJobs, program: httpx.Client
) -> None:
    unmarked, missing = (_run(program, service, job_id) for job_id in (jobs.job()["id"], "missing"))

    assert (unmarked.status_code, missing.status_code) == (404, 404)
    assert unmarked.json()["detail"] == missing.json()["detail"]


def test_a_job_of_another_workspace_is_not_there(service: RunningService, jobs: RunningJobs, tmp_path: Path) -> None:
    job = jobs.job(**MARKED)
    service.workspace_id = service.new_workspace("elsewhere")

    answer = _run(service.program(Role.ADMIN, ["jobs:run"]), service, job["id"])

    assert answer.status_code == 404


def test_more_recipients_than_the_job_allows_start_nothing(
    service: RunningService, jobs: RunningJobs, program: httpx.Client
) -> None:
    job = jobs.job(people="name\nAnn\nBob\nCyd\nDan\n", **MARKED)

    answer = _run(program, service, job["id"])

    assert (answer.status_code, answer.json()["code"]) == (409, "QUOTA_EXCEEDED")
    assert jobs.client.get("/runs").json()["items"] == []


def test_a_session_is_refused_even_of_who_may_start_the_job(service: RunningService, jobs: RunningJobs) -> None:
    answer = _run(jobs.client, service, jobs.job(**MARKED)["id"])

    assert (answer.status_code, answer.json()["code"]) == (403, "ACCESS_DENIED")


def test_a_token_in_a_query_or_of_a_wrong_form_is_refused(service: RunningService, jobs: RunningJobs) -> None:
    url = f"{service.api}/open/jobs/{jobs.job(**MARKED)['id']}/run"
    text = "pst_" + "x" * 48

    in_query = service.outside.post(f"{url}?token={text}", headers={"idempotency-key": "a"})
    bent = service.outside.post(url, headers={"idempotency-key": "a", "authorization": f"Bearer {text}"})

    assert (in_query.status_code, bent.status_code) == (401, 401)
    assert "copied whole" in bent.json()["detail"]


def test_the_end_of_a_token_is_announced(service: RunningService, jobs: RunningJobs) -> None:
    job = jobs.job(**MARKED)
    made = jobs.client.post("/api-tokens", json={"name": "short", "scopes": ["jobs:run"], "expiresInDays": 3}).json()

    with httpx.Client(headers={"authorization": f"Bearer {made['token']}"}, trust_env=False) as client:
        answer = _run(client, service, job["id"])

    assert answer.headers["x-postroad-token-expires"] == made["expiresAt"]


def test_refused_calls_stand_in_the_audit(service: RunningService, jobs: RunningJobs, program: httpx.Client) -> None:
    _run(program, service, "missing")

    listed = service.client(Role.ADMIN).get("/audit-events", params={"action": "open_call.*"}).json()["items"]

    assert [(one["result"], one["details"]["code"]) for one in listed] == [("DENIED", "RESOURCE_NOT_FOUND")]
    assert listed[0]["details"]["path"] == "/api/v1/open/jobs/{jobId}/run"


def test_ten_refused_calls_disable_a_token_once_and_its_owner_enables_it(
    service: RunningService, jobs: RunningJobs
) -> None:
    job = jobs.job(**MARKED)
    made = jobs.client.post("/api-tokens", json={"name": "wild", "scopes": ["jobs:run"]}).json()
    with httpx.Client(headers={"authorization": f"Bearer {made['token']}"}, trust_env=False) as client:
        nine = [_run(client, service, "missing").status_code for _ in range(9)]
        still = _run(client, service, job["id"])
        tenth = _run(client, service, "missing", key="third").status_code
        after = _run(client, service, job["id"], key="two")
        disabled = jobs.client.get(f"/api-tokens/{made['id']}").json()
        foreign = service.client(Role.ADMIN).post(f"/api-tokens/{made['id']}/enable")
        enabled = jobs.client.post(f"/api-tokens/{made['id']}/enable")
        again = _run(client, service, job["id"], key="two")

    assert (set(nine), still.status_code, tenth) == ({404}, 202, 404)
    assert (after.status_code, disabled["status"], disabled["version"]) == (401, "DISABLED", 2)
    assert (foreign.status_code, enabled.status_code, enabled.json()["status"]) == (404, 200, "ACTIVE")
    assert again.status_code == 202
    told = service.client(Role.ADMIN).get("/audit-events", params={"action": "token.disable"}).json()["items"]
    assert [one["resourceId"] for one in told] == [made["id"]]


def test_a_token_may_call_sixty_times_a_minute_and_too_many_calls_do_not_disable_it(
    tmp_path: Path,
) -> None:
    with running_service(tmp_path, clock=HandClock()) as service:
        program = service.program(Role.OPERATOR, ["jobs:run"])
        for _ in range(60):
            service.composition.open_calls.take(_principal(service, program))

        answers = [_run(program, service, "missing") for _ in range(11)]

        assert {answer.status_code for answer in answers} == {429}
        assert int(answers[0].headers["retry-after"]) >= 1
        assert program.get(f"{service.api}/me").status_code == 200


def _principal(service: RunningService, program: httpx.Client) -> Any:
    from postroad.entrypoints.http.composition import Presented
    from postroad.vocabulary.secret import Secret

    token = program.headers["authorization"].removeprefix("Bearer ")
    return service.composition.authenticate(Presented(token=Secret(token)))
