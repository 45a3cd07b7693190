"""A look whether an account works: only when asked, outside any transaction, and it says what it proved."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest
from tests.builders.configuration import Workbench
from tests.builders.databases import WORKSPACE
from tests.builders.smtp_server import SmtpServer

from postroad import providers
from postroad.egress import AddressPolicy, Egress
from postroad.flows import account_setup
from postroad.flows.account_setup import CheckAsk, ConnectionChecks
from postroad.flows.account_setup.checking import CHECKS_A_MINUTE
from postroad.foundation.clock import SystemClock
from postroad.kernel.limits import MemoryLimiter
from postroad.kernel.versions import Expected
from postroad.modules import accounts
from postroad.modules.accounts import Account, AccountView
from postroad.spi import ConnectionReport, OpenContext, ProviderFactory
from postroad.vocabulary.refusals import AccessDenied, Overloaded, RateLimited, ResourceNotFound, StateConflict
from postroad.vocabulary.roles import Role


class Factories:
    def __init__(self, *allowed: str) -> None:
        self._allowed = allowed

    def factory(self, provider_id: str) -> ProviderFactory:
        return providers.load(provider_id, Egress(AddressPolicy(self._allowed)))


class Scripted:
    """A factory whose look does what the test says."""

    def __init__(self, look) -> None:
        self._look = look

    def factory(self, provider_id: str) -> "Scripted":
        return self

    async def check_connection(self, context: OpenContext) -> ConnectionReport:
        return await self._look(context)


@pytest.fixture
def listening() -> Iterator[int]:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield server.getsockname()[1]


def _checks(bench: Workbench, factories: object, **parts: object) -> ConnectionChecks:
    clock = SystemClock()
    return ConnectionChecks(bench.databases.database, bench.secrets, factories, clock, MemoryLimiter(clock), **parts)


def _http(bench: Workbench, port: int) -> Account:
    return bench.account(config={"baseUrl": f"http://127.0.0.1:{port}"})


def _check(bench: Workbench, account: Account, checks: ConnectionChecks, role: Role = Role.OPERATOR) -> AccountView:
    ask = CheckAsk(WORKSPACE, account.id, "trace", "127.0.0.1")
    return account_setup.check_connection(bench.databases.member(role), ask, checks)


def test_an_open_port_proves_a_connection_and_no_more(bench: Workbench, listening: int) -> None:
    account = _http(bench, listening)
    test = _check(bench, account, _checks(bench, Factories("127.0.0.0/8"))).account.last_test
    assert test is not None
    assert (test.ok, test.proved, test.not_proved) == (True, ("CONNECTION",), ("CREDENTIALS", "DELIVERY"))
    kept = bench.read(lambda reading: accounts.find_account(reading, WORKSPACE, account.id))
    assert kept is not None
    assert (kept.last_test, kept.version) == (test, 1)


async def test_a_login_proves_the_credentials(bench: Workbench) -> None:
    async with SmtpServer(users={"news": "pass"}).running() as server:
        config = {
            "host": "127.0.0.1",
            "port": server.port,
            "security": "none",
            "allowPlaintext": True,
            "username": "news",
            "password": {"$secret": "password"},
        }
        account = bench.account("Mail", "smtp", config)
        bench.secrets.texts[account.id, "password"] = "pass"
        checks = _checks(bench, Factories("127.0.0.0/8"))
        test = (await asyncio.to_thread(_check, bench, account, checks)).account.last_test
    assert test is not None
    assert (test.ok, "CREDENTIALS" in test.proved, "ENCRYPTION" in test.proved) == (True, True, False)


def test_an_address_that_may_not_be_reached_is_not_reached(bench: Workbench, listening: int) -> None:
    test = _check(bench, _http(bench, listening), _checks(bench, Factories())).account.last_test
    assert test is not None
    assert (test.ok, test.category, test.proved) == (False, "DENIED", ())


def test_a_closed_port_is_told_and_is_no_error(bench: Workbench, listening: int) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
    test = _check(bench, _http(bench, port), _checks(bench, Factories("127.0.0.0/8"))).account.last_test
    assert test is not None
    assert (test.ok, test.category) == (False, "CONNECT")
    assert bench.databases.audit.entries[-1].result == "FAILED"


def test_a_remote_that_never_answers_ends_with_the_time(bench: Workbench) -> None:
    async def hang(context: OpenContext) -> ConnectionReport:
        await asyncio.Event().wait()
        raise AssertionError

    test = _check(
        bench, bench.account(config={"baseUrl": "https://a.example"}), _checks(bench, Scripted(hang), longest_s=0.01)
    )
    assert test.account.last_test is not None
    assert test.account.last_test.category == "TIMEOUT"


def test_an_account_changed_meanwhile_shows_which_version_was_tested(bench: Workbench) -> None:
    account = bench.account(config={"baseUrl": "https://a.example"})

    async def change_meanwhile(context: OpenContext) -> ConnectionReport:
        def change() -> None:
            ask = accounts.AccountChange(WORKSPACE, account.id, Expected(1), name="Other")
            bench.write(lambda uow: accounts.change_account(uow, ask, bench.account_needs))

        thread = threading.Thread(target=change)
        thread.start()
        thread.join(5)
        return ConnectionReport(True, "fine")

    view = _check(bench, account, _checks(bench, Scripted(change_meanwhile)))
    assert view.account.last_test is not None
    assert (view.account.version, view.account.last_test.account_version) == (2, 1)


def test_a_vendor_check_that_breaks_is_told_by_its_code(bench: Workbench) -> None:
    account = bench.account("Robot", "feishu", {"webhook": {"$secret": "webhook"}})
    bench.secrets.texts[account.id, "webhook"] = "not an address"
    test = _check(bench, account, _checks(bench, Factories())).account.last_test
    assert test is not None
    assert (test.ok, test.category) == (False, "CONFIG_INVALID")
    assert "not an address" not in test.summary


def test_too_many_looks_are_refused(bench: Workbench) -> None:
    account = bench.account(config={"baseUrl": "https://a.example"})

    async def fine(context: OpenContext) -> ConnectionReport:
        return ConnectionReport(True, "fine")

    full = _checks(bench, Scripted(fine), places=threading.BoundedSemaphore(1))
    full.places.acquire()
    with pytest.raises(Overloaded):
        _check(bench, account, full)
    often = _checks(bench, Scripted(fine))
    for _ in range(CHECKS_A_MINUTE):
        _check(bench, account, often)
    with pytest.raises(RateLimited):
        _check(bench, account, often)


def test_only_who_may_test_tests_and_only_what_is_there(bench: Workbench) -> None:
    account = bench.account(config={"baseUrl": "https://a.example"})
    checks = _checks(bench, Scripted(None))
    with pytest.raises(AccessDenied):
        _check(bench, account, checks, Role.VIEWER)
    bench.write(lambda uow: account_setup.archive_account(uow, WORKSPACE, account.id, Expected(1), bench.setup))
    with pytest.raises(StateConflict):
        _check(bench, account, checks)
    with pytest.raises(ResourceNotFound):
        account_setup.check_connection(bench.operator, CheckAsk(WORKSPACE, "nobody"), checks)
