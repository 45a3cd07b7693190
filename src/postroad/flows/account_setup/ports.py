"""What setting up accounts needs from elsewhere; the composition root fills it in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from threading import BoundedSemaphore
from typing import Protocol

from postroad.kernel.database import Database
from postroad.kernel.limits import Limiter
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.accounts import AccountNeeds, SecretStates
from postroad.spi import ProviderFactory, SecretResolver
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.secret import Secret


class Operation(StrEnum):
    """What becomes of one secret. Source: spec wepush §30.2."""

    REPLACE = "REPLACE"
    KEEP = "KEEP"


@dataclass(frozen=True, slots=True)
class SecretWish:
    operation: Operation
    value: Secret | None = None
    """With REPLACE alone."""


class AccountSecrets(SecretStates, Protocol):
    """The secrets that belong to accounts, written in the caller's transaction."""

    def own_names(self, uow: UnitOfWork, workspace_id: str, account_id: str) -> frozenset[str]:
        """What the account has set of its own; held until the end of the transaction."""
        ...

    def change(self, uow: UnitOfWork, workspace_id: str, account_id: str, wishes: Mapping[str, SecretWish]) -> None:
        """Makes the account's secrets those of `wishes`: what is not among them is forgotten.

        Raises ValidationFailed at `secrets.<name>`, AccessDenied where secrets may not be written.
        """
        ...

    def resolver(
        self, reading: Reading, workspace_id: str, account_id: str, references: Sequence[str]
    ) -> SecretResolver:
        """The texts behind `references`, good after the transaction too. Raises SecretMissing."""
        ...


class ConnectionFactories(Protocol):
    def factory(self, provider_id: str) -> ProviderFactory:
        """One whose way out belongs to one check alone: a check runs an event loop of its own.

        Raises ProviderNotAvailable.
        """
        ...


@dataclass(frozen=True, slots=True)
class AccountSetup:
    """Made once by the composition root."""

    needs: AccountNeeds
    secrets: AccountSecrets


@dataclass(frozen=True, slots=True)
class ConnectionChecks:
    database: Database
    secrets: AccountSecrets
    factories: ConnectionFactories
    clock: Clock
    limiter: Limiter
    longest_s: float = 30.0
    """How long one check may take in all."""
    places: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(4))
    """How many may look at once: each holds a thread of its caller's until the remote answers."""
