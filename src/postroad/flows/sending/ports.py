"""What sending needs from elsewhere; the composition root fills it in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from postroad.flows.sending.confirmations import ConfirmationKey
from postroad.kernel.database import Database
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.runs import RunSurroundings
from postroad.spi import ProviderFactory, Recipient


class Providers(Protocol):
    def factory(self, provider_id: str) -> ProviderFactory:
        """Raises ProviderNotAvailable, which lists the providers there are."""
        ...


@dataclass(frozen=True, slots=True)
class SendableAudience:
    """The present snapshot of an audience in use."""

    audience_id: str
    name: str
    snapshot_id: str
    revision: int
    artifact_id: str
    sha256: str
    record_count: int
    columns: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...] = ()
    """(name, column): other names for the same value."""


RowReader = Callable[[int], Sequence[Recipient]]
"""`read(limit)`: the first recipients of a snapshot. Reads a file, so it is called outside of any transaction."""


class Audiences(Protocol):
    def find(self, reading: Reading, workspace_id: str, audience_id: str) -> SendableAudience:
        """Raises ResourceNotFound, StateConflict where it is archived or its recipients are deleted."""
        ...

    def hold(self, uow: UnitOfWork, workspace_id: str, audience_id: str) -> SendableAudience:
        """The same, held until the end of the transaction so that nobody archives or changes it meanwhile."""
        ...

    def reader(self, reading: Reading, workspace_id: str, audience: SendableAudience) -> RowReader:
        """Raises ArtifactNotReady."""
        ...


class Circuits(Protocol):
    def open_until(self, reading: Reading, workspace_id: str, account_id: str) -> int | None:
        """Until when the account's circuit lets no run begin; None where it does. Looking takes no trial."""
        ...


class Secrets(Protocol):
    def missing(
        self, reading: Reading, workspace_id: str, account_id: str, references: Sequence[str]
    ) -> tuple[str, ...]:
        """Those of the references that no secret answers."""
        ...


@dataclass(frozen=True, slots=True)
class ShardRule:
    """How many parts a run is cut into: one for each `recipients`, at most `most`."""

    recipients: int = 250_000
    most: int = 1

    def parts(self, count: int) -> int:
        return max(1, min(self.most, -(-count // self.recipients)))


@dataclass(frozen=True, slots=True)
class SendingNeeds:
    """Made once by the composition root."""

    database: Database
    providers: Providers
    audiences: Audiences
    circuits: Circuits
    secrets: Secrets
    runs: RunSurroundings
    key: ConfirmationKey
    engine_version: str
    shards: ShardRule
    new_id: Callable[[], str]
