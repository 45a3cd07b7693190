"""What scripts build on: dry runs and their hash, partial ends and re-sends, receipts, the list of past sends."""

import json

from tests.behaviour.cli.office import Office
from tests.builders.http_receiver import CUT_AFTER, HttpReceiver
from tests.e2e.program import write_job, write_people


def test_a_dry_run_sends_nothing_and_its_hash_confirms_the_send_once(office: Office) -> None:
    with HttpReceiver() as receiver:
        write_people(office.folder, "p1", "p2", "p1")
        write_job(office.folder, receiver.port)
        rehearsed = office.run("send", "job.yaml", "--dry-run")
        assert (rehearsed.code, receiver.copies.total()) == (0, 0)
        assert not list((office.folder / "sends").iterdir())
        assert "2 of 3 rows (duplicates 1, rejected 0)" in rehearsed.err
        hash_hex = rehearsed.out.strip()
        assert f"postroad send job.yaml --confirm {hash_hex[:16]}" in rehearsed.err
        assert office.run("send", "job.yaml", "--confirm", "0" * 64).code == 2
        assert receiver.copies.total() == 0
        assert office.run("send", "job.yaml", "--confirm", hash_hex[:16]).code == 0
        refused = office.run("send", "job.yaml", "--confirm", hash_hex)
        assert refused.code == 2
        assert "was sent or begun before, see " in refused.err
        assert "--again" in refused.err
        assert receiver.copies == {"p1": 1, "p2": 1}


def test_an_only_partly_successful_send_ends_with_3_and_names_the_ways_on(office: Office) -> None:
    fates = {"bad": "400", "cut": CUT_AFTER}
    with HttpReceiver(lambda recipient, _copy: fates.get(recipient, "200")) as receiver:
        write_people(office.folder, "p1", "bad", "cut")
        write_job(office.folder, receiver.port)
        said = office.run("send", "job.yaml", "--yes", "--out", "first")
        assert said.code == 3
        assert "failed: HTTP_400" in said.err
        assert "UNKNOWN: the message may have left and no answer came." in said.err
        assert "postroad send --only unknown first" in said.err
        assert "postroad send --only failed first" in said.err
        fates.clear()
        again = office.run("send", "--only", "failed", "--only", "unknown", "first", "--yes", "--json")
        assert again.code == 0
        assert (
            again.last_object["sourceRunId"] == json.loads((office.folder / "first/summary.json").read_text())["runId"]
        )
        assert receiver.copies == {"p1": 1, "bad": 2, "cut": 2}


def test_a_receipt_holds_until_a_file_is_touched(office: Office) -> None:
    with HttpReceiver() as receiver:
        write_people(office.folder, "p1")
        write_job(office.folder, receiver.port)
        office.run("send", "job.yaml", "--yes", "--out", "first")
    (office.folder / "key.pem").write_text(office.run("receipt", "key").out)
    checked = office.run("receipt", "verify", "first", "--key", "key.pem", "--json")
    assert (checked.code, checked.last_object["ok"]) == (0, True)
    receipt = json.loads((office.folder / "first/receipt.json").read_text())
    (office.folder / "first/receipt.json").write_text(json.dumps(receipt).replace('"succeeded": 1', '"succeeded": 2'))
    assert office.run("receipt", "verify", "first", "--key", "key.pem").code == 1


def test_past_sends_are_listed_and_none_says_how_to_start(office: Office) -> None:
    assert office.run("--lang", "zh", "runs").out == "还没有发送记录。从 postroad init 开始\n"
    with HttpReceiver() as receiver:
        write_people(office.folder, "p1")
        write_job(office.folder, receiver.port)
        assert office.run("send", "job.yaml", "--yes").code == 0
    listed = office.run("--lang", "zh", "runs").out
    assert "成功 1" in listed
    assert " sends/" in listed


def test_the_ways_on_to_failed_and_unsent_are_one_command(office: Office) -> None:
    with HttpReceiver(lambda _recipient, _copy: "401") as receiver:
        write_people(office.folder, *(f"p{number}" for number in range(100)))
        write_job(office.folder, receiver.port)
        said = office.run("send", "job.yaml", "--yes", "--out", "first")
        assert said.code == 1
        assert "postroad send --only failed --only unsent first" in said.err


def test_a_receipt_says_which_files_it_holds_for(office: Office) -> None:
    with HttpReceiver() as receiver:
        write_people(office.folder, "p1")
        write_job(office.folder, receiver.port)
        office.run("send", "job.yaml", "--yes", "--out", "first")
    (office.folder / "key.pem").write_text(office.run("receipt", "key").out)
    said = office.run("receipt", "verify", "first", "--key", "key.pem")
    assert "the sum, and audience.parquet, frozen.json, results.parquet, summary.json." in said.err
    said = office.run("receipt", "verify", "first/receipt.json", "--key", "key.pem")
    assert "the sum, and no file beside it." in said.err


def test_a_fault_that_many_rows_share_is_told_once(office: Office) -> None:
    write_people(office.folder, *(f"p{number}" for number in range(30)))
    write_job(office.folder, 9, message={"path": "/in", "bodyTemplate": {"to": "{{ nobody }}"}})
    said = office.run("send", "job.yaml", "--dry-run")
    assert said.code == 3
    assert said.err.count("has no field 'nobody'") == 1
    assert "  row 2, 3, 4, 5, 6, …, field nobody: " in said.err


def test_regression_the_language_behind_the_command_was_refused_with_a_hint_at_again(office: Office) -> None:
    assert office.run("runs", "--lang", "zh").out == "还没有发送记录。从 postroad init 开始\n"
    refused = office.run("--lang", "fr", "runs")
    assert refused.code == 2
    assert "there is no language fr; write en or zh" in refused.err
