"""One look whether an account works, because somebody asked: nothing else opens a connection.

Prepare in a read transaction (the account, its secrets), look without any, record in a write transaction. Nothing is
sent to a recipient. The record names the version that was looked at: where the account was changed meanwhile, the
record says something about an older one, and shows that.
"""

import asyncio
from dataclasses import dataclass

from postroad.flows.account_setup.ports import ConnectionChecks
from postroad.kernel.authz import Action, Principal, Resource
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules import accounts
from postroad.modules.accounts import Account, AccountStatus, AccountView, ConnectionTest
from postroad.spi import ConfigDocument, ConnectionReport, OpenContext, Proof, SecretResolver
from postroad.spi.secret_references import references_in
from postroad.vocabulary.errors import EgressDenied, PostroadError
from postroad.vocabulary.refusals import Overloaded, ResourceNotFound, StateConflict

CHECKS_A_MINUTE = 20
"""Of one workspace."""


@dataclass(frozen=True, slots=True)
class CheckAsk:
    workspace_id: str
    account_id: str
    trace_id: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class _Prepared:
    account: Account
    secrets: SecretResolver


class _Nobody:
    """A cancellation token for what nobody cancels; the time runs out instead."""

    is_cancelled = False


def check_connection(principal: Principal, ask: CheckAsk, checks: ConnectionChecks) -> AccountView:
    """The account with what was found. Blocks until the remote answered or the time is over, outside any transaction.

    Raises ResourceNotFound, AccessDenied, StateConflict for an archived account, SecretMissing, ProviderNotAvailable,
    RateLimited, Overloaded where too many are looking at once.
    """
    prepared = checks.database.read(principal, lambda reading: _prepare(reading, ask, checks))
    checks.limiter.take(f"connection-test:{ask.workspace_id}", CHECKS_A_MINUTE, 60.0)
    if not checks.places.acquire(blocking=False):
        raise Overloaded("several connections are being tested just now; try again", retry_after_s=5.0)
    try:
        report = _look(prepared, checks)
    finally:
        checks.places.release()
    account = prepared.account
    test = ConnectionTest(
        at_ms=checks.clock.now_ms(),
        ok=report.ok,
        summary=report.summary,
        category=report.category,
        proved=tuple(proof.value for proof in report.proved),
        not_proved=tuple(proof.value for proof in (*report.not_proved, Proof.DELIVERY)),
        account_version=account.version,
    )

    def record(uow: UnitOfWork) -> AccountView:
        kept = accounts.record_test(uow, ask.workspace_id, ask.account_id, test)
        return accounts.view_of(uow, kept, checks.secrets)

    return checks.database.write(principal, record, correlation_id=ask.trace_id, source_address=ask.address)


def _prepare(reading: Reading, ask: CheckAsk, checks: ConnectionChecks) -> _Prepared:
    reading.authorize(Action.ACCOUNTS_TEST, Resource(ask.workspace_id, "account", ask.account_id))
    account = accounts.find_account(reading, ask.workspace_id, ask.account_id)
    if account is None:
        raise ResourceNotFound("there is no such account in this workspace")
    if account.status is AccountStatus.ARCHIVED:
        raise StateConflict(f"the account {account.name!r} is archived; its secrets are gone")
    names = references_in(account.config)
    return _Prepared(account, checks.secrets.resolver(reading, ask.workspace_id, account.id, names))


def _look(prepared: _Prepared, checks: ConnectionChecks) -> ConnectionReport:
    account = prepared.account
    factory = checks.factories.factory(account.provider_id)
    nothing = ConfigDocument.of(f"{account.provider_id}/message", account.schema_version, {})
    context = OpenContext(account.document, nothing, prepared.secrets, checks.clock, _Nobody())

    async def look() -> ConnectionReport:
        async with asyncio.timeout(checks.longest_s):
            return await factory.check_connection(context)

    try:
        return asyncio.run(look())
    except TimeoutError:
        return ConnectionReport(False, f"no answer within {checks.longest_s:g} seconds", "TIMEOUT")
    except EgressDenied as denied:
        return ConnectionReport(False, denied.message, "DENIED")
    except PostroadError as error:
        return ConnectionReport(False, error.message, error.code)
