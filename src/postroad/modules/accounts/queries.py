"""What can be asked about accounts."""

from dataclasses import dataclass

from postroad.kernel.authz import Action, Resource
from postroad.kernel.pages import Listing, Page, PageRequest
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.accounts import store
from postroad.modules.accounts.model import Account, AccountFilter, AccountView
from postroad.modules.accounts.parts.finding import get
from postroad.modules.accounts.ports import SecretStates
from postroad.spi.secret_references import references_in


@dataclass(frozen=True, slots=True)
class AccountList:
    page: Page[AccountView]
    counters: dict[str, int]
    """Status → how many fit the other filters."""


def get_account(reading: Reading, workspace_id: str, account_id: str, secrets: SecretStates) -> AccountView:
    """Raises ResourceNotFound."""
    reading.authorize(Action.ACCOUNTS_READ, Resource(workspace_id, "account", account_id))
    return view_of(reading, get(reading, workspace_id, account_id), secrets)


def list_accounts(
    reading: Reading, workspace_id: str, request: PageRequest, wanted: AccountFilter, secrets: SecretStates
) -> AccountList:
    """Newest first. Raises ValidationFailed for a cursor of another list."""
    resource = Resource(workspace_id, "account")
    reading.authorize(Action.ACCOUNTS_READ, resource)
    listing = Listing.open(reading.cursors, request, resource, wanted.as_filters())
    page = store.page(reading, listing, workspace_id, wanted)
    views = tuple(_views(reading, workspace_id, page.items, secrets))
    return AccountList(
        Page(views, page.next_cursor, page.has_more), store.count_by_status(reading, workspace_id, wanted)
    )


def view_of(reading: Reading, account: Account, secrets: SecretStates) -> AccountView:
    return _views(reading, account.workspace_id, (account,), secrets)[0]


def account_to_refer_to(uow: UnitOfWork, workspace_id: str, account_id: str) -> Account | None:
    """Held until the end of the transaction, so that nobody archives it meanwhile; whoever asks has authorized."""
    return store.lock(uow, workspace_id, account_id, to_change=False)


def find_account(reading: Reading, workspace_id: str, account_id: str) -> Account | None:
    """For flows, which have authorized what they do with it."""
    return store.find(reading, workspace_id, account_id)


def lock_account_named(uow: UnitOfWork, workspace_id: str, name: str) -> Account | None:
    """The account of this name that is not archived. For flows, which have authorized what they do with it."""
    return store.lock_by_name(uow, workspace_id, name)


def _views(
    reading: Reading, workspace_id: str, accounts: tuple[Account, ...], secrets: SecretStates
) -> list[AccountView]:
    names = {one.id: references_in(one.config) for one in accounts}
    states = secrets.states(reading, workspace_id, names) if any(names.values()) else {}
    return [AccountView(one, states.get(one.id, {})) for one in accounts]
