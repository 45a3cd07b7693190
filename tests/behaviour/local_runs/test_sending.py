"""A send from its job file to its receipt, with the real provider, engine, journal and files."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.behaviour.local_runs.sending import Watch, column, resume, send, surroundings, write_job, write_people
from tests.builders.http_receiver import CUT_AFTER, HANG, OK, HttpReceiver

from postroad.flows.local_runs import (
    SendOrder,
    discard,
    dry_run,
    export_public_key,
    list_sends,
    open_send,
    prepare_send,
    preview_message,
    start_send,
    verify_receipt,
)
from postroad.vocabulary.errors import AudienceInvalid, ConfigInvalid, InvalidInput, SecretMissing, SendConflict
from postroad.vocabulary.transitions import RunState

MADE_BY_THE_END = ("results.parquet", "succeeded.csv", "failed.csv", "summary.json", "receipt.json")


@pytest.fixture(scope="module")
def ended_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a send of 50 in `out` that ended PARTIAL: p3 was refused. Its receiver is gone."""
    folder = tmp_path_factory.mktemp("ended")
    write_people(folder, 50)
    with HttpReceiver(lambda who, _copy: "404" if who == "p3" else OK) as receiver:
        send(folder, write_job(folder, receiver.port))
    return folder


@pytest.fixture
def ended(ended_once: Path, tmp_path: Path) -> Path:
    """A copy of it to break."""
    shutil.copytree(ended_once, tmp_path / "copy")
    return tmp_path / "copy"


def test_everybody_gets_one_copy_and_the_receipt_holds(tmp_path: Path) -> None:
    write_people(tmp_path, 300)
    watch = Watch()
    with HttpReceiver() as receiver:
        summary = send(tmp_path, write_job(tmp_path, receiver.port), watch)
    assert (summary.state, summary.exit_code, summary.counts.succeeded) == (RunState.SUCCEEDED, 0, 300)
    assert sorted(receiver.copies) == sorted(f"p{number}" for number in range(300))
    assert set(receiver.copies.values()) == {1}
    assert json.loads(receiver.bodies["p7"]) == {"hello": "Name 7"}
    told = json.loads((tmp_path / "out" / "summary.json").read_bytes())
    assert (told["total"], told["rows"], told["state"]) == (300, 300, "SUCCEEDED")
    key = export_public_key(surroundings(tmp_path).home)
    check = verify_receipt(tmp_path / "out" / "receipt.json", key, tmp_path / "out")
    assert (check.ok, check.problems) == (True, ())
    assert watch.progress[-1].counts.succeeded == 300


def test_refused_recipients_are_listed_and_the_send_is_partial(ended: Path) -> None:
    view = open_send(ended / "out")
    assert view.summary is not None
    assert (view.state, view.summary.exit_code, view.counts.failed) == (RunState.PARTIAL, 3, 1)
    assert column(ended / "out" / "failed.csv", "id") == ["p3"]


def test_answered_failures_are_retried_and_counted(tmp_path: Path) -> None:
    write_people(tmp_path, 10)
    with HttpReceiver(lambda _who, copy: "503" if copy == 1 else OK) as receiver:
        summary = send(tmp_path, write_job(tmp_path, receiver.port))
    assert (summary.counts.succeeded, summary.counts.retried, summary.counts.maybe_doubled) == (10, 10, 10)


def test_silence_after_sending_is_unknown_and_never_sent_again(tmp_path: Path) -> None:
    write_people(tmp_path, 10)
    with HttpReceiver(lambda who, _copy: CUT_AFTER if who == "p4" else OK) as receiver:
        summary = send(tmp_path, write_job(tmp_path, receiver.port))
    assert (summary.counts.unknown, receiver.copies["p4"]) == (1, 1)
    assert column(tmp_path / "out" / "unknown.csv", "id") == ["p4"]


def test_a_wrong_credential_stops_the_send_and_says_who_is_unsent(tmp_path: Path) -> None:
    write_people(tmp_path, 500)
    with HttpReceiver(lambda _who, _copy: "401") as receiver:
        summary = send(tmp_path, write_job(tmp_path, receiver.port))
    assert (summary.state, summary.exit_code) == (RunState.FAILED, 1)
    assert "AUTHENTICATION" in summary.reason
    assert summary.counts.unsent > 400
    assert receiver.copies.total() < 100
    assert len(column(tmp_path / "out" / "unsent.csv", "id")) == summary.counts.unsent


