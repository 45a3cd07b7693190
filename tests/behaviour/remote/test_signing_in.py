"""Coming in and going out: links, passwords, the kept session, tokens, and addresses that are none of ours."""

import json
import stat
from pathlib import Path

import pytest
from tests.behaviour.cli.office import Office
from tests.behaviour.remote.desk import SignIn
from tests.builders.authority import Authority
from tests.builders.raw_http_server import OK, RawServer, answering
from tests.builders.service import TESTS, RunningService

from postroad.modules import identity
from postroad.vocabulary.roles import Role

PASSWORD = "correct horse battery"
MOVED = b"HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example/\r\nContent-Length: 0\r\n\r\n"


def session_file(office: Office) -> Path:
    return office.folder.parent / "home" / "session.json"


def with_password(service: RunningService, name: str) -> str:
    """The link with which a new user of this name chooses a password."""
    made = service.database.write(TESTS, lambda uow: identity.create_user(uow, identity.NewUser(name)))
    return f"{service.url}/password#code={made.link.secret.reveal()}"


def one_line(err: str) -> str:
    lines = [line for line in err.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, err
    assert "Traceback" not in err
    return lines[0]


def test_the_printed_link_makes_the_first_administrator_and_signs_in(office: Office, tmp_path: Path) -> None:
    from tests.builders.service import running_service

    with running_service(tmp_path / "fresh") as fresh:
        link = fresh.composition.begin()
        said = office.run("login", "--link", link, "--username", "root", "--password-stdin", piped=f"{PASSWORD}\n")
        assert said.code == 0, said.err
        assert f"Signed in at {fresh.url} as root." in said.err
        assert "postroad workspaces use NAME" in said.err
        me = office.run("whoami", "--json").last_object
        assert (me["user"]["username"], me["user"]["systemAdmin"]) == ("root", True)
        kept = session_file(office)
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert PASSWORD not in kept.read_text()
        again = office.run("login", "--link", link, "--username", "other", "--password-stdin", piped=f"{PASSWORD}\n")
        assert again.code == 2
        one_line(again.err)


def test_a_password_link_lets_its_user_choose_and_sign_in(office: Office, service: RunningService) -> None:
    link = with_password(service, "lin")
    said = office.run("login", "--link", link, "--username", "lin", "--password-stdin", piped=f"{PASSWORD}\n")
    assert said.code == 0, said.err
    assert "Choose a workspace" in said.err
    said = office.run("login", "--username", "lin", "--password-stdin", piped=f"{PASSWORD}\n")
    assert said.code == 0, said.err
    wrong = office.run("login", "--username", "lin", "--password-stdin", piped="something else\n")
    assert wrong.code == 2
    assert "the name or the password is wrong" in one_line(wrong.err)
    assert office.run("whoami").code == 0


def test_signing_out_ends_the_session_there_and_here(office: Office, service: RunningService, desk: SignIn) -> None:
    desk(Role.VIEWER)
    cookie = json.loads(session_file(office).read_text())["cookie"]
    assert office.run("logout").code == 0
    assert "nobody is signed in" in one_line(office.run("whoami").err)
    assert "Nobody is signed in" in office.run("logout").err
    answer = service.outside.get("/api/v1/me", headers={"cookie": cookie})
    assert answer.status_code == 401
    assert cookie not in session_file(office).read_text()
    assert service.url in session_file(office).read_text()


def test_signing_out_works_here_when_the_service_is_gone(office: Office, desk: SignIn) -> None:
    desk(Role.VIEWER)
    file = session_file(office)
    kept = json.loads(file.read_text()) | {"url": "http://127.0.0.1:9"}
    file.write_text(json.dumps(kept))
    asked = office.run("whoami")
    assert asked.code == 1
    assert "the service at http://127.0.0.1:9 cannot be reached" in one_line(asked.err)
    said = office.run("logout")
    assert said.code == 0
    assert "the session goes on until its time is over" in said.err
    assert "nobody is signed in" in office.run("whoami").err


def test_a_session_that_is_over_says_so(office: Office, service: RunningService, desk: SignIn) -> None:
    desk(Role.VIEWER)
    cookie = json.loads(session_file(office).read_text())["cookie"]
    service.outside.delete("/api/v1/sessions/current", headers={"cookie": cookie, "x-postroad-csrf": "1"})
    said = office.run("whoami")
    assert said.code == 2
    assert "the session is over; sign in again: postroad login" in one_line(said.err)
    assert office.run("logout").code == 0


def test_a_session_file_that_others_may_read_is_refused(office: Office, desk: SignIn) -> None:
    desk(Role.VIEWER)
    session_file(office).chmod(0o644)
    said = office.run("whoami")
    assert said.code == 2
    assert "chmod 600" in one_line(said.err)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "x"}', "not json"])
