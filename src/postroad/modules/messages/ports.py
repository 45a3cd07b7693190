"""What messages need from elsewhere; the composition root fills it in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from postroad.kernel.uow import Reading, UnitOfWork
from postroad.spi import ConfigDocument, ProviderFactory


class Providers(Protocol):
    def factory(self, provider_id: str) -> ProviderFactory:
        """Raises ProviderNotAvailable, which lists the providers there are."""
        ...


class AccountDocuments(Protocol):
    def document(self, reading: Reading, workspace_id: str, account_id: str) -> tuple[str, ConfigDocument] | None:
        """(provider id, configuration) of an account that is not archived; None where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Referrer:
    """Something that still needs a message: a job, a run that is under way."""

    kind: str
    id: str
    name: str


class References(Protocol):
    def to_message(self, uow: UnitOfWork, workspace_id: str, message_id: str) -> Sequence[Referrer]:
        """Jobs that are not archived and runs that have not ended; the first few are enough. The message is locked."""
        ...


@dataclass(frozen=True, slots=True)
class MessageNeeds:
    providers: Providers
    accounts: AccountDocuments
    references: References
