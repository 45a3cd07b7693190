"""From a job file to the results of a run, against a receiver that counts."""

import json
from collections.abc import Iterator

import pytest
from tests.behaviour.cli.office import Office
from tests.behaviour.remote.desk import SignIn, keep
from tests.builders.http_receiver import CUT_AFTER, HANG, HttpReceiver
from tests.builders.pages import DOCS
from tests.builders.service import RunningService
from tests.e2e.program import Said, write_job, write_people

from postroad.vocabulary.roles import Role

FATES = {"bad": "400", "cut": CUT_AFTER}


@pytest.fixture(scope="module")
def receiver() -> Iterator[HttpReceiver]:
    with HttpReceiver(lambda recipient, _copy: FATES.get(recipient, "200")) as found:
        yield found


@pytest.fixture
def office(desk: SignIn, office: Office) -> Office:
    return desk(Role.OPERATOR)


def refused(said: Said, code: int = 2) -> str:
    assert said.code == code, said
    assert sum(line.startswith("error: ") for line in said.err.splitlines()) == 1, said.err
    assert "Traceback" not in said.err
    return said.err


def pushed(office: Office, receiver: HttpReceiver, name: str, *people: str, **changes: object) -> Said:
    write_people(office.folder, *(people or ("p1", "p2")))
    write_job(office.folder, receiver.port, name=name, **changes)
    return office.run("jobs", "push", "job.yaml", "--json")


def outcomes(said: Said) -> dict[str, str]:
    return {part: said.last_object[part]["outcome"] for part in ("audience", "account", "message", "job")}


def test_a_job_file_becomes_a_job_and_pushing_it_again_changes_nothing(office: Office, receiver: HttpReceiver) -> None:
    first = pushed(office, receiver, "pushed")
    assert first.code == 0, first.err
    assert set(outcomes(first).values()) == {"CREATED"}
    assert "postroad jobs run pushed" in office.run("jobs", "push", "job.yaml").err
    again = office.run("jobs", "push", "job.yaml", "--json")
    assert set(outcomes(again).values()) == {"UNCHANGED"}
    write_people(office.folder, "p1", "p2", "p3")
    grown = office.run("jobs", "push", "job.yaml", "--json")
    assert outcomes(grown) == {
        "audience": "CHANGED",
        "account": "UNCHANGED",
        "message": "UNCHANGED",
        "job": "UNCHANGED",
    }
    write_job(office.folder, receiver.port, name="pushed", message={"path": "/to/{{ id }}", "method": "PUT"})
    revised = office.run("jobs", "push", "job.yaml", "--json")
    assert outcomes(revised)["message"] == "CHANGED"
    assert revised.last_object["message"]["revision"] == 2


