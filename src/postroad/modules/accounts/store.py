"""The statements of the table `accounts`."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, insert, select, update

from postroad.kernel import named
from postroad.kernel.named import fitting, names_are_unique, of_name, one_row
from postroad.kernel.pages import Listing, Page
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.accounts._tables import accounts
from postroad.modules.accounts.model import (
    Account,
    AccountFilter,
    AccountStatus,
    ConnectionTest,
    config_of,
    test_of,
)
from postroad.vocabulary.names import name_key

_A = accounts.c


def add(uow: UnitOfWork, account: Account) -> None:
    """Raises ValidationFailed where the name is taken."""
    with names_are_unique("account"):
        uow.connection.execute(insert(accounts).values(id=account.id, **_values(account)))


def save(uow: UnitOfWork, account: Account) -> None:
    """Replaces what `lock` returned. Raises ValidationFailed where the name is taken."""
    with names_are_unique("account"):
        uow.connection.execute(update(accounts).where(_A.id == account.id).values(**_values(account)))


def save_test(uow: UnitOfWork, account_id: str, test: ConnectionTest) -> None:
    """Keeps the last test. It is no change of the account: its version stays."""
    uow.connection.execute(update(accounts).where(_A.id == account_id).values(last_test=test.as_json()))


def trial_run(reading: Reading, account_id: str) -> str | None:
    """The run that was let through the circuit last as a trial."""
    found: str | None = reading.connection.execute(
        select(_A.trial_run_id).where(_A.id == account_id)
    ).scalar_one_or_none()
    return found


def save_trial_run(uow: UnitOfWork, account_id: str, run_id: str | None) -> None:
    uow.connection.execute(update(accounts).where(_A.id == account_id).values(trial_run_id=run_id))


def find(reading: Reading, workspace_id: str, account_id: str) -> Account | None:
    row = (
        reading.connection.execute(select(accounts).where(*one_row(accounts, workspace_id, account_id)))
        .mappings()
        .first()
    )
    return _account(row) if row else None


def lock(uow: UnitOfWork, workspace_id: str, account_id: str, *, to_change: bool = True) -> Account | None:
    """The account, held until the end of the transaction: alone to change it, together with others to refer to it."""
    statement = select(accounts).where(*one_row(accounts, workspace_id, account_id)).with_for_update(read=not to_change)
    row = uow.connection.execute(statement).mappings().first()
    return _account(row) if row else None


def lock_by_name(uow: UnitOfWork, workspace_id: str, name: str) -> Account | None:
    """The account of this name that is not archived, held alone until the end of the transaction."""
    row = (
        uow.connection.execute(select(accounts).where(*of_name(accounts, workspace_id, name)).with_for_update())
        .mappings()
        .first()
    )
    return _account(row) if row else None


def page(reading: Reading, listing: Listing, workspace_id: str, wanted: AccountFilter) -> Page[Account]:
    """Newest first."""
    statement = select(accounts).where(*_wanted(workspace_id, wanted))
    if wanted.status:
        statement = statement.where(_A.status == wanted.status)
    rows = reading.connection.execute(listing.newest_first(statement, accounts)).mappings().all()
    return listing.page([_account(row) for row in rows], lambda one: (one.created_at_ms, one.id))


def count_by_status(reading: Reading, workspace_id: str, wanted: AccountFilter) -> dict[str, int]:
    """How many fit all of the filter but its status, by status."""
    return named.count_by_status(reading, accounts, _wanted(workspace_id, wanted))


def _wanted(workspace_id: str, wanted: AccountFilter) -> list[ColumnElement[bool]]:
    conditions = fitting(accounts, workspace_id, wanted)
    if wanted.provider_id:
        conditions.append(_A.provider_id == wanted.provider_id)
    return conditions


def _values(account: Account) -> Mapping[str, Any]:
    return {
        "workspace_id": account.workspace_id,
        "provider_id": account.provider_id,
        "schema_version": account.schema_version,
        "name": account.name,
        "name_key": name_key(account.name),
        "config": account.document.canonical.decode(),
        "status": account.status.value,
        "last_test": account.last_test.as_json() if account.last_test else None,
        "version": account.version,
        "created_at_ms": account.created_at_ms,
        "updated_at_ms": account.updated_at_ms,
    }


def _account(row: RowMapping) -> Account:
    return Account(
        id=row["id"],
        workspace_id=row["workspace_id"],
        provider_id=row["provider_id"],
        schema_version=row["schema_version"],
        name=row["name"],
        config=config_of(row["config"]),
        status=AccountStatus(row["status"]),
        last_test=test_of(row["last_test"]),
        version=row["version"],
        created_at_ms=row["created_at_ms"],
        updated_at_ms=row["updated_at_ms"],
    )
