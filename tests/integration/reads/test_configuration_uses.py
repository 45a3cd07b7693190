"""What still needs an account, a message, an audience or a job, read across the rooms."""

from collections.abc import Callable

import pytest
from tests.builders.databases import OTHER_WORKSPACE, WORKSPACE, Databases
from tests.builders.rows import add_row

from postroad.kernel.authz import Principal
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.jobs._tables import jobs
from postroad.modules.runs._tables import runs
from postroad.modules.schedules._tables import schedules
from postroad.reads import configuration_uses
from postroad.reads.configuration_uses import Use
from postroad.vocabulary.transitions import RUN_FINAL, RunState

ME = Principal.system("tests")
Asked = Callable[[Reading, str, str], tuple[Use, ...]]


def _found(databases: Databases, asked: Asked, one: str) -> list[tuple[str, str]]:
    return [(use.kind, use.name) for use in databases.database.read(ME, lambda reading: asked(reading, WORKSPACE, one))]


def _job(uow: UnitOfWork, name: str, **more: str) -> None:
    given = {"workspace_id": WORKSPACE, "status": "ACTIVE", "account_id": "a", "message_id": "m", "audience_id": "p"}
    add_row(uow, jobs, name=name, name_key=name, **{**given, **more})


@pytest.mark.parametrize(
    ("asked", "one"),
    [
        (configuration_uses.uses_of_account, "a"),
        (configuration_uses.uses_of_message, "m"),
        (configuration_uses.uses_of_audience, "p"),
    ],
)
def test_jobs_that_are_not_archived_need_their_parts(databases: Databases, asked: Asked, one: str) -> None:
    def make(uow: UnitOfWork) -> None:
        _job(uow, "on")
        _job(uow, "off", status="DISABLED")
        _job(uow, "gone", status="ARCHIVED")
        _job(uow, "elsewhere", workspace_id=OTHER_WORKSPACE)
        _job(uow, "other", account_id="b", message_id="n", audience_id="q")

    databases.database.write(ME, make)
    assert sorted(_found(databases, asked, one)) == [("job", "off"), ("job", "on")]


@pytest.mark.parametrize("state", RunState)
def test_a_run_needs_account_and_job_until_it_has_ended(databases: Databases, state: RunState) -> None:
    def make(uow: UnitOfWork) -> None:
        parts = {"job_id": "j", "job_name": "News", "account_id": "a", "message_id": "m"}
        parts = {name: value for name, value in parts.items() if name in runs.c}
        add_row(uow, runs, workspace_id=WORKSPACE, state=state.value, **parts)

    databases.database.write(ME, make)
    expected = [] if state in RUN_FINAL else [("run", "News")]
    assert _found(databases, configuration_uses.uses_of_account, "a") == expected
    assert _found(databases, configuration_uses.uses_of_job, "j") == expected


@pytest.mark.parametrize(("status", "needs"), [("ENABLED", True), ("DISABLED", False), ("FINISHED", False)])
def test_a_schedule_needs_its_job_while_it_is_on(databases: Databases, status: str, needs: bool) -> None:
    databases.database.write(
        ME,
        lambda uow: add_row(uow, schedules, workspace_id=WORKSPACE, job_id="j", name="daily", status=status),
    )
    assert _found(databases, configuration_uses.uses_of_job, "j") == ([("schedule", "daily")] if needs else [])


def test_a_few_are_enough(databases: Databases) -> None:
    def make(uow: UnitOfWork) -> None:
        for number in range(20):
            _job(uow, f"job {number}")

    databases.database.write(ME, make)
    assert len(_found(databases, configuration_uses.uses_of_account, "a")) == 5
