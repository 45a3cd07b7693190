"""What `Database` promises, on both databases."""

import logging
from dataclasses import replace

import pytest
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError
from tests.builders.databases import OTHER_WORKSPACE, START_MS, WORKSPACE, Databases
from tests.builders.notes import SYSTEM, add_note, notes, texts

from postroad.kernel.authz import ANONYMOUS, Action, Principal, PrincipalKind, Resource
from postroad.kernel.database import EVENTS_TOPIC, Database, KernelParts
from postroad.kernel.uow import Aggregate, Reading, UnitOfWork
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.events import EventName
from postroad.vocabulary.refusals import (
    AccessDenied,
    AuthenticationRequired,
    Overloaded,
    ResourceNotFound,
    ValidationFailed,
)
from postroad.vocabulary.roles import Role

JOB = Resource(WORKSPACE, "job")


def _emit(uow: UnitOfWork, version: int = 1) -> str:
    return uow.emit(EventName.JOB_CHANGED, Aggregate("job", "j1", version), {}, workspace_id=WORKSPACE)


def test_what_returns_is_kept(databases: Databases) -> None:
    databases.database.write(SYSTEM, lambda uow: add_note(uow, "kept"))
    assert databases.database.read(SYSTEM, texts) == ["kept"]


def test_what_raises_is_undone_and_tells_nobody(databases: Databases) -> None:
    hints: list[str] = []

    def work(uow: UnitOfWork) -> None:
        add_note(uow, "undone")
        _emit(uow)
        uow.after_commit(lambda: hints.append("told"))
        raise LookupError("no")

    with databases.wakeups.subscribe(EVENTS_TOPIC) as told, pytest.raises(LookupError):
        databases.database.write(SYSTEM, work)
    assert databases.database.read(SYSTEM, texts) == []
    assert (hints, told.wait(0)) == ([], frozenset())


def test_a_transaction_inside_another_is_a_bug(databases: Databases) -> None:
    def inner(_: Reading) -> None:
        databases.database.read(SYSTEM, texts)

    with pytest.raises(RuntimeError, match="a transaction is open"):
        databases.database.write(SYSTEM, inner)
    with pytest.raises(RuntimeError, match="a transaction is open"):
        databases.database.read(SYSTEM, lambda _: databases.database.write(SYSTEM, texts))
    assert databases.database.read(SYSTEM, texts) == []


def test_a_reading_cannot_write(databases: Databases) -> None:
    with pytest.raises(DBAPIError) as refused:
        databases.database.read(SYSTEM, lambda reading: reading.connection.execute(notes.delete()))
    assert "read" in str(refused.value)


def test_a_reading_is_one_snapshot(databases: Databases) -> None:
    other = Database(databases.again(), _parts(databases))
    databases.database.write(SYSTEM, lambda uow: add_note(uow, "before"))

    def work(reading: Reading) -> tuple[list[str], list[str]]:
        first = texts(reading)
        other.write(SYSTEM, lambda uow: add_note(uow, "meanwhile"))
        return first, texts(reading)

    assert databases.database.read(SYSTEM, work) == (["before"], ["before"])
    assert sorted(databases.database.read(SYSTEM, texts)) == ["before", "meanwhile"]
    other.close()


def test_the_time_is_fixed_when_the_transaction_begins(databases: Databases) -> None:
    def work(uow: UnitOfWork) -> tuple[int, int]:
        first = uow.now_ms
        databases.clock.advance(s=5)
        return first, uow.now_ms

    assert databases.database.write(SYSTEM, work) == (START_MS, START_MS)


