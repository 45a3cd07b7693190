"""Accounts together with their secrets: both are kept in one transaction or neither is.

A secret belongs to the account that names it. Whatever an account does not name any more is forgotten; what a change
does not mention is kept. A name that the account has not set of its own may stand for a secret of the workspace, so an
account may be kept before all its secrets are set: its view says which are.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from postroad.flows.account_setup.ports import AccountSetup, Operation, SecretWish
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.versions import Expected
from postroad.modules import accounts
from postroad.modules.accounts import AccountChange, AccountView, NewAccount
from postroad.spi.secret_references import references_in
from postroad.vocabulary.refusals import FieldProblem, ValidationFailed

Wishes = Mapping[str, SecretWish]


@dataclass(frozen=True, slots=True)
class NewAccountAsk:
    account: NewAccount
    secrets: Wishes


@dataclass(frozen=True, slots=True)
class AccountChangeAsk:
    change: AccountChange
    secrets: Wishes


def create_account(uow: UnitOfWork, ask: NewAccountAsk, setup: AccountSetup) -> AccountView:
    """Raises as `accounts.create_account`, and ValidationFailed for a secret that nothing names."""
    account = accounts.create_account(uow, ask.account, setup.needs)
    wishes = _complete(ask.secrets, own_names(account.config), frozenset())
    if wishes:
        setup.secrets.change(uow, account.workspace_id, account.id, wishes)
    return accounts.view_of(uow, account, setup.secrets)


def change_account(uow: UnitOfWork, ask: AccountChangeAsk, setup: AccountSetup) -> AccountView:
    """Raises as `accounts.change_account`, and ValidationFailed for a secret that nothing names or KEEP of none.

    A replaced secret makes a new version of the account, even where its text is the old one: nobody compares texts.
    """
    change = ask.change
    replaces = any(wish.operation is Operation.REPLACE for wish in ask.secrets.values())
    account = accounts.change_account(uow, change, setup.needs, touched=replaces)
    if change.config is not None or ask.secrets:
        kept = setup.secrets.own_names(uow, account.workspace_id, account.id)
        wishes = _complete(ask.secrets, own_names(account.config), kept)
        if replaces or wishes.keys() != kept:
            setup.secrets.change(uow, account.workspace_id, account.id, wishes)
    return accounts.view_of(uow, account, setup.secrets)


def archive_account(
    uow: UnitOfWork, workspace_id: str, account_id: str, expected: Expected, setup: AccountSetup
) -> AccountView:
    """Forgets its secrets too. Raises as `accounts.archive_account`."""
    account = accounts.archive_account(uow, workspace_id, account_id, expected, setup.needs)
    if setup.secrets.own_names(uow, workspace_id, account.id):
        setup.secrets.change(uow, workspace_id, account.id, {})
    return accounts.view_of(uow, account, setup.secrets)


def own_names(config: Mapping[str, object]) -> frozenset[str]:
    """The secrets that a configuration may have of its own: those named without a namespace."""
    return frozenset(name for name in references_in(config) if "/" not in name)


def _complete(asked: Wishes, named: frozenset[str], kept: frozenset[str]) -> dict[str, SecretWish]:
    """All secrets the account shall have. What the configuration does not name may not be asked for."""
    problems = [FieldProblem(f"secrets.{name}", "NOT_NAMED", _said(name, named)) for name in asked if name not in named]
    problems += [
        FieldProblem(f"secrets.{name}", "SECRET_NOT_SET", "there is nothing to KEEP yet; say REPLACE")
        for name, wish in asked.items()
        if wish.operation is Operation.KEEP and name in named and name not in kept
    ]
    if problems:
        raise ValidationFailed(f"{problems[0].path}: {problems[0].message}", problems=problems)
    untouched = {name: SecretWish(Operation.KEEP) for name in named & kept}
    return untouched | dict(asked)


def _said(name: str, named: frozenset[str]) -> str:
    known = ", ".join(sorted(named)) or "none"
    return f'the configuration does not name it as {{"$secret": "{name[:100]}"}}; it names {known}'
