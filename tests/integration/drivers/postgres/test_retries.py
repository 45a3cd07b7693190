"""What the server undid for the sake of others runs again as a whole; what it refused does not."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError
from tests.builders.databases import Databases
from tests.builders.notes import SYSTEM, add_note, bump, set_counter, texts, values

from postroad.drivers.postgres import PostgresAddress, PostgresDialect
from postroad.foundation.clock import SystemClock
from postroad.kernel.database import MOST_ATTEMPTS, Database
from postroad.kernel.uow import UnitOfWork
from postroad.vocabulary.refusals import (
    CommitUnknown,
    DatabaseRefused,
    DatabaseUnavailable,
    Overloaded,
    ValidationFailed,
)
from postroad.vocabulary.secret import Secret

LONG_S = 20.0


def test_two_that_lock_each_other_out_both_happen_once(on_postgres: Databases) -> None:
    on_postgres.database.write(SYSTEM, lambda uow: (set_counter(uow, "a", 0), set_counter(uow, "b", 0)))
    both_hold_one = threading.Barrier(2)
    attempts: list[str] = []

    def crossing(first: str, second: str) -> None:
        def work(uow: UnitOfWork) -> None:
            attempts.append(first)
            uow.connection.execute(text("SET LOCAL deadlock_timeout = '20ms'"))
            bump(uow, first)
            if len(attempts) <= 2:
                both_hold_one.wait(LONG_S)
            bump(uow, second)

        on_postgres.database.write(SYSTEM, work)

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(crossing, "a", "b"), pool.submit(crossing, "b", "a")]:
            done.result(LONG_S)
    assert on_postgres.database.read(SYSTEM, values) == {"a": 2, "b": 2}
    assert len(attempts) == 3


def test_a_serialization_failure_runs_the_whole_again(on_postgres: Databases) -> None:
    attempts: list[int] = []

    def work(uow: UnitOfWork) -> str:
        attempts.append(uow.now_ms)
        note_id = add_note(uow, f"attempt {len(attempts)}")
        if len(attempts) < 3:
            _raise_in_server(uow, "40001")
        return note_id

    on_postgres.database.write(SYSTEM, work)
    assert on_postgres.database.read(SYSTEM, texts) == ["attempt 3"]


def test_one_that_never_comes_through_ends_as_overload(on_postgres: Databases) -> None:
    attempts: list[int] = []

    def work(uow: UnitOfWork) -> None:
        attempts.append(1)
        _raise_in_server(uow, "40001")

    with pytest.raises(Overloaded):
        on_postgres.database.write(SYSTEM, work)
    assert len(attempts) == MOST_ATTEMPTS


@pytest.mark.parametrize(("code", "error"), [("23505", IntegrityError), ("P0001", DBAPIError)])
def test_what_the_server_refuses_is_not_tried_again(on_postgres: Databases, code: str, error: type[Exception]) -> None:
    attempts: list[int] = []

    def work(uow: UnitOfWork) -> None:
        attempts.append(1)
        _raise_in_server(uow, code)

    with pytest.raises(error):
        on_postgres.database.write(SYSTEM, work)
    assert len(attempts) == 1


def test_a_connection_that_broke_before_the_commit_runs_the_whole_again(on_postgres: Databases) -> None:
    attempts: list[int] = []

    def work(uow: UnitOfWork) -> None:
        attempts.append(1)
        add_note(uow, f"attempt {len(attempts)}")
        if len(attempts) == 1:
            _cut(on_postgres, uow)
            uow.connection.execute(text("SELECT 1"))

    on_postgres.database.write(SYSTEM, work)
    assert on_postgres.database.read(SYSTEM, texts) == ["attempt 2"]


def test_a_connection_that_breaks_at_the_commit_leaves_the_outcome_open(on_postgres: Databases) -> None:
    attempts: list[int] = []

    def work(uow: UnitOfWork) -> None:
        attempts.append(1)
        add_note(uow, "perhaps")
        _cut(on_postgres, uow)

    with pytest.raises(CommitUnknown, match="Idempotency-Key"):
        on_postgres.database.write(SYSTEM, work)
    assert len(attempts) == 1


def test_idle_connections_that_the_server_cut_are_replaced_without_a_word(on_postgres: Databases) -> None:
    on_postgres.database.write(SYSTEM, lambda uow: add_note(uow, "one"))
    with _admin(on_postgres) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'postroad online' "
            "AND pid <> pg_backend_pid()"
        )
    assert on_postgres.database.read(SYSTEM, texts) == ["one"]


def test_a_row_that_is_locked_too_long_is_overload(address: PostgresAddress, on_postgres: Databases) -> None:
    on_postgres.database.write(SYSTEM, lambda uow: set_counter(uow, "a", 0))
    with address.connect("other") as other, other.transaction():
        other.execute("UPDATE test_counters SET value = 5")
        with pytest.raises(Overloaded, match="nothing was changed"):
            on_postgres.database.write(SYSTEM, lambda uow: bump(uow, "a"), deadline_s=0.3)
    assert on_postgres.database.read(SYSTEM, values) == {"a": 5}


def test_a_use_case_that_dawdles_is_cut_off_by_the_server(on_postgres: Databases) -> None:
    def work(uow: UnitOfWork) -> None:
        add_note(uow, "late")
        threading.Event().wait(0.6)

    with pytest.raises((Overloaded, DatabaseUnavailable)):
        on_postgres.database.write(SYSTEM, work, deadline_s=0.2)
    assert on_postgres.database.read(SYSTEM, texts) == []


def test_the_time_is_that_of_the_server(address: PostgresAddress, on_postgres: Databases) -> None:
    database = Database(PostgresDialect(address, background_pool_size=0), on_postgres.parts)
    before = SystemClock().now_ms()
    seen = database.write(SYSTEM, lambda uow: uow.now_ms)
    assert before - 1000 <= seen <= SystemClock().now_ms() + 1000
    assert database.read(SYSTEM, lambda reading: reading.now_ms) >= seen
    database.close()


def test_background_work_has_connections_of_its_own(on_postgres: Databases) -> None:
    background = on_postgres.database.for_background()
    assert on_postgres.dialect.background().background() is on_postgres.dialect.background()
    full = [threading.Event() for _ in range(4)]
    let_go = threading.Event()

    def hold(event: threading.Event) -> None:
        def work(_: UnitOfWork) -> None:
            event.set()
            let_go.wait(LONG_S)

        on_postgres.database.write(SYSTEM, work)

    with ThreadPoolExecutor(4) as pool:
        holding = [pool.submit(hold, event) for event in full]
        assert all(event.wait(LONG_S) for event in full)
        background.write(SYSTEM, lambda uow: add_note(uow, "background"))
        let_go.set()
        for done in holding:
            done.result(LONG_S)
    assert on_postgres.database.read(SYSTEM, texts) == ["background"]


def test_a_text_with_nul_is_the_callers_fault(on_postgres: Databases) -> None:
    with pytest.raises(ValidationFailed, match="NUL"):
        on_postgres.database.write(SYSTEM, lambda uow: add_note(uow, "a\0b"))


@pytest.mark.parametrize(
    ("user", "name", "password"),
    [("postgres", "postgres", "wrong"), ("postgres", "nowhere", "open-sesame"), ("nobody", "postgres", "open-sesame")],
)
def test_who_is_not_let_in_is_told_what_to_check(on_postgres: Databases, user: str, name: str, password: str) -> None:
    port = on_postgres.dialect.address.url.rpartition(":")[2].partition("/")[0]
    address = PostgresAddress(f"postgresql://{user}@127.0.0.1:{port}/{name}", Secret(password))
    dialect = PostgresDialect(address, background_pool_size=0)
    database = Database(dialect, on_postgres.parts)
    with pytest.raises(DatabaseRefused, match="check user, password, name") as refused:
        database.read(SYSTEM, texts)
    assert password not in refused.value.message
    database.close()


def test_a_server_that_is_not_there_is_said(on_postgres: Databases) -> None:
    dialect = PostgresDialect(PostgresAddress("postgresql://postgres@127.0.0.1:1/postgres"), background_pool_size=0)
    database = Database(dialect, on_postgres.parts)
    with pytest.raises(DatabaseUnavailable, match="cannot be reached"):
        database.write(SYSTEM, texts, deadline_s=0.3)
    database.close()


def _raise_in_server(uow: UnitOfWork, code: str) -> None:
    uow.connection.execute(text(f"DO $$ BEGIN RAISE EXCEPTION 'provoked' USING ERRCODE = '{code}'; END $$"))


def _admin(on_postgres: Databases) -> object:
    return on_postgres.dialect.address.connect("tests")


def _cut(on_postgres: Databases, uow: UnitOfWork) -> None:
    pid = uow.connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    with _admin(on_postgres) as admin:
        admin.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