def test_a_hint_runs_after_the_commit_and_what_it_raises_is_only_logged(
    databases: Databases, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[list[str]] = []

    def work(uow: UnitOfWork) -> str:
        uow.after_commit(lambda: seen[1])
        uow.after_commit(lambda: seen.append(databases.database.read(SYSTEM, texts)))
        return add_note(uow, "kept")

    with caplog.at_level(logging.ERROR):
        databases.database.write(SYSTEM, work)
    assert seen == [["kept"]]
    assert "the commit stands" in caplog.text


def test_events_are_told_once_for_each_workspace_after_the_commit(databases: Databases) -> None:
    def work(uow: UnitOfWork) -> None:
        _emit(uow, 1)
        _emit(uow, 2)

    with databases.wakeups.subscribe(EVENTS_TOPIC) as told:
        databases.database.write(SYSTEM, work)
        assert told.wait(5.0) == {WORKSPACE}


def test_who_was_revoked_since_he_was_checked_is_refused_under_the_lock(databases: Databases) -> None:
    operator = databases.member(Role.OPERATOR)
    databases.database.read(operator, lambda reading: reading.authorize(Action.JOBS_WRITE, JOB))
    databases.standing.revoked.add("session-1")

    def work(uow: UnitOfWork) -> None:
        add_note(uow, "undone")
        uow.authorize(Action.JOBS_WRITE, JOB)

    with pytest.raises(AuthenticationRequired):
        databases.database.write(operator, work)
    assert databases.database.read(SYSTEM, texts) == []


def test_a_role_that_was_lowered_since_counts_as_it_is_now(databases: Databases) -> None:
    operator = databases.member(Role.OPERATOR)
    databases.standing.instead["user-1"] = databases.member(Role.VIEWER)
    with pytest.raises(AccessDenied) as denied:
        databases.database.write(operator, lambda uow: uow.authorize(Action.JOBS_WRITE, JOB))
    assert (denied.value.action, denied.value.workspace_id) == ("jobs:write", WORKSPACE)


@pytest.mark.parametrize(
    ("principal", "refusal"),
    [
        (ANONYMOUS, AuthenticationRequired),
        (Principal(PrincipalKind.USER, "u", roles={OTHER_WORKSPACE: Role.ADMIN}), ResourceNotFound),
        (Principal(PrincipalKind.USER, "u", roles={WORKSPACE: Role.VIEWER}), AccessDenied),
    ],
)
def test_a_refusal_tells_as_much_as_the_caller_may_know(
    databases: Databases, principal: Principal, refusal: type[Exception]
) -> None:
    for run in (databases.database.read, databases.database.write):
        with pytest.raises(refusal):
            run(principal, lambda reading: reading.authorize(Action.JOBS_WRITE, JOB))


def test_an_audit_row_says_who_did_what_to_what(databases: Databases) -> None:
    operator = databases.member(Role.OPERATOR)
    databases.database.write(
        operator,
        lambda uow: uow.audit("job.create", Resource(WORKSPACE, "job", "j1"), details={"fields": ["name"]}),
        correlation_id="trace-1",
        source_address="192.0.2.1",
    )
    (entry,) = databases.audit.entries
    assert (entry.actor, entry.actor_name, entry.action) == ("user:user-1", "name of user-1", "job.create")
    assert (entry.workspace_id, entry.resource_type, entry.resource_id) == (WORKSPACE, "job", "j1")
    assert (entry.result, entry.correlation_id, entry.source_address) == ("OK", "trace-1", "192.0.2.1")
    assert (entry.occurred_at_ms, entry.details) == (START_MS, {"fields": ["name"]})


def test_what_takes_longer_than_its_deadline_is_undone(databases: Databases) -> None:
    seconds = iter([0.0, 0.0, 0.0, 99.0])

    class Hurrying:
        def now_ms(self) -> int:
            return START_MS

        def monotonic(self) -> float:
            return next(seconds, 99.0)

    hurried = Database(databases.again(), _parts(databases, Hurrying()))
    with pytest.raises(Overloaded, match="nothing was changed"):
        hurried.write(SYSTEM, lambda uow: add_note(uow, "late"), deadline_s=5.0)
    hurried.close()
    assert databases.database.read(SYSTEM, texts) == []


@pytest.mark.parametrize("seconds", [0.0, 60.0, 3600.0])
def test_a_deadline_that_the_feed_could_not_bear_is_a_bug(databases: Databases, seconds: float) -> None:
    with pytest.raises(ValueError, match="write_deadline_s"):
        replace(_parts(databases), write_deadline_s=seconds)


@pytest.mark.parametrize(
    "body",
    [{"b": 1, "a": [True, None, 1.5, "ü€😀"]}, [], 0, "text", "", False, {"": {"deep": [[[]]]}}, 2**53, "null", -0.5],
)
def test_json_comes_back_as_it_went_in(databases: Databases, body: object) -> None:
    databases.database.write(SYSTEM, lambda uow: add_note(uow, "json", body))
    assert databases.database.read(SYSTEM, lambda reading: reading.connection.scalar(select(notes.c.body))) == body


def test_no_json_is_null(databases: Databases) -> None:
    databases.database.write(SYSTEM, lambda uow: add_note(uow, "nothing"))
    count = select(notes.c.id).where(notes.c.body.is_(None))
    assert databases.database.read(SYSTEM, lambda reading: len(reading.connection.execute(count).all())) == 1


@pytest.mark.parametrize("body", ["a\0b", {"k\0": 1}, "half \ud800", float("nan"), float("inf"), {1, 2}])
def test_what_is_no_json_is_refused_on_both(databases: Databases, body: object) -> None:
    with pytest.raises(ValidationFailed):
        databases.database.write(SYSTEM, lambda uow: add_note(uow, "json", body))
    assert databases.database.read(SYSTEM, texts) == []


def _parts(databases: Databases, clock: Clock | None = None) -> KernelParts:
    return databases.parts if clock is None else replace(databases.parts, clock=clock)
