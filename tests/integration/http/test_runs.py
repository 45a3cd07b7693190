"""Runs over HTTP, from the confirmation to the last of the recipients."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.builders.running_jobs import RunningJobs
from tests.builders.service import RunningService, running_service

from postroad.flows.sending import ScheduledStarts
from postroad.foundation.metrics import RUN_ITEMS, RUNS
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.outcomes import Outcome
from postroad.vocabulary.roles import Role
from postroad.vocabulary.transitions import RunState

OK, BAD, UNSURE = Outcome.SUCCEEDED, Outcome.FAILED, Outcome.UNKNOWN


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One for all tests: each has a workspace of its own."""
    with running_service(tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.fixture
def jobs(service: RunningService, tmp_path: Path) -> RunningJobs:
    service.workspace_id = service.new_workspace(tmp_path.name)
    return RunningJobs(service, tmp_path)


def test_a_confirmation_shows_what_would_be_sent_and_sends_nothing(jobs: RunningJobs) -> None:
    job = jobs.job(policies={"rate": "1/s", "concurrency": {"target": 2}})

    shown = jobs.confirmed(job)

    assert (shown["recipients"], shown["jobVersion"], shown["messageRevision"]) == (3, 1, 1)
    assert (shown["rates"], shown["concurrency"], shown["estimatedSeconds"]) == ({"run": "1/1s"}, 2, 2.0)
    assert [sample["row"] for sample in shown["samples"]] == [2, 3, 4]
    assert '"Ann"' in shown["samples"][0]["parts"]["body"]
    assert (shown["sameAs"], shown["warnings"]) == (None, [])
    assert shown["expiresAt"].endswith("Z")
    assert jobs.client.get("/runs").json()["items"] == []


def test_a_confirmed_run_is_taken_once(jobs: RunningJobs) -> None:
    job = jobs.job()
    token = jobs.confirmed(job)["confirmationToken"]

    first = jobs.start(job, key="once", confirmationToken=token, reason="spring")
    again = jobs.start(job, key="once", confirmationToken=token, reason="spring")
    other = jobs.start(job, key="once", confirmationToken=token, reason="summer")
    second = jobs.start(job, key="twice", confirmationToken=token)

    assert (first.status_code, again.status_code) == (202, 200)
    assert again.json() == first.json()
    assert first.headers["location"] == first.json()["links"]["self"]
    assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_CONFLICT")
    assert (second.status_code, second.json()["code"]) == (409, "VERSION_CONFLICT")
    assert [run["id"] for run in jobs.client.get(f"/jobs/{job['id']}/runs").json()["items"]] == [first.json()["id"]]


def test_a_stale_confirmation_says_what_changed(jobs: RunningJobs) -> None:
    job = jobs.job()
    token = jobs.confirmed(job)["confirmationToken"]
    jobs.client.patch(f"/jobs/{job['id']}", json={"name": "Other"}, headers={"if-match": '"1"'})

    answer = jobs.start(job, confirmationToken=token)

    assert (answer.status_code, answer.json()["code"]) == (409, "VERSION_CONFLICT")
    assert answer.json()["current"]["changed"] == ["job"]
    assert "confirm again" in answer.json()["detail"]


def test_a_start_without_confirmation_or_key_is_refused(jobs: RunningJobs) -> None:
    job = jobs.job()

    bare = jobs.start(job)
    keyless = jobs.client.post(f"/jobs/{job['id']}/runs", json={"dryRun": True})

    assert (bare.status_code, bare.json()["errors"][0]["path"]) == (400, "confirmationToken")
    assert (keyless.status_code, keyless.json()["errors"][0]["path"]) == (400, "Idempotency-Key")


def test_overrides_that_are_too_free_are_named_with_their_paths(jobs: RunningJobs) -> None:
    job = jobs.job(policies={"concurrency": {"min": 1, "max": 8, "target": 4}})

    answer = jobs.client.post(
        f"/jobs/{job['id']}/run-confirmation", json={"policyOverrides": {"concurrency": {"max": 9}}}
    )

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["path"] == "policyOverrides.concurrency.max"
    assert "1..8" in answer.json()["errors"][0]["message"]


def test_a_run_is_shown_in_full(jobs: RunningJobs) -> None:
    job = jobs.job()
    run = jobs.started(job)
    leased = jobs.begun(run["id"])
    jobs.tell(leased, 1, Counts(3, succeeded=1))

    answer = jobs.client.get(f"/runs/{run['id']}")

    shown = answer.json()
    assert answer.headers["etag"] == f'"{shown["version"]}"'
    assert (shown["state"], shown["jobName"], shown["dryRun"]) == ("RUNNING", job["name"], False)
    assert (shown["counts"]["total"], shown["counts"]["succeeded"], shown["counts"]["open"]) == (3, 1, 2)
    assert (shown["inFlight"], shown["perSecond"]) == (1, 2.5)
    assert shown["allowedCommands"] == ["pause", "cancel", "concurrency", "rate"]
    assert (shown["snapshot"]["messageRevision"], len(shown["snapshot"]["hash"])) == (1, 64)
    assert [(shard["number"], shard["state"]) for shard in shown["shards"]] == [(0, "RUNNING")]
    assert (shown["leases"][0]["workerId"], shown["leases"][0]["shard"]) == ("worker-1", 0)
    assert leased.fence.token not in answer.text
    assert (shown["artifacts"], shown["hasResults"], shown["endedAt"]) == ([], False, None)


def test_runs_are_listed_by_state_job_source_and_time(jobs: RunningJobs) -> None:
    job, other = jobs.job(), jobs.job()
    first, second = jobs.started(job), jobs.started(other)
    jobs.begun(first["id"])
    dry = jobs.start(job, dryRun=True).json()

    def found(**query: object) -> list[str]:
        return [run["id"] for run in jobs.client.get("/runs", params=query).json()["items"]]

    assert found() == [dry["id"], second["id"], first["id"]]
    assert found(jobId=job["id"]) == [dry["id"], first["id"]]
    assert found(state="RUNNING") == [first["id"]]
    assert found(state=["RUNNING", "LEASED"]) == [second["id"], first["id"]]
    assert found(dryRun=True) == [dry["id"]]
    assert found(sourceRunId=first["id"]) == []
    assert found(createdBefore=first["createdAt"]) == []
    page = jobs.client.get("/runs", params={"limit": 2}).json()
    cursor = page["page"]["nextCursor"]
    assert found(limit=2, cursor=cursor) == [first["id"]]
    foreign = jobs.client.get("/runs", params={"limit": 2, "cursor": cursor, "state": "RUNNING"})
    assert foreign.status_code == 400


def test_a_run_of_another_workspace_is_not_there(jobs: RunningJobs, service: RunningService) -> None:
    run = jobs.started(jobs.job())
    elsewhere = service.client(Role.ADMIN, workspace_id=service.new_workspace("Other"))

    for path in ("", "/events", "/items", "/artifacts", "/receipt"):
        assert elsewhere.get(f"/runs/{run['id']}{path}").status_code == 404


def test_commands_are_taken_repeated_and_refused(jobs: RunningJobs) -> None:
    run = jobs.started(jobs.job())
    leased = jobs.begun(run["id"])

    first = jobs.steer(run["id"], "pause", key="once")
    again = jobs.steer(run["id"], "pause", key="once")
    refused = jobs.steer(run["id"], "concurrency", target=1000)
    jobs.tell(leased, 1, Counts(3), RunState.PAUSED)
    too_late = jobs.steer(run["id"], "pause", key="late")
    repeated = jobs.steer(run["id"], "pause", key="late")

    assert (first.status_code, first.json()["state"]) == (202, "ACCEPTED")
    assert (again.status_code, again.json()) == (200, first.json())
    assert (refused.status_code, refused.json()["code"]) == (400, "VALIDATION_FAILED")
    assert "1..64" in refused.json()["detail"]
    assert (too_late.status_code, too_late.json()["state"]) == (409, "REJECTED")
    assert "PAUSED" in too_late.json()["message"]
    assert (repeated.status_code, repeated.json()) == (409, too_late.json())


def test_every_command_has_its_route(jobs: RunningJobs) -> None:
    run = jobs.started(jobs.job())
    jobs.begun(run["id"])

    answers = [
        jobs.steer(run["id"], "concurrency", target=5),
        jobs.steer(run["id"], "rate", key="k", rate="5/s"),
        jobs.steer(run["id"], "pause"),
        jobs.steer(run["id"], "resume"),
        jobs.steer(run["id"], "cancel", reason="enough"),
    ]

    assert [answer.status_code for answer in answers] == [202] * 5
    shown = jobs.client.get(f"/runs/{run['id']}").json()
    assert (shown["state"], shown["concurrency"], shown["rates"]) == ("CANCELLING", 5, {"run": "5/1s"})
    assert (shown["isEnding"], shown["allowedCommands"]) == (True, [])
    assert [command["kind"] for command in shown["commands"]][::-1] == [
        "concurrency",
        "rate",
        "pause",
        "resume",
        "cancel",
    ]


def test_a_cancelled_run_that_nobody_began_has_ended(jobs: RunningJobs) -> None:
    run = jobs.started(jobs.job())

    answer = jobs.steer(run["id"], "cancel")

    assert (answer.status_code, answer.json()["state"]) == (202, "APPLIED")
    shown = jobs.client.get(f"/runs/{run['id']}").json()
    assert (shown["state"], shown["counts"]["unsent"]) == ("CANCELLED", 3)


def test_who_got_it_is_answered_by_name(jobs: RunningJobs) -> None:
    run = jobs.started(jobs.job())
    before = jobs.client.get(f"/runs/{run['id']}/items").json()
    jobs.work(run["id"], {0: OK, 1: BAD, 2: UNSURE})

    everybody = jobs.client.get(f"/runs/{run['id']}/items").json()

    assert (before["items"], before["isComplete"]) == ([], False)
    assert [(item["outcome"], item["fields"]["name"]) for item in everybody["items"]] == [
        ("SUCCEEDED", "Ann"),
        ("FAILED", "Bob"),
        ("UNKNOWN", "Cyd"),
    ]
    assert (everybody["isComplete"], everybody["page"]["hasMore"]) == (True, False)

    def names(**query: object) -> list[str]:
        answer = jobs.client.get(f"/runs/{run['id']}/items", params=query)
        return [item["fields"]["name"] for item in answer.json()["items"]]

    assert names(outcome="FAILED") == ["Bob"]
    assert names(outcome=["FAILED", "UNKNOWN"]) == ["Bob", "Cyd"]
    assert names(text="cy") == ["Cyd"]
    assert names(first=1, end=2) == ["Bob"]


def test_items_come_page_by_page(jobs: RunningJobs) -> None:
    run = jobs.started(jobs.job())
    jobs.work(run["id"], {0: OK, 1: OK, 2: OK})
    path = f"/runs/{run['id']}/items"

    first = jobs.client.get(path, params={"limit": 2}).json()
    second = jobs.client.get(path, params={"limit": 2, "cursor": first["page"]["nextCursor"]}).json()
    foreign = jobs.client.get(path, params={"cursor": first["page"]["nextCursor"], "text": "a"})

    assert [item["sequence"] for item in first["items"] + second["items"]] == [0, 1, 2]
    assert second["page"]["hasMore"] is False
    assert foreign.status_code == 400
    assert jobs.client.get(path, params={"limit": 501}).status_code == 400
    assert jobs.client.get(path, params={"first": 5, "end": 2}).status_code == 400


def test_the_files_of_a_run_can_be_taken_away(jobs: RunningJobs) -> None:
    run = jobs.started(jobs.job())
    assert jobs.client.get(f"/runs/{run['id']}/receipt").json()["code"] == "ARTIFACT_NOT_READY"
    jobs.work(run["id"], {0: OK, 1: BAD, 2: OK})

    files = {file["name"]: file for file in jobs.client.get(f"/runs/{run['id']}/artifacts").json()}

    assert {"results", "receipt", "succeeded", "failed", "unknown", "unsent", "skipped"} == set(files)
    content = jobs.client.get(f"{jobs.service.url}{files['failed']['links']['content']}")
    assert "Bob" in content.text
    receipt = jobs.client.get(f"/runs/{run['id']}/receipt").json()
    assert receipt["body"]["runId"] == run["id"]


def test_a_chosen_part_is_exported_as_a_file(jobs: RunningJobs) -> None:
    run = jobs.started(jobs.job("name\n=Ann\nBob\n"))
    jobs.work(run["id"], {0: BAD, 1: OK})

    made = jobs.client.post(f"/runs/{run['id']}/artifacts/result-export", json={"outcomes": ["FAILED"]})

    assert made.status_code == 201
    content = jobs.client.get(f"{jobs.service.url}{made.json()['links']['content']}").text
    assert "'=Ann" in content
    assert "Bob" not in content


def test_a_resend_is_counted_confirmed_and_linked(jobs: RunningJobs) -> None:
    run = jobs.started(jobs.job())
    jobs.work(run["id"], {0: OK, 1: BAD, 2: UNSURE})
    outcomes = {"outcomes": ["FAILED", "UNKNOWN"]}

    shown = jobs.client.post(f"/runs/{run['id']}/retry-confirmation", json=outcomes).json()
    body = {**outcomes, "confirmationToken": shown["confirmationToken"]}
    started = jobs.client.post(f"/runs/{run['id']}/retries", json=body, headers={"idempotency-key": "again"})
    repeated = jobs.client.post(f"/runs/{run['id']}/retries", json=body, headers={"idempotency-key": "again"})

    assert (shown["counts"], shown["recipients"]) == ({"FAILED": 1, "UNKNOWN": 1}, 2)
    assert "may have got the message already" in shown["warnings"][0]
    assert (started.status_code, started.json()["total"], started.json()["sourceRunId"]) == (202, 2, run["id"])
    assert (repeated.status_code, repeated.json()) == (200, started.json())
    listed = jobs.client.get("/runs", params={"sourceRunId": run["id"]}).json()["items"]
    assert [one["id"] for one in listed] == [started.json()["id"]]
    assert listed[0]["sourceOutcomes"] == ["FAILED", "UNKNOWN"]


def test_what_cannot_be_sent_again_is_refused(jobs: RunningJobs) -> None:
    run = jobs.started(jobs.job())
    path = f"/runs/{run['id']}/retry-confirmation"
    too_early = jobs.client.post(path, json={"outcomes": ["FAILED"]})
    jobs.work(run["id"], {0: OK, 1: OK, 2: OK})

    assert (too_early.status_code, too_early.json()["code"]) == (409, "RUN_STATE_CONFLICT")
    assert jobs.client.post(path, json={"outcomes": ["SUCCEEDED"]}).status_code == 400
    assert jobs.client.post(path, json={"outcomes": []}).status_code == 400
    assert jobs.client.post(path, json={"outcomes": ["FAILED"]}).json()["code"] == "STATE_CONFLICT"


def test_events_are_listed_from_where_the_reader_stands(jobs: RunningJobs) -> None:
    run = jobs.started(jobs.job())
    jobs.work(run["id"], {0: OK, 1: OK, 2: OK})
    path = f"/runs/{run['id']}/events"

    first = jobs.client.get(path, params={"limit": 2}).json()
    rest = jobs.client.get(path, params={"after": first["reached"], "limit": 500}).json()

    states = [event["payload"]["to"] for event in first["items"] + rest["items"] if event["type"] == "state"]
    assert states == ["PENDING", "LEASED", "RUNNING", "SUCCEEDED"]
    assert (first["hasMore"], rest["hasMore"], rest["isLast"]) == (True, False, True)


def test_a_watcher_hears_a_run_to_its_end_and_can_come_back(jobs: RunningJobs) -> None:
    run = jobs.started(jobs.job())
    jobs.work(run["id"], {0: OK, 1: OK, 2: OK})
    accept = {"accept": "text/event-stream"}

    with jobs.client.stream("GET", f"/runs/{run['id']}/events", headers=accept) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        everything = answer.read().decode()
    with jobs.client.stream("GET", f"/runs/{run['id']}/events", headers={**accept, "last-event-id": "3"}) as answer:
        rest = answer.read().decode()

    assert everything.startswith("retry:")
    assert "id: 1\nevent: state\ndata: {" in everything
    assert '"to":"SUCCEEDED"' in everything
    assert "id: 3\n" not in rest
    assert "id: 4\n" in rest


def test_a_watcher_of_a_run_that_goes_on_hears_at_once(jobs: RunningJobs) -> None:
    run = jobs.started(jobs.job())
    jobs.begun(run["id"])
    accept = {"accept": "text/event-stream", "last-event-id": "0"}

    with jobs.client.stream("GET", f"/runs/{run['id']}/events", headers=accept) as answer:
        lines = answer.iter_lines()
        assert any('"to":"RUNNING"' in line for line in lines)
        jobs.steer(run["id"], "pause")
        assert any(line == "event: command" for line in lines)


def test_a_program_needs_the_scope_of_what_it_does(jobs: RunningJobs, service: RunningService) -> None:
    job = jobs.job()
    reader = service.program(Role.OPERATOR, ["runs:read"])
    starter = service.program(Role.OPERATOR, ["runs:start"])

    denied = jobs.start(job, client=reader, dryRun=True)
    taken = jobs.start(job, client=starter, dryRun=True)

    assert (denied.status_code, taken.status_code) == (403, 202)
    assert reader.get(f"/runs/{taken.json()['id']}").status_code == 200
    assert starter.get(f"/runs/{taken.json()['id']}").status_code == 403


def test_a_viewer_looks_and_starts_nothing(jobs: RunningJobs, service: RunningService) -> None:
    job = jobs.job()
    run = jobs.started(job)
    viewer = service.client(Role.VIEWER)

    assert viewer.get(f"/runs/{run['id']}").status_code == 200
    assert jobs.start(job, client=viewer, dryRun=True).status_code == 403
    key = {"idempotency-key": "k"}
    assert viewer.post(f"/runs/{run['id']}/commands/cancel", headers=key).status_code == 403


def test_an_ended_run_is_counted(jobs: RunningJobs, service: RunningService) -> None:
    metrics = service.composition.metrics
    ended = {"state": "PARTIAL", "provider": "http"}
    reached = {"result": "succeeded", "provider": "http"}
    before = (metrics.value(RUNS, **ended), metrics.value(RUN_ITEMS, **reached))

    run = jobs.started(jobs.job())
    jobs.work(run["id"], {0: OK, 1: BAD, 2: OK})

    assert (metrics.value(RUNS, **ended), metrics.value(RUN_ITEMS, **reached)) == (before[0] + 1, before[1] + 2)


def test_schedules_have_somebody_who_makes_their_runs(service: RunningService) -> None:
    assert isinstance(service.composition.firer(), ScheduledStarts)


def test_unknown_fields_and_wrong_types_are_named(jobs: RunningJobs) -> None:
    job = jobs.job()
    answer: httpx.Response = jobs.start(job, dryrun=True)

    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "dryrun")
