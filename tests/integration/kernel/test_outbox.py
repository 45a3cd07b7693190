"""Events are written with their change, and the feed shows each of them once, however the transactions interleave."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from tests.builders.databases import OTHER_WORKSPACE, START_MS, WORKSPACE, Databases
from tests.builders.notes import SYSTEM

from postroad.foundation.clock import SystemClock
from postroad.kernel import outbox
from postroad.kernel.database import Database
from postroad.kernel.outbox import FeedItem
from postroad.kernel.uow import Aggregate, Causation, UnitOfWork
from postroad.vocabulary.events import EventName
from postroad.vocabulary.refusals import ValidationFailed
from postroad.vocabulary.roles import Role

LONG_S = 20.0


def _emit(uow: UnitOfWork, job: str, version: int = 1, workspace_id: str = WORKSPACE) -> str:
    aggregate = Aggregate("job", job, version)
    return uow.emit(EventName.JOB_CHANGED, aggregate, {"name": job}, workspace_id=workspace_id)


def _feed(databases: Databases, after: str = "", limit: int = 100) -> tuple[FeedItem, ...]:
    return databases.database.read(SYSTEM, lambda reading: outbox.feed(reading, WORKSPACE, after, limit))


def _jobs(items: tuple[FeedItem, ...]) -> list[str]:
    return [item.event.aggregate.id for item in items]


def test_an_event_carries_its_whole_envelope(databases: Databases) -> None:
    event_id = databases.database.write(
        databases.member(Role.OPERATOR),
        lambda uow: uow.emit(
            EventName.JOB_CHANGED,
            Aggregate("job", "j1", 3),
            {"b": 1, "a": "é"},
            workspace_id=WORKSPACE,
            project_id="p1",
        ),
        correlation_id="trace-1",
        causation=Causation("e0", 2),
    )
    (item,) = _feed(databases)
    event = item.event
    assert (event.event_id, event.idempotency_key) == (event_id, event_id)
    assert (event.name, event.schema_version, event.aggregate) == ("job.changed", 1, Aggregate("job", "j1", 3))
    assert (event.workspace_id, event.project_id, event.actor) == (WORKSPACE, "p1", "user:user-1")
    assert (event.correlation_id, event.causation_id, event.hop) == ("trace-1", "e0", 3)
    assert (event.occurred_at_ms, event.payload) == (START_MS, {"a": "é", "b": 1})
    assert event.payload_digest == "aa58fba8483623bed37c1b02edfccbdd9a53123837c20bfa4cb4049993a2872e"


def test_what_began_by_itself_has_no_cause(databases: Databases) -> None:
    databases.database.write(SYSTEM, lambda uow: _emit(uow, "j1"))
    event = _feed(databases)[0].event
    assert (event.causation_id, event.hop, event.correlation_id, event.actor) == (None, 0, "", "system:test")


def test_two_events_of_a_name_for_one_version_are_a_bug(databases: Databases) -> None:
    databases.database.write(SYSTEM, lambda uow: _emit(uow, "j1", 1))
    with pytest.raises(IntegrityError):
        databases.database.write(SYSTEM, lambda uow: _emit(uow, "j1", 1))
    databases.database.write(SYSTEM, lambda uow: _emit(uow, "j1", 2))


def test_the_feed_goes_on_where_it_was_left(databases: Databases) -> None:
    for number in range(5):
        databases.database.write(SYSTEM, lambda uow, n=number: (_emit(uow, f"a{n}"), _emit(uow, f"b{n}")))
    seen: list[str] = []
    after = ""
    while items := _feed(databases, after, limit=3):
        seen += _jobs(items)
        after = items[-1].cursor
    assert seen == ["a0", "b0", "a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4"]
    assert databases.database.read(SYSTEM, lambda reading: outbox.feed_head(reading, WORKSPACE)) == after


def test_a_workspace_sees_its_own_events_only(databases: Databases) -> None:
    databases.database.write(SYSTEM, lambda uow: _emit(uow, "theirs", workspace_id=OTHER_WORKSPACE))
    assert _feed(databases) == ()
    assert databases.database.read(SYSTEM, lambda reading: outbox.feed_head(reading, WORKSPACE)) == ""


@pytest.mark.parametrize(
    "cursor", ["x", "1", ".", "1.", ".1", "-1.2", "1.2.3", "١.٢", "1e3.1", " 1.1", "9" * 40 + ".1"]
)
def test_what_is_no_cursor_is_refused(databases: Databases, cursor: str) -> None:
    with pytest.raises(ValidationFailed):
        _feed(databases, cursor)


def test_many_writers_and_a_reader_that_follows_miss_nothing(databases: Databases) -> None:
    databases.clock.ms = SystemClock().now_ms()
    follower = Database(databases.again(), databases.parts)
    writers, each = 8, 15
    done = threading.Event()
    seen: list[str] = []

    def follow() -> None:
        after = ""
        while True:
            was_done = done.is_set()
            items = follower.read(SYSTEM, lambda reading, after=after: outbox.feed(reading, WORKSPACE, after, 7))
            seen.extend(_jobs(items))
            if items:
                after = items[-1].cursor
            elif was_done:
                return

    def write(writer: int) -> None:
        for turn in range(each):

            def work(uow: UnitOfWork, turn: int = turn) -> None:
                _emit(uow, f"{writer}-{turn}-first")
                if turn % 3 == 0 and databases.dialect_name == "postgresql":
                    uow.connection.execute(text("SELECT pg_sleep(0.003)"))
                _emit(uow, f"{writer}-{turn}-second")

            databases.database.write(SYSTEM, work)

    with ThreadPoolExecutor(writers + 1) as pool:
        following = pool.submit(follow)
        for writing in [pool.submit(write, writer) for writer in range(writers)]:
            writing.result(60)
        done.set()
        following.result(60)
    follower.close()
    assert len(seen) == writers * each * 2
    assert sorted(seen) == sorted(
        f"{writer}-{turn}-{place}" for writer in range(writers) for turn in range(each) for place in ("first", "second")
    )
    for first, second in zip(seen[::2], seen[1::2], strict=True):
        assert first.removesuffix("-first") == second.removesuffix("-second")
