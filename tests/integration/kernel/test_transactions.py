"""What `Database` promises, on both databases."""

import pytest
from sqlalchemy import Column, Table, Text, insert, select
from tests.builders.databases import WORKSPACE, Databases

from postroad.kernel import outbox
from postroad.kernel.authz import Action, Principal, Resource
from postroad.kernel.tables import id_column, metadata
from postroad.kernel.uow import Aggregate, UnitOfWork
from postroad.vocabulary.events import EventName
from postroad.vocabulary.refusals import AuthenticationRequired
from postroad.vocabulary.roles import Role

SYSTEM = Principal.system("test")
notes = Table("test_notes", metadata, id_column(), Column("text", Text, nullable=False))


def _add(uow: UnitOfWork, text: str) -> str:
    note_id = uow.new_id()
    uow.connection.execute(insert(notes).values(id=note_id, text=text))
    return note_id


def _texts(databases: Databases) -> list[str]:
    return databases.database.read(
        SYSTEM, lambda reading: list(reading.connection.execute(select(notes.c.text)).scalars())
    )


def test_what_returns_is_kept(databases: Databases) -> None:
    databases.database.write(SYSTEM, lambda uow: _add(uow, "kept"))
    assert _texts(databases) == ["kept"]


def test_what_raises_is_undone(databases: Databases) -> None:
    def work(uow: UnitOfWork) -> None:
        _add(uow, "undone")
        raise LookupError("no")

    with pytest.raises(LookupError):
        databases.database.write(SYSTEM, work)
    assert _texts(databases) == []


def test_a_transaction_inside_another_is_a_bug(databases: Databases) -> None:
    with pytest.raises(RuntimeError, match="a transaction is open"):
        databases.database.write(SYSTEM, lambda _uow: _texts(databases))


def test_an_event_is_told_in_the_transaction_of_its_change(databases: Databases) -> None:
    def work(uow: UnitOfWork) -> None:
        uow.emit(EventName.JOB_CHANGED, Aggregate("job", "j1", 1), {"status": "ACTIVE"}, workspace_id=WORKSPACE)

    with databases.wakeups.subscribe("events") as told:
        databases.database.write(SYSTEM, work, correlation_id="trace")
        assert told.wait(1.0) == {WORKSPACE}
    (item,) = databases.database.read(SYSTEM, lambda reading: outbox.feed(reading, WORKSPACE, "", 10))
    assert (item.event.name, item.event.payload, item.event.correlation_id) == (
        "job.changed",
        {"status": "ACTIVE"},
        "trace",
    )


def test_who_was_revoked_since_he_was_checked_is_refused_under_the_lock(databases: Databases) -> None:
    operator = databases.member(Role.OPERATOR)
    databases.standing.revoked.add("session-1")
    with pytest.raises(AuthenticationRequired):
        databases.database.write(operator, lambda uow: uow.authorize(Action.JOBS_WRITE, Resource(WORKSPACE, "job")))
