"""Every wrong file, field, template, address, credential and option: exit code 2, one message that names the way out,
no traceback and no folder left half made.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.behaviour.cli.office import Office
from tests.e2e.program import write_job, write_people

Spoil = Callable[[Path], None]
NOWHERE = 9


def _job(**changes: object) -> Spoil:
    def spoil(folder: Path) -> None:
        write_job(folder, NOWHERE, **changes)

    return spoil


def _text(text: str) -> Spoil:
    return lambda folder: folder.joinpath("job.yaml").write_text(text) and None


def _people(content: bytes) -> Spoil:
    return lambda folder: folder.joinpath("people.csv").write_bytes(content) and None


MESSAGE = {"path": "/to/{{ id }}"}
URL = f"http://127.0.0.1:{NOWHERE}"
BEARER = {"baseUrl": URL, "auth": {"type": "BEARER", "token": {"$secret": "api-token"}}}
BAD_JOBS: dict[str, tuple[Spoil, str]] = {
    "no such file": (lambda folder: (folder / "job.yaml").unlink(), "job.yaml cannot be read: No such file"),
    "not YAML": (_text("name: [\n"), "not YAML"),
    "not a mapping": (_text("- a\n- b\n"), "must be a mapping"),
    "not UTF-8": (lambda folder: folder.joinpath("job.yaml").write_bytes(b"\xff\xfe\x00") and None, "save it as UTF-8"),
    "an alias": (_text("name: &a x\nprovider: *a\n"), "anchors and aliases are not read"),
    "a key given twice": (_text("name: a\nname: b\n"), "is given twice, in lines 1 and 2"),
    "an unknown key": (_job(polices={"rate": "1/s"}), "did you mean `policies`?"),
    "an unknown provider": (_job(provider="htp"), "there is no provider 'htp'"),
    "a rate without a time": (_job(policies={"rate": 3}), "write a rate such as 100/s"),
    "an unknown policy": (_job(policies={"retries": 3}), "policies.retries"),
    "no base address": (_job(account={}), "account.baseUrl"),
    "an address of another scheme": (_job(account={"baseUrl": "ftp://example.org"}), "account.baseUrl"),
    "an address that is none": (_job(account={"baseUrl": "not a url"}), "account.baseUrl"),
    "an unknown field of the account": (_job(account={"baseUrl": URL, "tokn": "x"}), "account.tokn"),
    "a broken template": (_job(message={"path": "/to/{{ id"}), "message.path"),
    "a column nobody has": (_job(message={"path": "/to/{{ phone }}"}), "--map phone=COLUMN"),
    "a secret that is not set": (_job(account=BEARER), "POSTROAD_SECRET_API_TOKEN"),
    "an audience that is not there": (_job(audience={"file": "nobody.csv"}), "there is no file"),
    "two audiences": (_job(audience={"file": "people.csv", "count": 3}), "exactly one of file, query and count"),
    "a key column nobody has": (_job(audience={"file": "people.csv", "key": "phone"}), "there is no column 'phone'"),
    "a mapping to no column": (_job(audience={"file": "people.csv", "mapping": {"id": "x"}}), "'x'"),
    "an unknown encoding": (_job(audience={"file": "people.csv", "encoding": "klingon"}), "encoding 'klingon'"),
    "an empty file": (_people(b""), "people.csv"),
    "a file that is no workbook": (_job(audience={"file": "job.xlsx"}), "there is no file"),
    "a query that writes": (
        _job(audience={"query": {"database": "sqlite:///x.db", "sql": "DELETE FROM people"}}),
        "x.db",
    ),
}


def _one_error(code: int, err: str) -> None:
    assert code == 2, err
    assert sum(line.startswith("error: ") for line in err.splitlines()) == 1, err
    assert "Traceback" not in err
    assert "this should not happen" not in err


@pytest.mark.parametrize("wrong", BAD_JOBS)
def test_a_bad_job_ends_with_2_and_one_message_and_leaves_nothing(office: Office, wrong: str) -> None:
    spoil, hint = BAD_JOBS[wrong]
    write_people(office.folder, "p1", "p2")
    write_job(office.folder, NOWHERE)
    spoil(office.folder)
    before = office.left
    said = office.run("send", "job.yaml", "--yes")
    _one_error(said.code, said.err)
    assert hint in said.err
    assert office.left == before


BAD_LINES: dict[str, tuple[list[str], str]] = {
    "nothing to confirm it": (["send", "job.yaml"], "give --yes, or --confirm HASH"),
    "another hash": (["send", "job.yaml", "--confirm", "0123456789abcdef"], "look at the dry run again"),
    "a short hash": (["send", "job.yaml", "--confirm", "01"], "the confirmed hash is"),
    "no job": (["send", "--yes"], "postroad init"),
    "a rate that is none": (["send", "job.yaml", "--yes", "--rate", "fast"], "write a rate such as 100/s"),
    "a number that is none": (["send", "job.yaml", "--count", "many"], "--count: must be a whole number"),
    "a number too small": (["send", "job.yaml", "--workers", "0"], "--workers: must be 1 or more"),
    "an outcome that is none": (["send", "--only", "lost", "."], "`lost` is not one of"),
    "an option that is none": (["send", "job.yaml", "--yess"], "there is no option --yess; did you mean --yes?"),
    "a command that is none": (["sned"], "there is no command sned; did you mean 'send'?"),
    "an option without its value": (["send", "job.yaml", "--rate"], "--rate needs a value"),
    "too many arguments": (["send", "job.yaml", "more.yaml"], "`more.yaml` is more than this command takes"),
    "an argument missing": (["message", "preview"], "JOB is missing; see postroad message preview --help"),
    "a mapping that is none": (["send", "job.yaml", "--yes", "--map", "id"], "must be FIELD=COLUMN"),
    "a folder that is a file": (["send", "job.yaml", "--yes", "--out", "job.yaml"], "is a file"),
    "a folder of somebody else": (["send", "job.yaml", "--yes", "--out", "."], "is not empty and not a send"),
    "a resume of nothing": (["send", "--resume", "nothing"], "name the folder of a send"),
    "a resume with an audience": (["send", "--resume", "x", "--audience", "people.csv"], "--resume goes without"),
    "a resume with a job": (["send", "job.yaml", "--resume", "x"], "--resume goes without JOB"),
    "a re-send of nothing": (["send", "--only", "failed", "--yes"], "postroad send --only failed FOLDER"),
    "a re-send from nothing": (["send", "--only", "failed", "nothing", "--yes"], "name the folder of a send"),
    "a query without a database": (["send", "job.yaml", "--yes", "--query", "SELECT 1"], "go together"),
    "a password in an address": (
        ["send", "job.yaml", "--yes", "--query", "SELECT 1", "--database", "postgresql://me:hidden@db/x"],
        "--database holds a password",
    ),
    "loose secrets": (["send", "job.yaml", "--yes", "--secrets", "loose"], "run: chmod 600 loose"),
    "no secrets file": (["send", "job.yaml", "--yes", "--secrets", "none"], "the secrets file none cannot be read"),
    "a row nobody has": (["message", "preview", "job.yaml", "--row", "99"], "the audience has no row 99"),
    "nobody to test on": (["message", "test-send", "job.yaml"], "--to FIELD=VALUE"),
    "no receipt": (["receipt", "verify", "nothing", "--key", "people.csv"], "cannot be read"),
    "a channel that is none": (["providers", "show", "pigeon"], "there is no channel `pigeon`; there are: http"),
    "a job file for no channel": (["init", "../../pigeon"], "there is no channel"),
    "a job file that is there": (["init", "http", "--out", "job.yaml"], "--force"),
    "a job file in no folder": (["init", "http", "--out", "no/such/job.yaml"], "No such file or directory"),
    "an audience without a file": (["audience", "check"], "name a file, a query or a count"),
    "a drill that is none": (["drill", "crash", "--scenario", "flood"], "there is no scenario `flood`"),
    "a drill in a full folder": (["drill", "crash", "--folder", "."], "is not empty"),
}


@pytest.mark.parametrize("wrong", BAD_LINES)
def test_a_bad_command_line_ends_with_2_and_one_message_and_leaves_nothing(office: Office, wrong: str) -> None:
    arguments, hint = BAD_LINES[wrong]
    write_people(office.folder, "p1", "p2")
    job = write_job(office.folder, NOWHERE)
    office.folder.joinpath("loose").write_text("a: b\n")
    office.folder.joinpath("loose").chmod(0o644)
    content, before = job.read_bytes(), office.left
    said = office.run(*arguments)
    assert "hidden" not in said.err
    _one_error(said.code, said.err)
    assert hint in said.err
    assert office.left == before
    assert job.read_bytes() == content


def test_rejected_rows_stop_a_send_unless_they_may_be_skipped(office: Office) -> None:
    office.folder.joinpath("people.csv").write_text("id,name\np1,A\np2\np3,C,D,E\n")
    write_job(office.folder, NOWHERE)
    refused = office.run("send", "job.yaml", "--yes")
    _one_error(refused.code, refused.err)
    assert "--errors rejected.csv" in refused.err
    assert "--skip-invalid" in refused.err
    assert not any(name.startswith("sends/") for name in office.left)
    refused = office.run("send", "job.yaml", "--yes", "--errors", "rejected.csv")
    _one_error(refused.code, refused.err)
    assert "see rejected.csv" in refused.err
    assert office.folder.joinpath("rejected.csv").is_file()
    assert not any(name.startswith("sends/") for name in office.left)
    rehearsed = office.run("send", "job.yaml", "--skip-invalid", "--dry-run", "--json")
    assert rehearsed.code == 0
    assert rehearsed.last_object["total"] < 3


def test_a_failed_connection_is_an_outcome_of_the_item_and_no_error_of_the_program(office: Office) -> None:
    write_people(office.folder, "p1", "p2")
    write_job(office.folder, NOWHERE)
    said = office.run("send", "job.yaml", "--yes", "--json")
    assert said.code in (1, 3)
    assert json.loads(said.out.splitlines()[-1])["failed"] + said.last_object["unsent"] == 2
    assert "Traceback" not in said.err


def test_an_error_is_named_in_chinese(office: Office) -> None:
    said = office.run("--lang", "zh", "send", "job.yaml", "--yes")
    assert said.code == 2
    assert said.err.startswith("错误：配置有误：the job file job.yaml cannot be read")
    assert office.run("--lang", "zh", "send").err.startswith("错误：请给出任务文件")


def test_regression_duplicates_were_named_among_the_reasons_of_rejected_rows(office: Office) -> None:
    office.folder.joinpath("people.csv").write_text("id,name\np1,A\np1,A\np2\n")
    write_job(office.folder, NOWHERE)
    refused = office.run("send", "job.yaml", "--yes")
    assert "1 of 3 rows cannot be sent to (1 × TOO_FEW_CELLS in the row)" in refused.err
