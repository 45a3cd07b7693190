"""Transactions commit in another order than they began; the feed of events bears it."""

import threading
from concurrent.futures import ThreadPoolExecutor

from tests.builders.databases import WORKSPACE, Databases
from tests.builders.notes import SYSTEM

from postroad.foundation.clock import SystemClock
from postroad.kernel import outbox
from postroad.kernel.uow import Aggregate, UnitOfWork
from postroad.vocabulary.events import EventName

LONG_S = 20.0


def _emit(uow: UnitOfWork, job: str) -> str:
    return uow.emit(EventName.JOB_CHANGED, Aggregate("job", job, 1), {}, workspace_id=WORKSPACE)


def _feed(on_postgres: Databases) -> list[str]:
    items = on_postgres.database.read(SYSTEM, lambda reading: outbox.feed(reading, WORKSPACE, "", 100))
    return [item.event.aggregate.id for item in items]


def test_a_late_commit_is_not_lost_to_who_has_read_on(on_postgres: Databases) -> None:
    on_postgres.clock.ms = SystemClock().now_ms()
    emitted, let_go = threading.Event(), threading.Event()

    def slow(uow: UnitOfWork) -> None:
        _emit(uow, "began first, ends last")
        emitted.set()
        let_go.wait(LONG_S)

    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(on_postgres.database.write, SYSTEM, slow)
        emitted.wait(LONG_S)
        on_postgres.database.write(SYSTEM, lambda uow: _emit(uow, "began later, ends first"))
        assert _feed(on_postgres) == []
        let_go.set()
        late.result(LONG_S)
    assert _feed(on_postgres) == ["began first, ends last", "began later, ends first"]


def test_a_transaction_of_strangers_that_never_ends_holds_the_feed_up_for_a_minute_only(on_postgres: Databases) -> None:
    on_postgres.clock.ms = SystemClock().now_ms()
    with on_postgres.dialect.address.connect("strangers") as strangers, strangers.transaction():
        strangers.execute("SELECT pg_current_xact_id()")
        on_postgres.database.write(SYSTEM, lambda uow: _emit(uow, "young"))
        assert _feed(on_postgres) == []
        on_postgres.clock.advance(s=-61)
        on_postgres.database.write(SYSTEM, lambda uow: _emit(uow, "a minute old"))
        assert _feed(on_postgres) == ["a minute old"]
    assert _feed(on_postgres) == ["young", "a minute old"]