def test_secrets_at_hand_are_set_by_a_push_and_the_others_are_named(
    office: Office, receiver: HttpReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = {
        "baseUrl": f"http://127.0.0.1:{receiver.port}",
        "auth": {"type": "BEARER", "token": {"$secret": "push-token"}},
    }
    lacking = pushed(office, receiver, "secretive", account=account)
    assert "POSTROAD_SECRET_PUSH_TOKEN" in lacking.err
    started = office.run("jobs", "run", "secretive", "--yes")
    assert "push-token" in refused(started)
    monkeypatch.setenv("POSTROAD_SECRET_PUSH_TOKEN", "the-token-itself")
    given = office.run("jobs", "push", "job.yaml", "--json")
    assert given.last_object["secrets"] == ["push-token"]
    assert "the-token-itself" not in given.out + given.err
    assert outcomes(given)["account"] == "CHANGED"


def test_made_up_recipients_need_no_file(office: Office, receiver: HttpReceiver) -> None:
    write_job(office.folder, receiver.port, name="made-up", audience={"count": 12})
    first = office.run("jobs", "push", "job.yaml", "--json")
    assert first.last_object["audience"]["recordCount"] == 12
    assert outcomes(office.run("jobs", "push", "job.yaml", "--json"))["audience"] == "UNCHANGED"


@pytest.mark.parametrize(
    ("changes", "hint"),
    [
        ({"account": {"baseUrl": "http://10.1.2.3"}}, "job.account"),
        ({"message": {"path": "/to/{{ id"}}, "job.message.path"),
        ({"policies": {"rate": 3}}, "policies.rate"),
        ({"polices": {}}, "did you mean `policies`?"),
        ({"provider": "pigeon"}, "pigeon"),
        ({"audience": {"file": "nobody.csv"}}, "there is no file"),
    ],
    ids=["a private address", "a template", "a policy", "an unknown key", "an unknown channel", "no file"],
)
def test_a_bad_job_file_is_refused_where_it_says_it(
    office: Office, receiver: HttpReceiver, changes: dict[str, object], hint: str
) -> None:
    assert hint in refused(pushed(office, receiver, "bad job", **changes))
    assert office.run("jobs", "list", "--name", "bad job", "--json").last_object["items"] == []


def test_a_run_is_confirmed_watched_and_ends_as_a_send_does(office: Office, receiver: HttpReceiver) -> None:
    pushed(office, receiver, "mixed", "m1", "bad", "cut")
    said = office.run("jobs", "run", "mixed", "--yes", "--json")
    assert said.code == 3, said.err
    counts = said.last_object["counts"]
    assert [counts[name] for name in ("succeeded", "failed", "unknown", "unsent", "skipped")] == [1, 1, 1, 0, 0]
    assert "The first message:" in said.err
    assert "is taken: recipients 3" in said.err
    assert f"postroad runs resend {said.last_object['id']} --only failed" in said.err
    run_id = said.last_object["id"]

    failed = office.run("runs", "items", run_id, "--only", "failed")
    assert "bad" in failed.out
    assert "HTTP_400" in failed.out
    assert "m1" not in failed.out
    assert office.run("runs", "items", run_id, "--only", "unknown", "--out", "unknown.csv").code == 0
    assert "cut" in (office.folder / "unknown.csv").read_text()

    assert office.run("runs", "results", run_id, "--out", "results").code == 0
    names = {file.name for file in (office.folder / "results").iterdir()}
    assert names >= {"results.parquet", "summary.json", "receipt.json", "failed.csv"}
    assert json.loads((office.folder / "results" / "summary.json").read_bytes())

    again = office.run("runs", "resend", run_id, "--only", "failed", "--yes", "--json")
    assert again.code == 3, again.err
    assert (again.last_object["sourceRunId"], again.last_object["counts"]["total"]) == (run_id, 1)
    assert receiver.copies["bad"] == 2
    assert receiver.copies["cut"] == 1


def test_everybody_reached_ends_with_0_and_the_very_same_is_not_sent_twice(
    office: Office, receiver: HttpReceiver
) -> None:
    pushed(office, receiver, "once", "o1", "o2")
    assert office.run("jobs", "run", "once", "--yes").code == 0
    twice = office.run("jobs", "run", "once", "--yes")
    assert "--again" in refused(twice)
    assert receiver.copies["o1"] == 1
    assert office.run("jobs", "run", "once", "--yes", "--again").code == 0
    assert receiver.copies["o1"] == 2


def test_a_dry_run_sends_nothing_and_its_hash_confirms_the_run(office: Office, receiver: HttpReceiver) -> None:
    pushed(office, receiver, "rehearsed", "r1", "r2")
    rehearsed = office.run("jobs", "run", "rehearsed", "--dry-run")
    assert rehearsed.code == 0, rehearsed.err
    assert "Rehearsed; nothing was sent." in rehearsed.err
    assert receiver.copies["r1"] == 0
    hash_hex = rehearsed.out.strip().splitlines()[-1]
    assert "the confirmed hash is" in refused(office.run("jobs", "run", "rehearsed", "--confirm", "0" * 16))
    assert "the confirmed hash is" in refused(office.run("jobs", "run", "rehearsed", "--confirm", hash_hex[:4]))
    assert receiver.copies["r1"] == 0
    assert office.run("jobs", "run", "rehearsed", "--confirm", hash_hex[:12]).code == 0
    assert receiver.copies["r1"] == 1


def test_nobody_there_to_ask_sends_nothing(office: Office, receiver: HttpReceiver) -> None:
    pushed(office, receiver, "unasked", "u1")
    assert "give --yes" in refused(office.run("jobs", "run", "unasked"))
    assert office.run("runs", "list", "--job", "unasked", "--json").last_object["items"] == []


def test_a_detached_run_is_paused_slowed_resumed_and_cancelled(office: Office) -> None:
    with HttpReceiver(lambda _recipient, _copy: HANG) as receiver:
        pushed(office, receiver, "steered", *(f"s{n}" for n in range(6)), policies={"concurrency": 1})
        begun = office.run("jobs", "run", "steered", "--yes", "--detach", "--json")
        assert begun.code == 0, begun.err
        run_id = begun.last_object["id"]
        receiver.wait_for(1)
        for words in (("pause",), ("concurrency", "1"), ("rate", "20/s"), ("resume",)):
            said = office.run("runs", words[0], run_id, *words[1:], "--json")
            assert said.code == 0, said.err
            assert said.last_object["kind"] == words[0]
        assert office.run("runs", "show", run_id, "--json").last_object["counts"]["open"] > 0
        assert office.run("runs", "cancel", run_id, "--reason", "wrong people").code == 0
        receiver.release()
        watched = office.run("runs", "watch", run_id, "--json")
    assert watched.code == 4, watched.err
    assert watched.last_object["state"] == "CANCELLED"
    assert "the run refused `pause`" in refused(office.run("runs", "pause", run_id))


def test_a_word_for_looking_ends_no_run(office: Office, receiver: HttpReceiver) -> None:
    pushed(office, receiver, "latest", "l1")
    office.run("jobs", "run", "latest", "--yes")
    assert office.run("runs", "show", "latest").code == 0
    assert office.run("runs", "watch").code == 0
    assert "is no id of a run" in refused(office.run("runs", "cancel", "latest"))
    assert "is no id of a run" in refused(office.run("runs", "resend", "latest", "--only", "failed", "--yes"))
    missing = "01a22ead-2755-79eb-ac95-f8c6cb5b858b"
    assert f"there is no run {missing}" in refused(office.run("runs", "show", missing))


def test_runs_alone_are_the_sends_of_this_machine_signed_in_or_not(office: Office, receiver: HttpReceiver) -> None:
    pushed(office, receiver, "served", "s1")
    office.run("jobs", "run", "served", "--yes")
    assert "No sends yet" in office.run("runs").out
    assert "served" in office.run("runs", "list").out
    assert office.run("runs", "--json").out.strip() == "[]"
    assert "behind `list`" in refused(office.run("runs", "--json", "list"))
    office.run("logout")
    assert office.run("runs").code == 0
    assert "nobody is signed in" in refused(office.run("runs", "list"))


def test_a_start_whose_answer_is_lost_is_asked_again_and_is_one_run(
    office: Office, receiver: HttpReceiver, service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    from postroad.egress import Fault, StreamFailed
    from postroad.egress.calls import Calls
    from postroad.entrypoints.cli.remote.sending import starting

    pushed(office, receiver, "lost answer", "a1")
    real, lost = Calls.call, []

    def call(self: Calls, method: str, path: str, **more: object) -> object:
        answer = real(self, method, path, **more)  # type: ignore[arg-type]
        if path.endswith("/runs") and method == "POST" and not lost:
            lost.append(answer)
            raise StreamFailed(Fault.RESET, "the connection ended before the answer")
        return answer

    monkeypatch.setattr(Calls, "call", call)
    monkeypatch.setattr(starting, "_PAUSE_S", 0.01)
    said = office.run("jobs", "run", "lost answer", "--yes", "--json")
    assert said.code == 0, said.err
    assert len(lost) == 1
    assert receiver.copies["a1"] == 1
    assert len(office.run("runs", "list", "--job", "lost answer", "--json").last_object["items"]) == 1


def test_schedules_are_planned_looked_at_and_ended(office: Office, receiver: HttpReceiver) -> None:
    pushed(office, receiver, "planned")
    plan = ("--job", "planned", "--cron", "0 9 * * MON-FRI", "--timezone", "Asia/Shanghai")
    made = office.run("schedules", "create", "mornings", *plan)
    assert made.code == 0, made.err
    times = made.out.strip().splitlines()
    assert len(times) == 10
    assert all(time.endswith("T09:00:00+08:00") for time in times)
    assert office.run("schedules", "preview", *plan[2:]).out.splitlines() == times
    assert office.run("schedules", "preview", "mornings").out.splitlines() == times
    assert "planned" in office.run("schedules", "show", "mornings").out
    assert "0 9 * * MON-FRI" in office.run("schedules", "list", "--job", "planned").out
    assert "mornings" in refused(office.run("jobs", "archive", "planned"))
    assert office.run("schedules", "disable", "mornings", "--json").last_object["status"] == "DISABLED"
    assert office.run("schedules", "enable", "mornings", "--json").last_object["status"] == "ENABLED"
    assert office.run("schedules", "delete", "mornings", "--json").last_object["status"] == "ARCHIVED"
    assert office.run("jobs", "archive", "planned").code == 0
    assert "IANA time zone" in refused(office.run("schedules", "preview", "--cron", "* * * * *", "--timezone", "Mars"))
    assert "--timezone" in refused(office.run("schedules", "preview"))


def test_a_job_is_disabled_and_enabled(office: Office, receiver: HttpReceiver) -> None:
    pushed(office, receiver, "switched")
    assert office.run("jobs", "disable", "switched").code == 0
    assert "DISABLED" in refused(office.run("jobs", "run", "switched", "--yes"))
    assert office.run("jobs", "enable", "switched").code == 0
    shown = office.run("jobs", "show", "switched")
    assert "latest revision" in shown.out
    assert "policies" in shown.out


def test_what_a_viewer_may_not_start_is_refused(
    office: Office, service: RunningService, receiver: HttpReceiver
) -> None:
    pushed(office, receiver, "forbidden", "f1")
    keep(office, service, service.client(Role.VIEWER).headers["cookie"])
    assert "does not allow it" in refused(office.run("jobs", "run", "forbidden", "--yes"))
    assert receiver.copies["f1"] == 0


def test_files_in_the_way_are_kept(office: Office, receiver: HttpReceiver) -> None:
    pushed(office, receiver, "kept files", "k1")
    run_id = office.run("jobs", "run", "kept files", "--yes", "--json").last_object["id"]
    line = ("runs", "results", run_id, "--out", "here", "--file", "summary")
    assert office.run(*line).code == 0
    assert {file.name for file in (office.folder / "here").iterdir()} == {"summary.json"}
    assert "--force" in refused(office.run(*line))
    assert office.run(*line, "--force").code == 0
    assert "there is no file nonsense" in refused(office.run(*line[:-1], "nonsense"))
    (office.folder / "file").write_text("x")
    assert "Not a directory" in refused(office.run("runs", "results", run_id, "--out", "file/below"))


@pytest.mark.parametrize(
    ("scopes", "words"),
    [
        (
            "accounts:read accounts:write messages:write audiences:read audiences:write jobs:write secrets:write",
            ("jobs", "push", "job.yaml"),
        ),
        ("jobs:read runs:start runs:read", ("jobs", "run", "by token", "--yes", "--again")),
        ("runs:read artifacts:read", ("runs", "results", "latest", "--out", "results")),
    ],
    ids=["pushes", "starts", "reports"],
)
def test_the_scopes_that_the_documentation_names_suffice(
    office: Office,
    service: RunningService,
    receiver: HttpReceiver,
    monkeypatch: pytest.MonkeyPatch,
    scopes: str,
    words: tuple[str, ...],
) -> None:
    page = (DOCS / "explanation" / "trust.md").read_text(encoding="utf-8")
    assert f"`{scopes}`" in page
    pushed(office, receiver, "by token", "t1")
    office.run("jobs", "run", "by token", "--yes", "--again")
    (office.folder / "people.csv").write_text("id,name\nt1,T\nt2,U\n")
    program = service.program(Role.OPERATOR, scopes.split())
    monkeypatch.setenv("POSTROAD_TOKEN", program.headers["authorization"].removeprefix("Bearer "))
    monkeypatch.setenv("POSTROAD_URL", service.url)
    said = office.run(*words)
    assert said.code == 0, said.err
