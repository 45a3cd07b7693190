"""Workspaces, members, users, tokens and the audit at the command line."""

import csv

from tests.behaviour.remote.desk import SignIn
from tests.builders.service import RunningService

from postroad.vocabulary.roles import Role


def test_an_administrator_lets_a_user_in_changes_the_role_and_takes_them_out(desk: SignIn) -> None:
    office = desk(Role.ADMIN, system_admin=True)
    made = office.run("users", "create", "anna", "--display-name", "Anna Li")
    assert made.code == 0, made.err
    assert "/password#code=" in made.out
    assert made.out.strip() not in made.err
    assert office.run("members", "add", "anna", "--role", "operator").code == 0
    assert office.run("members", "change", "ANNA", "--role", "viewer", "--json").last_object["role"] == "VIEWER"
    listed = office.run("members", "list", "--name", "anna")
    assert "anna" in listed.out
    assert "VIEWER" in listed.out
    assert office.run("members", "remove", "anna").code == 0
    assert office.run("members", "list", "--name", "anna", "--json").last_object["items"] == []
    assert "There is nothing here." in office.run("members", "list", "--name", "anna").err


def test_a_user_is_disabled_and_enabled_and_gets_a_new_link(desk: SignIn) -> None:
    office = desk(Role.ADMIN, system_admin=True)
    office.run("users", "create", "bo")
    assert office.run("users", "disable", "bo", "--json").last_object["status"] == "DISABLED"
    assert office.run("users", "list", "--status", "DISABLED", "--json").last_object["items"][0]["username"] == "bo"
    assert office.run("users", "enable", "bo").code == 0
    assert office.run("users", "link", "bo").out.count("#code=") == 1


def test_a_token_goes_to_standard_output_alone_and_can_be_revoked(desk: SignIn) -> None:
    office = desk(Role.OPERATOR)
    made = office.run("tokens", "create", "nightly", "--scope", "runs:read", "--scope", "jobs:read", "--days", "30")
    token = made.out.strip()
    assert token.startswith("pst_")
    assert token not in made.err
    listed = office.run("tokens", "list")
    assert "jobs:read, runs:read" in listed.out
    assert token not in listed.out
    assert office.run("tokens", "revoke", "nightly", "--json").last_object["status"] == "REVOKED"


def test_a_wrong_scope_is_refused_with_those_there_are(desk: SignIn) -> None:
    said = desk(Role.OPERATOR).run("tokens", "create", "x", "--scope", "everything")
    assert said.code == 2
    assert "runs:read" in said.err


def test_a_list_goes_on_where_it_stopped(desk: SignIn) -> None:
    office = desk(Role.ADMIN, system_admin=True)
    for name in ("page-one", "page-two", "page-three"):
        office.run("users", "create", name)
    first = office.run("users", "list", "--name", "page-", "--limit", "2", "--json").last_object
    assert [one["username"] for one in first["items"]] == ["page-three", "page-two"]
    assert first["page"]["hasMore"]
    shown = office.run("users", "list", "--name", "page-", "--limit", "2")
    more = shown.err.splitlines()[-1].partition("postroad ")[2].split()
    assert more[:5] == ["users", "list", "--name", "page-", "--limit"]
    rest = office.run("users", "list", "--name", "page-", "--cursor", first["page"]["nextCursor"], "--json")
    assert [one["username"] for one in rest.last_object["items"]] == ["page-one"]
    assert not rest.last_object["page"]["hasMore"]


def test_a_long_list_is_read_page_by_page(desk: SignIn, service: RunningService) -> None:
    for number in range(105):
        service.new_workspace(f"Many {number}")
    office = desk(None, system_admin=True)
    found = office.run("workspaces", "list", "--name", "Many", "--limit", "103", "--json").last_object
    assert len({one["name"] for one in found["items"]}) == 103
    assert found["page"]["hasMore"]


def test_what_was_done_is_in_the_audit_and_in_its_export(desk: SignIn) -> None:
    office = desk(Role.ADMIN)
    office.run("tokens", "create", "audited", "--scope", "runs:read")
    assert "token.create" in office.run("audit", "list", "--action", "token.*", "--limit", "5").out
    assert office.run("audit", "export", "--out", "audit.csv").code == 0
    with (office.folder / "audit.csv").open(encoding="utf-8", newline="") as file:
        actions = [row["action"] for row in csv.DictReader(file)]
    assert "token.create" in actions
    again = office.run("audit", "export", "--out", "audit.csv")
    assert again.code == 2
    assert "--force" in again.err
    assert office.run("audit", "export", "--out", "audit.csv", "--format", "jsonl", "--force").code == 0
    assert {path.name for path in office.folder.iterdir()} == {"audit.csv"}


def test_a_filter_nobody_understands_is_one_line(desk: SignIn) -> None:
    said = desk(Role.ADMIN).run("audit", "list", "--after", "yesterday")
    assert said.code == 2
    assert "must be a time with its offset" in said.err
    assert said.err.count("\n") == 1