def test_those_who_waited_for_a_retry_when_the_send_stopped_are_failed(tmp_path: Path) -> None:
    write_people(tmp_path, 100)

    def fate(who: str, _copy: int) -> str:
        return {"p0": "503", "p1": "502", "p2": "429"}.get(who, "401")

    policies = {"concurrency": 4, "rate": "unlimited", "retry": {"initial": "1h", "maxDelay": "1h"}}
    with HttpReceiver(fate) as receiver:
        summary = send(tmp_path, write_job(tmp_path, receiver.port, policies=policies))
    assert summary.state is RunState.FAILED
    assert {"p0", "p1", "p2"} <= set(column(tmp_path / "out" / "failed.csv", "id"))


def test_the_same_send_twice_is_refused_with_the_folder_named(tmp_path: Path) -> None:
    write_people(tmp_path, 5)
    with HttpReceiver() as receiver:
        job = write_job(tmp_path, receiver.port)
        send(tmp_path, job)
        with pytest.raises(SendConflict, match=str(tmp_path / "out")):
            send(tmp_path, job, out="second")
        assert receiver.copies.total() == 5
        assert send(tmp_path, job, out="third", again=True).counts.succeeded == 5
    assert receiver.copies.total() == 10


def test_a_prepared_send_tells_that_it_was_made_before(ended_once: Path) -> None:
    around = surroundings(ended_once)
    prepared = prepare_send(SendOrder(ended_once / "welcome.yaml", out=ended_once / "second"), around)
    assert prepared.same_as == ended_once / "out"
    discard(prepared)
    assert not prepared.folder.exists()


def test_another_hash_than_the_confirmed_one_sends_nothing(tmp_path: Path) -> None:
    write_people(tmp_path, 5)
    with HttpReceiver() as receiver:
        around = surroundings(tmp_path)
        prepared = prepare_send(SendOrder(write_job(tmp_path, receiver.port), out=tmp_path / "out"), around)
        for wrong in ("0" * 64, prepared.hash[:7], ""):
            with pytest.raises(SendConflict, match="hash"):
                start_send(prepared, around, confirmed_hash=wrong)
        assert not receiver.copies
        assert start_send(prepared, around, confirmed_hash=prepared.hash[:8]).counts.succeeded == 5


def test_an_audience_changed_after_the_confirmation_is_not_sent_to(tmp_path: Path) -> None:
    write_people(tmp_path, 5)
    with HttpReceiver() as receiver:
        around = surroundings(tmp_path)
        prepared = prepare_send(SendOrder(write_job(tmp_path, receiver.port), out=tmp_path / "out"), around)
        snapshot = tmp_path / "out" / "audience.parquet"
        snapshot.write_bytes(snapshot.read_bytes()[:-1] + b"x")
        with pytest.raises(SendConflict, match="audience"):
            start_send(prepared, around)
        assert not receiver.copies


def test_rejected_rows_stop_a_send_unless_they_may_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("id,name\np1,A\np2,B,too many\np3,C\n")
    with HttpReceiver() as receiver:
        job = write_job(tmp_path, receiver.port)
        with pytest.raises(AudienceInvalid, match="1 of 3 rows"):
            send(tmp_path, job)
        assert not receiver.copies
        assert (tmp_path / "out" / "errors.csv").is_file()
        summary = send(tmp_path, job, overrides={"audience.skipInvalid": True})
    assert (summary.counts.total, summary.rows, summary.rejected) == (2, 3, 1)


def test_a_cancelled_send_leaves_the_rest_unsent_and_ends(tmp_path: Path) -> None:
    write_people(tmp_path, 2000)

    class Cancelling(Watch):
        def started(self, *given: Any) -> None:
            super().started(*given)
            assert self.controls is not None
            self.controls.cancel("enough")

    with HttpReceiver() as receiver:
        summary = send(tmp_path, write_job(tmp_path, receiver.port), Cancelling())
        assert (summary.state, summary.exit_code, summary.reason) == (RunState.CANCELLED, 4, "enough")
        assert summary.counts.unsent == 2000 - receiver.copies.total() > 1000
        assert resume(tmp_path) == summary
    assert open_send(tmp_path / "out").state is RunState.CANCELLED


def test_an_aborted_send_is_unfinished_and_goes_on_without_second_copies(tmp_path: Path) -> None:
    write_people(tmp_path, 200)
    watch = Watch()

    def fate(who: str, _copy: int) -> str:
        if who == "p50":
            assert watch.controls is not None
            watch.controls.abort()
            return HANG
        return OK

    with HttpReceiver(fate) as receiver:
        summary = send(tmp_path, write_job(tmp_path, receiver.port), watch)
        assert (summary.state, summary.exit_code) == (RunState.LOST, 130)
        view = open_send(tmp_path / "out")
        assert (view.state, view.can_resume) == (RunState.LOST, True)
        assert not (tmp_path / "out" / "receipt.json").exists()
        receiver.release()
        ended = resume(tmp_path)
    assert ended.state is RunState.PARTIAL
    assert set(receiver.copies.values()) == {1}
    assert len(receiver.copies) >= 200 - ended.counts.unknown
    assert 1 <= ended.counts.unknown <= 8
    assert ended.counts.succeeded == 200 - ended.counts.unknown


