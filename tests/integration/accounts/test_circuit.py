"""The authentication circuit counts failing runs, lets one trial through, and closes when the account is mended."""

import pytest
from tests.builders.configuration import Workbench
from tests.builders.databases import WORKSPACE

from postroad.kernel.breaker import CircuitState
from postroad.kernel.versions import Expected
from postroad.modules import accounts
from postroad.modules.accounts import Account, AccountChange, Admission, ConnectionTest
from postroad.vocabulary.events import EventName

COOLDOWN_S = 15 * 60


def _fail(bench: Workbench, account: Account) -> bool:
    return bench.write(lambda uow: accounts.run_ended_with_authentication_failure(uow, WORKSPACE, account.id))


def _admit(bench: Workbench, account: Account, run: str = "run-1") -> Admission:
    return bench.write(lambda uow: accounts.admit_run(uow, WORKSPACE, account.id, run))


def _state(bench: Workbench, account: Account) -> CircuitState:
    return bench.read(lambda reading: accounts.get_circuit(reading, WORKSPACE, account.id)).state


@pytest.fixture
def opened(bench: Workbench) -> Account:
    account = bench.account()
    assert [_fail(bench, account) for _ in range(4)] == [False, False, True, False]
    return account


def test_three_failing_runs_in_a_row_open_it_once(bench: Workbench, opened: Account) -> None:
    assert _state(bench, opened) is CircuitState.OPEN
    until = bench.databases.clock.now_ms() + COOLDOWN_S * 1000
    if bench.databases.dialect_name == "sqlite":
        assert _admit(bench, opened) == Admission(False, until)
    assert not _admit(bench, opened).admitted


def test_a_flow_looks_without_taking_the_trial(bench: Workbench, opened: Account) -> None:
    def until() -> int | None:
        return bench.read(lambda reading: accounts.circuit_open_until(reading, WORKSPACE, opened.id))

    assert until() is not None
    _pass_time(bench)
    assert [until(), until()] == [None, None]
    assert _admit(bench, opened).admitted


def test_a_run_that_the_remote_let_in_begins_the_count_anew(bench: Workbench) -> None:
    account = bench.account()
    _fail(bench, account)
    _fail(bench, account)
    bench.write(lambda uow: accounts.close_circuit(uow, WORKSPACE, account.id))
    assert [_fail(bench, account), _fail(bench, account)] == [False, False]
    assert _admit(bench, account).admitted


def test_its_opening_is_told_once(bench: Workbench) -> None:
    account = bench.account()

    def work(uow):
        accounts.run_ended_with_authentication_failure(uow, WORKSPACE, account.id)
        return uow.events

    told = [bench.write(work) for _ in range(4)]
    assert [len(events) for events in told] == [0, 0, 1, 0]
    assert told[2][0].name is EventName.ACCOUNT_CIRCUIT_CHANGED
    assert told[2][0].payload == {"accountId": account.id, "state": "OPEN"}


def test_after_the_cooldown_one_run_tries_with_all_its_shards(bench: Workbench, opened: Account) -> None:
    _pass_time(bench)
    assert _state(bench, opened) is CircuitState.HALF_OPEN
    assert [_admit(bench, opened, run).admitted for run in ("a", "b", "a", "b")] == [True, False, True, False]


def test_a_trial_that_fails_opens_it_again(bench: Workbench, opened: Account) -> None:
    _pass_time(bench)
    _admit(bench, opened, "a")
    assert _fail(bench, opened)
    assert not _admit(bench, opened, "a").admitted


def test_a_trial_that_goes_well_closes_it(bench: Workbench, opened: Account) -> None:
    _pass_time(bench)
    _admit(bench, opened, "a")
    assert bench.write(lambda uow: accounts.close_circuit(uow, WORKSPACE, opened.id))
    assert _admit(bench, opened, "b").admitted


def test_a_person_closes_it(bench: Workbench, opened: Account) -> None:
    bench.write(lambda uow: accounts.reset_circuit(uow, WORKSPACE, opened.id))
    assert _state(bench, opened) is CircuitState.CLOSED
    assert bench.databases.audit.entries[-1].action == "account.circuit_reset"


def test_another_configuration_closes_it_and_another_name_does_not(bench: Workbench, opened: Account) -> None:
    def change(**parts: object) -> None:
        found = bench.read(lambda reading: accounts.find_account(reading, WORKSPACE, opened.id))
        assert found is not None
        ask = AccountChange(WORKSPACE, opened.id, Expected(found.version), **parts)
        bench.write(lambda uow: accounts.change_account(uow, ask, bench.account_needs))

    change(name="Other")
    assert _state(bench, opened) is CircuitState.OPEN
    change(config={"baseUrl": "https://other.example.com"})
    assert _state(bench, opened) is CircuitState.CLOSED


@pytest.mark.parametrize(("proved", "closes"), [(("CONNECTION",), False), (("CONNECTION", "CREDENTIALS"), True)])
def test_only_a_test_that_proved_the_credentials_closes_it(
    bench: Workbench, opened: Account, proved: tuple[str, ...], closes: bool
) -> None:
    test = ConnectionTest(1, True, "answers", "", proved, (), 1)
    bench.write(lambda uow: accounts.record_test(uow, WORKSPACE, opened.id, test))
    assert (_state(bench, opened) is CircuitState.CLOSED) is closes


def _pass_time(bench: Workbench) -> None:
    """On PostgreSQL the database's own clock decides, so the circuit is aged there instead."""
    if bench.databases.dialect_name == "sqlite":
        bench.databases.clock.advance(s=COOLDOWN_S + 1)
        return
    from sqlalchemy import update

    from postroad.kernel.breaker import circuits

    bench.write(lambda uow: uow.connection.execute(update(circuits).values(open_until_ms=1)) and None)
