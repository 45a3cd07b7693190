"""What still needs a secret or a file, read across the rooms."""

import json

import pytest
from tests.builders.databases import OTHER_WORKSPACE, WORKSPACE, Databases
from tests.builders.rows import add_row

from postroad.kernel.authz import Principal
from postroad.kernel.uow import UnitOfWork
from postroad.modules.accounts._tables import accounts
from postroad.modules.audiences._tables import audiences
from postroad.modules.messages._tables import message_revisions, messages
from postroad.modules.runs._tables import run_snapshots, runs
from postroad.modules.secrets._tables import secret_records
from postroad.reads.artifact_uses import needed_by_runs
from postroad.reads.secret_uses import uses_of_secret

ME = Principal.system("tests")


def _config(*references: str) -> str:
    return json.dumps({"auth": [{"$secret": reference} for reference in references], "note": "token mail/token"})


def _uses(databases: Databases, namespace: str, name: str) -> list[tuple[str, str]]:
    found = databases.database.read(ME, lambda reading: uses_of_secret(reading, WORKSPACE, namespace, name))
    return sorted((use.kind, use.name) for use in found)


def _account(uow: UnitOfWork, name: str, *references: str, **more: str) -> str:
    given = {"workspace_id": WORKSPACE, "status": "ACTIVE", **more}
    return add_row(uow, accounts, name=name, name_key=name, config=_config(*references), **given)


def test_accounts_are_found_by_both_ways_to_name_a_secret(databases: Databases) -> None:
    def make(uow: UnitOfWork) -> None:
        _account(uow, "plain", "token")
        _account(uow, "spelt out", "default/token")
        _account(uow, "elsewhere", "mail/token")
        _account(uow, "longer", "token2")
        _account(uow, "archived", "token", status="ARCHIVED")
        _account(uow, "stranger", "token", workspace_id=OTHER_WORKSPACE)

    databases.database.write(ME, make)
    assert _uses(databases, "default", "token") == [("account", "plain"), ("account", "spelt out")]
    assert _uses(databases, "mail", "token") == [("account", "elsewhere")]
    assert _uses(databases, "mail", "other") == []


def test_an_account_with_a_secret_of_its_own_does_not_need_that_of_the_workspace(databases: Databases) -> None:
    def make(uow: UnitOfWork) -> None:
        own = _account(uow, "own", "token")
        add_row(uow, secret_records, workspace_id=WORKSPACE, namespace=f"account:{own}", name="token")
        both = _account(uow, "both", "token", "default/token")
        add_row(uow, secret_records, workspace_id=WORKSPACE, namespace=f"account:{both}", name="token")

    databases.database.write(ME, make)
    assert _uses(databases, "default", "token") == [("account", "both")]


def test_messages_count_with_their_current_revision(databases: Databases) -> None:
    def make(uow: UnitOfWork) -> None:
        message = add_row(
            uow, messages, workspace_id=WORKSPACE, name="now", name_key="n", status="ACTIVE", current_revision=2
        )
        for revision, reference in ((1, "old"), (2, "new")):
            add_row(uow, message_revisions, message_id=message, revision=revision, content=_config(reference))

    databases.database.write(ME, make)
    assert _uses(databases, "default", "new") == [("message", "now")]
    assert _uses(databases, "default", "old") == []


def test_queries_of_audiences_count(databases: Databases) -> None:
    def make(uow: UnitOfWork) -> None:
        for name, kind, source in (
            ("query", "QUERY", {"database": "postgresql://db/x", "password": "token"}),
            ("open", "QUERY", {"database": "postgresql://db/x", "password": None}),
            ("file", "FILE", {"file_name": "token"}),
        ):
            given = {"name": name, "name_key": name, "source_type": kind, "source": source, "status": "ACTIVE"}
            add_row(uow, audiences, workspace_id=WORKSPACE, **given)

    databases.database.write(ME, make)
    assert _uses(databases, "default", "token") == [("audience", "query")]


def _run(uow: UnitOfWork, name: str, state: str, document: object, **more: str) -> None:
    run = add_row(
        uow,
        runs,
        workspace_id=WORKSPACE,
        job_name=name,
        state=state,
        account_id="a1",
        source_run_id=more.get("source_run_id"),
        confirmation_id=name,
        schedule_id=None,
        fire_at_ms=None,
    )
    artifact = more.get("audience_artifact_id", "")
    add_row(uow, run_snapshots, run_id=run, document=json.dumps(document), audience_artifact_id=artifact)


@pytest.mark.parametrize(("state", "found"), [("RUNNING", [("run", "r")]), ("LOST", [("run", "r")]), ("SUCCEEDED", [])])
def test_runs_count_until_they_end(databases: Databases, state: str, found: list[tuple[str, str]]) -> None:
    document = {"account": {"config": json.loads(_config("mail/token"))}}
    databases.database.write(ME, lambda uow: _run(uow, "r", state, document))
    assert _uses(databases, "mail", "token") == found


def test_runs_under_way_need_their_snapshot_and_the_results_they_send_again_from(databases: Databases) -> None:
    def make(uow: UnitOfWork) -> None:
        _run(uow, "first", "PENDING", {"source": None}, audience_artifact_id="snapshot-1")
        again = {"source": {"artifacts": {"results": "results-1"}}}
        _run(uow, "again", "PAUSED", again, audience_artifact_id="snapshot-2", source_run_id="row-0")
        _run(uow, "over", "PARTIAL", {"source": None}, audience_artifact_id="snapshot-3")

    databases.database.write(ME, make)
    asked = ["snapshot-1", "snapshot-2", "snapshot-3", "results-1", "other"]
    needed = databases.database.read(ME, lambda reading: needed_by_runs(reading, asked))
    assert needed == {"snapshot-1", "snapshot-2", "results-1"}