def test_what_is_missing_of_an_end_is_made_again_the_same(ended: Path) -> None:
    out = ended / "out"
    for name in ("summary.json", "receipt.json"):
        (out / name).unlink()  # the copy lies elsewhere, and the summary names its folder
    resume(ended)
    before = {name: (out / name).read_bytes() for name in MADE_BY_THE_END}
    for missing in (("receipt.json",), ("failed.csv",), MADE_BY_THE_END):
        for name in missing:
            (out / name).unlink()
        resume(ended)
        assert {name: (out / name).read_bytes() for name in MADE_BY_THE_END} == before
    for name in (*MADE_BY_THE_END, "ended.json"):
        (out / name).unlink()
    shutil.rmtree(ended / "home" / "sends")  # which names the folder this one was copied from
    assert resume(ended).counts.succeeded == 49, "the journal alone tells it, and nobody is called again"


def test_a_resume_changes_rate_and_concurrency_only(ended: Path) -> None:
    job = ended / "welcome.yaml"
    resume(ended, overrides={"policies.rate": "5/s", "policies.concurrency": 3}, job=job)
    for wrong in ("message.path", "policies.retry.maxAttempts", "provider", "audience.file"):
        with pytest.raises(SendConflict, match=wrong):
            resume(ended, overrides={wrong: "other"})
    write_job(ended, 9, message={"path": "/other/{{ id }}"})
    with pytest.raises(SendConflict, match="differs from the frozen send"):
        resume(ended, job=job)


def test_a_frozen_file_that_was_edited_sends_nothing(ended: Path) -> None:
    frozen = ended / "out" / "frozen.json"
    frozen.write_text(frozen.read_text().replace("{{ name }}", "{{ name }}!"))
    with pytest.raises(SendConflict, match="changed after it was frozen"):
        resume(ended)


def test_secrets_are_named_not_written_and_leave_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_people(tmp_path, 5)
    account: dict[str, Any] = {"auth": {"type": "BEARER", "token": {"$secret": "api-token"}}}
    with HttpReceiver() as receiver:
        account["baseUrl"] = f"http://127.0.0.1:{receiver.port}"
        job = write_job(tmp_path, receiver.port, account=account)
        monkeypatch.delenv("POSTROAD_SECRET_API_TOKEN", raising=False)
        with pytest.raises(SecretMissing, match="POSTROAD_SECRET_API_TOKEN"):
            send(tmp_path, job)
        monkeypatch.setenv("POSTROAD_SECRET_API_TOKEN", "canary-4711")
        assert send(tmp_path, job).counts.succeeded == 5
        literal = write_job(tmp_path, receiver.port, account=account | {"auth": {"type": "BEARER", "token": "canary"}})
        with pytest.raises(ConfigInvalid, match=r"account\.auth") as caught:
            send(tmp_path, literal, out="literal")
    assert "canary" not in str(caught.value)
    traces = [path for path in tmp_path.rglob("*") if path.is_file() and b"canary-4711" in path.read_bytes()]
    assert traces == []
    assert not (tmp_path / "literal").exists()


def test_a_dry_run_finds_what_the_send_would_meet(tmp_path: Path) -> None:
    write_people(tmp_path, 1000)
    with HttpReceiver() as receiver:
        message = {"path": "/to/{{ id }}", "bodyTemplate": {"hello": "{{ nickname }}"}}
        job = write_job(tmp_path, receiver.port, message=message, policies={"rate": "100/s"})
        around = surroundings(tmp_path)
        prepared = prepare_send(SendOrder(job, out=tmp_path / "out"), around)
        report = dry_run(prepared, around)
        assert (report.ok, report.failed, report.missing_fields) == (False, 1000, ("nickname",))
        assert (report.problems[0].row, len(report.problems), report.hash) == (2, 20, prepared.hash)
        good = prepare_send(SendOrder(write_job(tmp_path, receiver.port, name="good"), out=tmp_path / "good"), around)
        report = dry_run(good, around)
        assert (report.ok, report.rendered, report.parts_total, report.seconds_to_finish) == (True, 1000, 1000, None)
        slow = prepare_send(SendOrder(job, {"policies.rate": "10/m"}, out=tmp_path / "slow"), around)
        slow_seconds = dry_run(slow, around).seconds_to_finish
        assert slow_seconds is not None
        assert not receiver.copies


