"""One account, or the refusal that there is none."""

from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.accounts import store
from postroad.modules.accounts.model import Account
from postroad.vocabulary.refusals import ResourceNotFound


def get(reading: Reading, workspace_id: str, account_id: str) -> Account:
    """Raises ResourceNotFound."""
    return _there(store.find(reading, workspace_id, account_id))


def locked(uow: UnitOfWork, workspace_id: str, account_id: str) -> Account:
    """Held alone until the end of the transaction. Raises ResourceNotFound."""
    return _there(store.lock(uow, workspace_id, account_id))


def _there(found: Account | None) -> Account:
    if found is None:
        raise ResourceNotFound("there is no such account in this workspace")
    return found
