"""What pushing a job needs from elsewhere; the composition root fills it in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from postroad.kernel.uow import UnitOfWork
from postroad.modules.accounts import Account, AccountChange, NewAccount
from postroad.modules.jobs import JobNeeds
from postroad.modules.messages import MessageNeeds
from postroad.vocabulary.secret import Secret


class AccountSetter(Protocol):
    """Accounts together with their secrets, in the caller's transaction."""

    def create(self, uow: UnitOfWork, ask: NewAccount, secrets: Mapping[str, Secret]) -> Account:
        """Raises ProviderConfigInvalid below `config`, ValidationFailed below `secrets`."""
        ...

    def change(self, uow: UnitOfWork, ask: AccountChange, secrets: Mapping[str, Secret]) -> Account:
        """The given secrets are replaced, the others kept. Raises as `create`."""
        ...


@dataclass(frozen=True, slots=True)
class PushNeeds:
    """Made once by the composition root."""

    accounts: AccountSetter
    messages: MessageNeeds
    jobs: JobNeeds