def test_a_preview_shows_the_row_that_was_asked_for(tmp_path: Path) -> None:
    write_people(tmp_path, 10)
    with HttpReceiver() as receiver:
        around = surroundings(tmp_path)
        prepared = prepare_send(SendOrder(write_job(tmp_path, receiver.port), out=tmp_path / "out"), around)
        (seen,) = preview_message(prepared, around, rows=[5])
        assert seen.preview is not None
        assert "Name 3" in json.dumps(dict(seen.preview.parts), ensure_ascii=False)
        with pytest.raises(InvalidInput, match="no row 99"):
            preview_message(prepared, around, rows=[99])
        assert not receiver.copies


def test_one_test_message_goes_to_the_fields_given(tmp_path: Path) -> None:
    from postroad.flows import local_runs

    write_people(tmp_path, 10)
    with HttpReceiver() as receiver:
        job = write_job(tmp_path, receiver.port, audience={"file": "people.csv", "key": "id"})
        result = local_runs.test_send(SendOrder(job, out=tmp_path / "t"), surroundings(tmp_path), {"id": "me"})
    assert (result.verdict, dict(receiver.copies)) == ("ACCEPTED", {"me": 1})
    assert json.loads(receiver.bodies["me"]) == {"hello": "Name 0"}
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize("given", [{"name": "Me"}, {"idd": "me"}, {"id": "me", "nmae": "Me"}])
def test_regression_a_test_to_oneself_without_the_key_went_to_the_first_recipient(
    tmp_path: Path, given: dict[str, str]
) -> None:
    from postroad.flows import local_runs

    write_people(tmp_path, 3)
    with HttpReceiver() as receiver:
        job = write_job(tmp_path, receiver.port, audience={"file": "people.csv", "key": "id"})
        with pytest.raises(InvalidInput, match=r"of yourself as well|has no field"):
            local_runs.test_send(SendOrder(job), surroundings(tmp_path), given)
        assert not receiver.copies


def test_a_test_goes_to_the_one_given_under_any_name_of_the_column(tmp_path: Path) -> None:
    from postroad.flows import local_runs

    write_people(tmp_path, 3)
    with HttpReceiver() as receiver:
        job = write_job(
            tmp_path,
            receiver.port,
            audience={"file": "people.csv", "key": "who", "mapping": {"who": "id", "person": "id"}},
        )
        local_runs.test_send(SendOrder(job), surroundings(tmp_path), {"who": "me"})
        local_runs.test_send(SendOrder(job), surroundings(tmp_path), {"id": "myself"})
        local_runs.test_send(SendOrder(job), surroundings(tmp_path), {"person": "I"})
        assert dict(receiver.copies) == {"me": 1, "myself": 1, "I": 1}


def test_a_test_without_a_key_is_made_of_the_fields_given_alone(tmp_path: Path) -> None:
    from postroad.flows import local_runs

    write_people(tmp_path, 3)
    with HttpReceiver() as receiver:
        job = write_job(tmp_path, receiver.port, audience={"file": "people.csv"})
        with pytest.raises(InvalidInput, match="cannot be made"):
            local_runs.test_send(SendOrder(job), surroundings(tmp_path), {"id": "me"})
        local_runs.test_send(SendOrder(job), surroundings(tmp_path), {"id": "me", "name": "Me"})
        assert dict(receiver.copies) == {"me": 1}


def test_past_sends_are_listed_newest_first(tmp_path: Path) -> None:
    write_people(tmp_path, 5)
    with HttpReceiver() as receiver:
        send(tmp_path, write_job(tmp_path, receiver.port, name="one"))
        send(tmp_path, write_job(tmp_path, receiver.port, name="two"), out="second", again=True)
    views = list_sends(surroundings(tmp_path))
    assert [(view.name, view.state, view.counts.succeeded) for view in views] == [
        ("two", RunState.SUCCEEDED, 5),
        ("one", RunState.SUCCEEDED, 5),
    ]
    assert sorted(views[0].files) == [
        "failed",
        "receipt",
        "results",
        "skipped",
        "succeeded",
        "summary",
        "unknown",
        "unsent",
    ]


def test_a_broken_spreadsheet_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("id,name\n")
    with HttpReceiver() as receiver, pytest.raises(AudienceInvalid):
        send(tmp_path, write_job(tmp_path, receiver.port))
    assert not (tmp_path / "out" / "frozen.json").exists()
