"""What accounts need from elsewhere; the composition root fills it in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.accounts.model import SecretState
from postroad.spi import ProviderFactory


class Providers(Protocol):
    def factory(self, provider_id: str) -> ProviderFactory:
        """Raises ProviderNotAvailable, which lists the providers there are."""
        ...


class AddressRules(Protocol):
    def refusal(self, host: str) -> str | None:
        """Why nothing may be sent to this host when it is written as an address; None where it may, and for a name,
        which is judged each time it is resolved."""
        ...


@dataclass(frozen=True, slots=True)
class Referrer:
    """Something that still needs an account: a job, a run that is under way."""

    kind: str
    id: str
    name: str


class References(Protocol):
    def to_account(self, uow: UnitOfWork, workspace_id: str, account_id: str) -> Sequence[Referrer]:
        """Jobs that are not archived and runs that have not ended; the first few are enough. The account is locked."""
        ...


class SecretStates(Protocol):
    def states(
        self, reading: Reading, workspace_id: str, names: Mapping[str, Sequence[str]]
    ) -> Mapping[str, Mapping[str, SecretState]]:
        """Account id → name → state, for the names that each account's configuration refers to. One query."""
        ...


@dataclass(frozen=True, slots=True)
class AccountNeeds:
    providers: Providers
    addresses: AddressRules
    references: References
