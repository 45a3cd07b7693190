"""Accounts, messages, audiences, secrets and files at the command line."""

import hashlib
import json
from pathlib import Path

import pytest
from tests.behaviour.cli.office import Office
from tests.behaviour.remote.desk import SignIn
from tests.builders.http_receiver import HttpReceiver

from postroad.vocabulary.roles import Role

ACCOUNT = "baseUrl: https://api.example.com\nauth: { type: BEARER, token: { $secret: api-token } }\n"
MESSAGE = "path: /to/{{ id }}\nbodyTemplate:\n  hello: '{{ name }}'\n"
PEOPLE = "id,name\np1,Ann\np2,Bo\np3,Cy\n"
ESCAPES = "\x1b[31mred\x07"


def write(office: Office, name: str, text: str) -> Path:
    path = office.folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refused(office: Office, *arguments: str, code: int = 2) -> str:
    said = office.run(*arguments)
    assert said.code == code, said
    assert sum(line.startswith("error: ") for line in said.err.splitlines()) == 1, said.err
    assert "Traceback" not in said.err
    return said.err


def test_an_account_takes_its_secrets_from_the_environment_and_never_shows_them(
    desk: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    office = desk()
    write(office, "account.yaml", ACCOUNT)
    made = office.run("accounts", "create", "first", "--provider", "http", "--file", "account.yaml")
    assert made.code == 0, made.err
    assert "POSTROAD_SECRET_API_TOKEN" in made.err
    monkeypatch.setenv("POSTROAD_SECRET_API_TOKEN", "a-very-secret-token")
    renewed = office.run("accounts", "edit", "first", "--renew-secrets", "--json")
    assert renewed.last_object["secrets"]["api-token"]["configured"]
    assert "POSTROAD_SECRET" not in renewed.err
    shown = office.run("accounts", "show", "first")
    assert "$secret: api-token" in shown.out
    assert "a-very-secret-token" not in shown.out + shown.err + renewed.out


def test_a_secrets_file_that_others_may_read_is_refused_before_anything_is_asked(desk: SignIn) -> None:
    office = desk()
    write(office, "account.yaml", ACCOUNT)
    write(office, "secrets.yaml", "api-token: x\n").chmod(0o644)
    line = ("accounts", "create", "loose", "--provider", "http", "--file", "account.yaml", "--secrets", "secrets.yaml")
    assert "chmod 600" in refused(office, *line)
    assert office.run("accounts", "list", "--name", "loose", "--json").last_object["items"] == []


def test_the_account_of_a_job_file_needs_no_channel_named_beside_it(desk: SignIn) -> None:
    office = desk()
    job = {"name": "x", "provider": "http", "account": {"baseUrl": "https://api.example.com"}, "message": {}}
    write(office, "job.yaml", json.dumps(job))
    assert office.run("accounts", "create", "from-job", "--file", "job.yaml").code == 0
    write(office, "account.yaml", "baseUrl: https://api.example.com\n")
    assert "--provider" in refused(office, "accounts", "create", "alone", "--file", "account.yaml")


def test_what_a_channel_refuses_names_every_field(desk: SignIn) -> None:
    office = desk()
    write(office, "account.yaml", "baseUrl: ftp://api.example.com\ntokn: x\n")
    said = refused(office, "accounts", "create", "wrong", "--provider", "http", "--file", "account.yaml")
    assert "baseUrl" in said
    assert "tokn" in said


def test_an_account_is_renamed_disabled_enabled_and_archived_by_its_name(desk: SignIn) -> None:
    office = desk()
    write(office, "account.yaml", "baseUrl: https://api.example.com\n")
    office.run("accounts", "create", "mover", "--provider", "http", "--file", "account.yaml")
    assert office.run("accounts", "edit", "mover", "--rename", "moved", "--json").last_object["name"] == "moved"
    for verb, status in (("disable", "DISABLED"), ("enable", "ACTIVE"), ("archive", "ARCHIVED")):
        assert office.run("accounts", verb, "MOVED", "--json").last_object["status"] == status
    assert "there is nothing called `mover`" in refused(office, "accounts", "show", "mover")
    assert "say what to change" in refused(office, "accounts", "edit", "moved")


def test_a_connection_test_says_what_it_proved_and_ends_with_1_where_it_failed(desk: SignIn) -> None:
    office = desk()
    with HttpReceiver() as receiver:
        write(office, "account.yaml", f"baseUrl: http://127.0.0.1:{receiver.port}\n")
        office.run("accounts", "create", "tested", "--provider", "http", "--file", "account.yaml")
        good = office.run("accounts", "test", "tested")
        assert good.code == 0, good.err
        assert "not proved: " in good.err
    assert office.run("accounts", "test", "tested").code == 1


def test_a_message_is_made_revised_and_compared(desk: SignIn) -> None:
    office = desk()
    write(office, "message.yaml", MESSAGE)
    made = office.run("messages", "create", "news", "--provider", "http", "--file", "message.yaml")
    assert made.code == 0, made.err
    same = office.run("messages", "revise", "news", "--file", "message.yaml")
    assert "Nothing differs: news, revision 1" in same.err
    changed = MESSAGE.replace("hello", "dear")
    revised = office.run("messages", "revise", "news", "--file", "-", piped=changed)
    assert "Kept: news, revision 2" in revised.err
    compared = office.run("messages", "diff", "news").out
    assert "bodyTemplate.hello\n- {{ name }}" in compared
    assert "bodyTemplate.dear\n+ {{ name }}" in compared
    assert "hello:" in office.run("messages", "show", "news", "--revision", "1").out
    assert "dear:" in office.run("messages", "show", "news").out


def test_a_message_is_previewed_for_made_up_people_and_for_rows(desk: SignIn) -> None:
    office = desk()
    write(office, "message.yaml", MESSAGE)
    write(office, "people.csv", PEOPLE)
    office.run("messages", "create", "preview", "--provider", "http", "--file", "message.yaml")
    office.run("audiences", "upload", "people.csv", "--name", "preview people")
    made_up = office.run("messages", "preview", "preview", "--to", "id=p9", "--to", "name=Zoë")
    assert made_up.code == 0, made_up.err
    assert '{"hello":"Zoë"}' in made_up.err
    rows = office.run("messages", "preview", "preview", "--audience", "preview people", "--row", "3", "--json")
    assert rows.last_object["samples"][0]["rendered"]["parts"]["body"] == '{"hello":"Bo"}'
    lacking = office.run("messages", "preview", "preview", "--to", "id=p9")
    assert lacking.code == 3
    assert "'name'" in lacking.err
    assert "say for whom" in refused(office, "messages", "preview", "preview")
    assert "must be FIELD=VALUE" in refused(office, "messages", "preview", "preview", "--to", "id")


def test_what_others_wrote_commands_no_terminal(desk: SignIn) -> None:
    office = desk()
    write(office, "message.yaml", json.dumps({"path": "/to/{{ id }}", "bodyTemplate": {"hello": ESCAPES}}))
    office.run("messages", "create", "escapes", "--provider", "http", "--file", "message.yaml")
    for line in (("messages", "show", "escapes"), ("messages", "preview", "escapes", "--to", "id=1")):
        said = office.run(*line)
        assert said.code == 0, said.err
        assert "\x1b" not in said.out + said.err
        assert "\x07" not in said.out + said.err


def test_people_are_uploaded_once_and_again_only_where_something_differs(desk: SignIn) -> None:
    office = desk()
    write(office, "people.csv", PEOPLE)
    line = ("audiences", "upload", "people.csv", "--name", "customers", "--key", "id")
    made = office.run(*line)
    assert made.code == 0, made.err
    assert "Audience customers: made, snapshot 1, recipients 3" in made.err
    assert "as it was, snapshot 1" in office.run(*line).err
    write(office, "people.csv", PEOPLE + "p4,Di\n")
    assert "changed, snapshot 2, recipients 4" in office.run(*line).err
    assert "changed, snapshot 3" in office.run(*line[:-1], "name").err
    shown = office.run("audiences", "rows", "customers", "--limit", "2")
    assert "Ann" in shown.out
    assert "--first 2" in shown.err
    assert office.run("audiences", "rows", "customers", "--out", "all.csv").code == 0
    assert "p4,Di" in (office.folder / "all.csv").read_text()


def test_rows_that_cannot_be_sent_to_keep_an_audience_from_changing(desk: SignIn) -> None:
    office = desk()
    write(office, "people.csv", "id,name\np1,A\np2\np3,C,D,E\n")
    line = ("audiences", "upload", "people.csv", "--name", "ragged")
    said = refused(office, *line, "--errors", "rejected.csv")
    assert "of 3 rows cannot be sent to" in said
    assert "--skip-invalid" in said
    assert (office.folder / "rejected.csv").is_file()
    assert office.run("audiences", "list", "--name", "ragged", "--json").last_object["items"] == []
    kept = office.run(*line, "--skip-invalid", "--json")
    assert kept.code == 0, kept.err
    assert kept.last_object["report"]["rejected"] > 0


@pytest.mark.parametrize(
    ("content", "hint"),
    [(None, "there is no file"), (b"", "empty"), (b"\x00\x01\x02\xff\xfe", "")],
    ids=["no file", "an empty file", "no text"],
)
def test_a_file_that_cannot_be_read_leaves_nothing(desk: SignIn, content: bytes | None, hint: str) -> None:
    office = desk()
    if content is not None:
        office.folder.joinpath("bad.csv").write_bytes(content)
    assert hint in refused(office, "audiences", "upload", "bad.csv", "--name", "bad")
    assert office.run("audiences", "list", "--name", "bad", "--json").last_object["items"] == []


def test_a_secret_comes_from_standard_input_and_is_shown_by_nothing(desk: SignIn) -> None:
    office = desk()
    assert "default/crm, version 1" in office.run("secrets", "set", "crm", piped="hush hush\n").err
    again = office.run("secrets", "set", "crm", "--json", piped="other")
    assert again.last_object["version"] == 2
    office.run("secrets", "set", "shop/crm", piped="third")
    listed = office.run("secrets", "list", "--name", "crm")
    assert "shop" in listed.out
    assert "hush" not in listed.out + again.out + again.err
    assert office.run("secrets", "delete", "shop/crm").code == 0
    assert "RESOURCE" not in refused(office, "secrets", "delete", "shop/crm")
    assert "the secret is empty" in refused(office, "secrets", "set", "crm")


def test_a_file_is_fetched_whole_and_overwrites_nothing(desk: SignIn) -> None:
    office = desk()
    write(office, "people.csv", PEOPLE)
    office.run("audiences", "upload", "people.csv", "--name", "files")
    found = office.run("artifacts", "list", "--name", "people.csv", "--json").last_object["items"][0]
    fetched = office.run("artifacts", "download", found["id"], "--out", "copy.csv")
    assert fetched.code == 0, fetched.err
    content = (office.folder / "copy.csv").read_bytes()
    assert hashlib.sha256(content).hexdigest() == found["sha256"]
    assert content == PEOPLE.encode()
    assert "--force" in refused(office, "artifacts", "download", found["id"], "--out", "people.csv")


def test_a_viewer_may_look_and_change_nothing(desk: SignIn) -> None:
    office = desk(Role.VIEWER)
    assert office.run("accounts", "list").code == 0
    write(office, "message.yaml", MESSAGE)
    said = refused(office, "messages", "create", "mine", "--provider", "http", "--file", "message.yaml")
    assert "your role in this workspace does not allow it" in said
