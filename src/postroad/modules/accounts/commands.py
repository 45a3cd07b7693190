"""What can be done to an account. Its secrets are written beside it by the flow `account_setup`, in one transaction."""

from dataclasses import dataclass

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import Aggregate, UnitOfWork
from postroad.kernel.versions import Expected, expect
from postroad.modules.accounts import store
from postroad.modules.accounts.model import Account, AccountStatus, Config, ConnectionTest
from postroad.modules.accounts.parts.checking import checked_document
from postroad.modules.accounts.parts.circuit import close_circuit
from postroad.modules.accounts.parts.finding import locked
from postroad.modules.accounts.ports import AccountNeeds
from postroad.vocabulary.events import EventName
from postroad.vocabulary.names import resource_name
from postroad.vocabulary.refusals import StateConflict, ValidationFailed


@dataclass(frozen=True, slots=True)
class NewAccount:
    workspace_id: str
    provider_id: str
    name: str
    config: Config


@dataclass(frozen=True, slots=True)
class AccountChange:
    """None leaves a part as it is."""

    workspace_id: str
    account_id: str
    expected: Expected
    name: str | None = None
    config: Config | None = None
    status: AccountStatus | None = None
    """ACTIVE or DISABLED."""


def create_account(uow: UnitOfWork, ask: NewAccount, needs: AccountNeeds) -> Account:
    """Raises ProviderNotAvailable, ProviderConfigInvalid, ValidationFailed (also for a name that is taken)."""
    uow.authorize(Action.ACCOUNTS_WRITE, Resource(ask.workspace_id, "account"))
    document = checked_document(ask.provider_id, ask.config, needs)
    account = Account(
        id=uow.new_id(),
        workspace_id=ask.workspace_id,
        provider_id=ask.provider_id,
        schema_version=document.schema_version,
        name=resource_name(ask.name),
        config=document.value(),
        status=AccountStatus.ACTIVE,
        last_test=None,
        version=1,
        created_at_ms=uow.now_ms,
        updated_at_ms=uow.now_ms,
    )
    store.add(uow, account)
    _tell(uow, account, "CREATED", ())
    return account


def change_account(uow: UnitOfWork, ask: AccountChange, needs: AccountNeeds, *, touched: bool = False) -> Account:
    """The account after the change; itself, with its version, where nothing differs and it was not `touched`.

    `touched` says that something beside it changed that belongs to it: a secret. Raises as `create_account`, and
    ResourceNotFound, VersionConflict, StateConflict for an archived one.
    """
    uow.authorize(Action.ACCOUNTS_WRITE, Resource(ask.workspace_id, "account", ask.account_id))
    before = locked(uow, ask.workspace_id, ask.account_id)
    expect(before.version, ask.expected, {"name": before.name, "updatedAtMs": before.updated_at_ms})
    name = before.name if ask.name is None else resource_name(ask.name)
    status = _status(before, ask.status)
    document = before.document
    if ask.config is not None:
        document = checked_document(before.provider_id, ask.config, needs)
    fields = tuple(
        field
        for field, differs in (
            ("name", name != before.name),
            ("config", document != before.document),
            ("status", status is not before.status),
            ("secrets", touched),
        )
        if differs
    )
    if not fields:
        return before
    after = before.changed(
        uow.now_ms, name=name, config=document.value(), schema_version=document.schema_version, status=status
    )
    store.save(uow, after)
    if "config" in fields or touched:
        close_circuit(uow, after.workspace_id, after.id)
    _tell(uow, after, "CHANGED", fields)
    return after


def archive_account(
    uow: UnitOfWork, workspace_id: str, account_id: str, expected: Expected, needs: AccountNeeds
) -> Account:
    """Puts it away for good and frees its name. An archived one stays as it is.

    Raises ResourceNotFound, VersionConflict, and StateConflict with what still refers to it.
    """
    uow.authorize(Action.ACCOUNTS_WRITE, Resource(workspace_id, "account", account_id))
    before = locked(uow, workspace_id, account_id)
    expect(before.version, expected, {"name": before.name, "updatedAtMs": before.updated_at_ms})
    if before.status is AccountStatus.ARCHIVED:
        return before
    referrers = needs.references.to_account(uow, workspace_id, account_id)
    if referrers:
        told = ", ".join(f"{one.kind} {one.name!r}" for one in referrers[:5])
        raise StateConflict(f"the account {before.name!r} is still used by {told}; archive or end these first")
    after = before.changed(uow.now_ms, status=AccountStatus.ARCHIVED)
    store.save(uow, after)
    close_circuit(uow, workspace_id, account_id)
    _tell(uow, after, "ARCHIVED", ("status",))
    return after


def record_test(uow: UnitOfWork, workspace_id: str, account_id: str, test: ConnectionTest) -> Account:
    """Keeps what a connection test found. Credentials that the remote took close the circuit.

    Raises ResourceNotFound.
    """
    resource = Resource(workspace_id, "account", account_id)
    uow.authorize(Action.ACCOUNTS_TEST, resource)
    locked(uow, workspace_id, account_id)
    store.save_test(uow, account_id, test)
    if test.ok and "CREDENTIALS" in test.proved:
        close_circuit(uow, workspace_id, account_id)
    payload = {
        "accountId": account_id,
        "ok": test.ok,
        "category": test.category,
        "accountVersion": test.account_version,
    }
    uow.emit(EventName.ACCOUNT_TESTED, Aggregate("account_test", uow.new_id(), 1), payload, workspace_id=workspace_id)
    uow.audit("account.tested", resource, result="OK" if test.ok else "FAILED", details={"category": test.category})
    return locked(uow, workspace_id, account_id)


def _status(before: Account, wanted: AccountStatus | None) -> AccountStatus:
    if wanted is AccountStatus.ARCHIVED:
        raise ValidationFailed.of("status", "INVALID", "status: must be ACTIVE or DISABLED; to archive it, delete it")
    return before.status if wanted is None else wanted


def _tell(uow: UnitOfWork, account: Account, change: str, fields: tuple[str, ...]) -> None:
    uow.emit(
        EventName.ACCOUNT_CHANGED,
        Aggregate("account", account.id, account.version),
        {
            "accountId": account.id,
            "providerId": account.provider_id,
            "change": change,
            "fields": list(fields),
            "status": account.status.value,
        },
        workspace_id=account.workspace_id,
    )
    resource = Resource(account.workspace_id, "account", account.id)
    details = {"name": account.name, "provider": account.provider_id, "fields": list(fields)}
    uow.audit(f"account.{change.lower()}", resource, details=details)
