"""A circuit opens once, lets one trial through, and closes once, whoever reports at the same time."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.builders.databases import OTHER_WORKSPACE, START_MS, WORKSPACE, Databases
from tests.builders.notes import SYSTEM

from postroad.kernel.breaker import (
    Circuit,
    CircuitKey,
    CircuitRule,
    CircuitState,
    admit,
    record_failure,
    record_success,
    reset,
    state,
)
from postroad.kernel.uow import UnitOfWork

KEY = CircuitKey(WORKSPACE, "account:a1")
RULE = CircuitRule(failures=3, cooldown_ms=60_000)


def _fail(databases: Databases, times: int = 1) -> list[bool]:
    return [databases.database.write(SYSTEM, lambda uow: record_failure(uow, KEY, RULE)) for _ in range(times)]


def _succeed(databases: Databases) -> bool:
    return databases.database.write(SYSTEM, lambda uow: record_success(uow, KEY))


def _admit(databases: Databases) -> bool:
    return databases.database.write(SYSTEM, lambda uow: admit(uow, KEY, RULE))


def _state(databases: Databases, key: CircuitKey = KEY) -> Circuit:
    return databases.database.read(SYSTEM, lambda reading: state(reading, key))


def test_failures_in_a_row_open_it_once(databases: Databases) -> None:
    assert _admit(databases)
    assert _fail(databases, 5) == [False, False, True, False, False]
    assert _state(databases) == Circuit(CircuitState.OPEN, 5, START_MS + 60_000)
    assert not _admit(databases)


def test_a_success_between_begins_again(databases: Databases) -> None:
    _fail(databases, 2)
    assert _succeed(databases) is False
    assert _fail(databases, 3) == [False, False, True]


def test_after_the_cooldown_one_trial_is_let_through(databases: Databases) -> None:
    _fail(databases, 3)
    databases.clock.advance(ms=59_999)
    assert not _admit(databases)
    databases.clock.advance(ms=1)
    assert _state(databases).state is CircuitState.HALF_OPEN
    assert [_admit(databases), _admit(databases)] == [True, False]


def test_a_trial_that_succeeds_closes_it_once(databases: Databases) -> None:
    _fail(databases, 3)
    databases.clock.advance(s=60)
    assert _admit(databases)
    assert [_succeed(databases), _succeed(databases)] == [True, False]
    assert _state(databases) == Circuit(CircuitState.CLOSED, 0, None)


def test_a_trial_that_fails_opens_it_again_at_once(databases: Databases) -> None:
    _fail(databases, 3)
    databases.clock.advance(s=60)
    assert _admit(databases)
    assert _fail(databases) == [True]
    assert _state(databases).open_until_ms == START_MS + 120_000
    assert not _admit(databases)


def test_a_trial_that_never_tells_is_followed_by_another(databases: Databases) -> None:
    _fail(databases, 3)
    databases.clock.advance(s=60)
    assert [_admit(databases), _admit(databases)] == [True, False]
    databases.clock.advance(s=60)
    assert [_admit(databases), _admit(databases)] == [True, False]


def test_it_is_closed_by_hand(databases: Databases) -> None:
    _fail(databases, 3)
    assert databases.database.write(SYSTEM, lambda uow: reset(uow, KEY)) is True
    assert databases.database.write(SYSTEM, lambda uow: reset(uow, KEY)) is False
    assert _admit(databases)


def test_circuits_are_apart(databases: Databases) -> None:
    _fail(databases, 3)
    assert _state(databases, CircuitKey(OTHER_WORKSPACE, "account:a1")).state is CircuitState.CLOSED
    assert _state(databases, CircuitKey(WORKSPACE, "account:a2")).state is CircuitState.CLOSED


def _at_once(databases: Databases, step: Callable[[UnitOfWork], bool]) -> int:
    together = threading.Barrier(8)

    def work(_: int) -> bool:
        together.wait(20)
        return databases.database.write(SYSTEM, step)

    with ThreadPoolExecutor(8) as pool:
        return sum(pool.map(work, range(8)))


def test_many_who_report_at_once_flip_it_once(databases: Databases) -> None:
    assert _at_once(databases, lambda uow: record_failure(uow, KEY, RULE)) == 1
    assert _state(databases).failures == 8
    databases.clock.advance(s=60)
    assert _at_once(databases, lambda uow: admit(uow, KEY, RULE)) == 1
    assert _at_once(databases, lambda uow: record_success(uow, KEY)) == 1
