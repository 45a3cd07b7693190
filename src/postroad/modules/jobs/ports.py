"""What jobs need from elsewhere; the composition root fills it in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from postroad.kernel.uow import UnitOfWork
from postroad.spi import ConfigDocument, ProviderFactory


class Providers(Protocol):
    def factory(self, provider_id: str) -> ProviderFactory:
        """Raises ProviderNotAvailable, which lists the providers there are."""
        ...


@dataclass(frozen=True, slots=True)
class AccountRef:
    name: str
    provider_id: str
    status: str
    """ACTIVE, DISABLED or ARCHIVED."""
    document: ConfigDocument


@dataclass(frozen=True, slots=True)
class MessageRef:
    name: str
    provider_id: str
    status: str
    """ACTIVE or ARCHIVED."""
    document: ConfigDocument | None
    """Of the revision asked for, or of the latest; None where there is no such revision."""


@dataclass(frozen=True, slots=True)
class AudienceRef:
    name: str
    status: str


class JobReferences(Protocol):
    """What a job refers to, each held until the end of the transaction so that nobody archives it meanwhile."""

    def account(self, uow: UnitOfWork, workspace_id: str, account_id: str) -> AccountRef | None: ...

    def message(
        self, uow: UnitOfWork, workspace_id: str, message_id: str, revision: int | None
    ) -> MessageRef | None: ...

    def audience(self, uow: UnitOfWork, workspace_id: str, audience_id: str) -> AudienceRef | None: ...


@dataclass(frozen=True, slots=True)
class JobUse:
    """Something that still needs a job: a schedule that is enabled, a run that has not ended."""

    kind: str
    id: str
    name: str


class JobUses(Protocol):
    def of_job(self, uow: UnitOfWork, workspace_id: str, job_id: str) -> Sequence[JobUse]:
        """The first few are enough. The job is locked."""
        ...


@dataclass(frozen=True, slots=True)
class JobNeeds:
    providers: Providers
    references: JobReferences
    uses: JobUses
