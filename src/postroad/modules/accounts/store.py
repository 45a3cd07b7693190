"""The statements of the table `accounts`."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, func, insert, select, update
from sqlalchemy.exc import IntegrityError

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
from postroad.vocabulary.refusals import ValidationFailed

_A = accounts.c


def add(uow: UnitOfWork, account: Account) -> None:
    """Raises ValidationFailed where the name is taken."""
    with _names_are_unique():
        uow.connection.execute(insert(accounts).values(id=account.id, **_values(account)))


def save(uow: UnitOfWork, account: Account) -> None:
    """Replaces what `lock` returned. Raises ValidationFailed where the name is taken."""
    with _names_are_unique():
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
    row = reading.connection.execute(select(accounts).where(*_is(workspace_id, account_id))).mappings().first()
    return _account(row) if row else None


def lock(uow: UnitOfWork, workspace_id: str, account_id: str, *, to_change: bool = True) -> Account | None:
    """The account, held until the end of the transaction: alone to change it, together with others to refer to it."""
    statement = select(accounts).where(*_is(workspace_id, account_id)).with_for_update(read=not to_change)
    row = uow.connection.execute(statement).mappings().first()
    return _account(row) if row else None


def lock_by_name(uow: UnitOfWork, workspace_id: str, name: str) -> Account | None:
    """The account of this name that is not archived, held alone until the end of the transaction."""
    named = (_A.workspace_id == workspace_id, _A.name_key == name_key(name), _A.status != AccountStatus.ARCHIVED)
    row = uow.connection.execute(select(accounts).where(*named).with_for_update()).mappings().first()
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
    statement = select(_A.status, func.count()).where(*_wanted(workspace_id, wanted)).group_by(_A.status)
    return {row[0]: row[1] for row in reading.connection.execute(statement)}


def _is(workspace_id: str, account_id: str) -> tuple[ColumnElement[bool], ...]:
    return (_A.workspace_id == workspace_id, _A.id == account_id)


def _wanted(workspace_id: str, wanted: AccountFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [_A.workspace_id == workspace_id]
    if wanted.name:
        conditions.append(_A.name_key.contains(name_key(wanted.name), autoescape=True))
    if wanted.provider_id:
        conditions.append(_A.provider_id == wanted.provider_id)
    if wanted.created_after_ms is not None:
        conditions.append(_A.created_at_ms >= wanted.created_after_ms)
    if wanted.created_before_ms is not None:
        conditions.append(_A.created_at_ms < wanted.created_before_ms)
    return conditions


@contextmanager
def _names_are_unique() -> Iterator[None]:
    try:
        yield
    except IntegrityError as error:
        said = "name: another account has this name; choose another one, or archive that account"
        raise ValidationFailed.of("name", "NAME_TAKEN", said) from error


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