def test_a_damaged_session_file_is_refused(office: Office, desk: SignIn, content: str) -> None:
    desk(Role.VIEWER)
    session_file(office).write_text(content)
    said = office.run("whoami")
    assert said.code == 2
    assert "is damaged" in one_line(said.err)


def test_a_program_speaks_by_its_token_and_for_the_workspace_of_it(
    office: Office, service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = service.program(Role.OPERATOR, ["jobs:read"])
    monkeypatch.setenv("POSTROAD_TOKEN", program.headers["authorization"].removeprefix("Bearer "))
    monkeypatch.setenv("POSTROAD_URL", service.url)
    me = office.run("whoami", "--json").last_object
    assert me["scopes"] == ["jobs:read"]
    assert "a token is of one workspace" in one_line(office.run("workspaces", "use", "Work").err)
    refused = office.run("members", "list")
    assert refused.code == 2
    one_line(refused.err)
    monkeypatch.setenv("POSTROAD_TOKEN", "pst_" + "x" * 48)
    assert "the token is not valid" in one_line(office.run("whoami").err)
    monkeypatch.setenv("POSTROAD_URL", "http://post.example.com")
    assert "POSTROAD_INSECURE_HTTP=1" in one_line(office.run("whoami").err)


def test_a_workspace_is_chosen_by_name_and_stays_chosen_at_the_next_signing_in(
    office: Office, service: RunningService
) -> None:
    link = with_password(service, "wu")
    other = service.new_workspace("Other shop")

    def join() -> None:
        for workspace_id in (service.workspace_id, other):
            service.client(Role.ADMIN, workspace_id=workspace_id).post(
                "/members", json={"username": "wu", "role": "VIEWER"}
            ).raise_for_status()

    join()
    office.run("login", "--link", link, "--username", "wu", "--password-stdin", piped=f"{PASSWORD}\n")
    assert "no workspace is chosen" in one_line(office.run("tokens", "list").err)
    assert office.run("workspaces", "use", "other SHOP").code == 0
    said = office.run("login", "--username", "wu", "--password-stdin", piped=f"{PASSWORD}\n")
    assert "Workspace: Other shop" in said.err
    assert office.run("whoami", "--json").last_object["workspaceId"] == other
    assert "there is nothing called `Third`" in one_line(office.run("workspaces", "use", "Third").err)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--url", "http://post.example.com"], "--insecure-http"),
        (["--url", "post.example.com"], "is not a URL"),
        (["--url", "ftp://post.example.com"], "has the scheme 'ftp'"),
        (["--link", ""], "--link must be a whole link"),
        (["--link", "http://127.0.0.1:18990/setup"], "--link must be a whole link"),
        (["--link", "http://127.0.0.1:18990/elsewhere#code=x"], "--link must be a whole link"),
        (["--url", "http://127.0.0.1:9"], "give --username NAME"),
        (["--url", "http://127.0.0.1:9", "--username", "x"], "give --password-stdin"),
        (["--url", "http://127.0.0.1:9", "--username", "x", "--password-stdin"], "there was nothing to read"),
    ],
)
def test_a_bad_way_in_ends_with_2_and_one_line(office: Office, arguments: list[str], hint: str) -> None:
    said = office.run("login", *arguments)
    assert said.code == 2
    assert hint in one_line(said.err)
    assert not session_file(office).exists()


def test_what_does_not_answer_as_the_service_does_is_told_apart(office: Office) -> None:
    for answer, hint in ((OK, "does not answer as Postroad does"), (MOVED, "sends on to http://elsewhere.example/")):
        with RawServer(answering(answer)) as server:
            said = office.run(
                "login", "--url", server.url(), "--username", "x", "--password-stdin", piped="irrelevant\n"
            )
        assert said.code == 1
        assert hint in one_line(said.err)


def test_a_certificate_of_another_authority_names_the_way_to_trust_it(office: Office, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    line = ("--username", "x", "--password-stdin")
    with RawServer(answering(OK), tls=authority.server_context("localhost")) as server:
        url = server.url("", "localhost")
        said = office.run("login", "--url", url, *line, piped="irrelevant\n")
        trusted = office.run("login", "--url", url, *line, "--ca", str(authority.ca_file), piped="irrelevant\n")
    assert said.code == 1
    assert "sign in with --ca FILE" in one_line(said.err)
    assert "does not answer as Postroad does" in one_line(trusted.err)


def test_a_refusal_has_its_chinese_name(office: Office, desk: SignIn) -> None:
    desk(Role.VIEWER)
    said = office.run("--lang", "zh", "members", "list")
    assert said.code == 2
    assert said.err.startswith("错误：没有权限：")
