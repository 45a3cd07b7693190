"""Accounts, messages and jobs: what they ask of channels, secrets, audiences and each other."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from postroad.app.areas.channels import Catalogue, ChannelsArea
from postroad.app.areas.files import FilesArea
from postroad.app.areas.snapshots import SnapshotRows
from postroad.app.areas.vault import VaultArea
from postroad.flows import account_setup
from postroad.flows.account_setup import (
    AccountChangeAsk,
    AccountSetup,
    ConnectionChecks,
    NewAccountAsk,
    Operation,
    SecretWish,
)
from postroad.flows.job_push import PushNeeds
from postroad.flows.message_preview import PreviewNeeds
from postroad.kernel.limits import MemoryLimiter
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules import accounts, audiences, jobs, messages
from postroad.modules.accounts import Account, AccountChange, AccountNeeds, NewAccount
from postroad.modules.jobs import AccountRef, AudienceRef, JobNeeds, MessageRef
from postroad.modules.messages import MessageNeeds
from postroad.reads import configuration_uses
from postroad.spi import ConfigDocument, ProviderFactory
from postroad.vocabulary.secret import Secret


class ConfigurationArea(ChannelsArea, FilesArea, VaultArea):
    @cached_property
    def configuration(self) -> "ConfigurationIn":
        return ConfigurationIn(self)


class ConfigurationIn:
    """`entrypoints.http.configuration.ConfigurationParts`."""

    def __init__(self, area: ConfigurationArea) -> None:
        channels = area.catalogue
        uses, references = _Uses(), _References()
        self.catalogue: Catalogue = channels
        self.account_setup = AccountSetup(AccountNeeds(channels, channels, uses), area.account_secrets)
        self.connection_checks = ConnectionChecks(
            area.database, area.account_secrets, _Connecting(channels), area.clock, MemoryLimiter(area.clock)
        )
        self.messages = MessageNeeds(channels, references, uses)
        self.previews = PreviewNeeds(area.database, self.messages, SnapshotRows(area.artifacts))
        self.jobs = JobNeeds(channels, references, uses)
        self.pushes = PushNeeds(_AccountSetter(self.account_setup), self.messages, self.jobs)


class _Connecting:
    """`flows.account_setup.ConnectionFactories`."""

    def __init__(self, channels: Catalogue) -> None:
        self._channels = channels

    def factory(self, provider_id: str) -> ProviderFactory:
        return self._channels.connecting_factory(provider_id)


class _Uses:
    """Who refers to an account, a message or a job."""

    def to_account(self, uow: UnitOfWork, workspace_id: str, account_id: str) -> Sequence[accounts.Referrer]:
        found = configuration_uses.uses_of_account(uow, workspace_id, account_id)
        return [accounts.Referrer(use.kind, use.id, use.name) for use in found]

    def to_message(self, uow: UnitOfWork, workspace_id: str, message_id: str) -> Sequence[messages.Referrer]:
        found = configuration_uses.uses_of_message(uow, workspace_id, message_id)
        return [messages.Referrer(use.kind, use.id, use.name) for use in found]

    def of_job(self, uow: UnitOfWork, workspace_id: str, job_id: str) -> Sequence[jobs.JobUse]:
        found = configuration_uses.uses_of_job(uow, workspace_id, job_id)
        return [jobs.JobUse(use.kind, use.id, use.name) for use in found]


class _References:
    """What a job refers to, and the account that a message is checked with."""

    def account(self, uow: UnitOfWork, workspace_id: str, account_id: str) -> AccountRef | None:
        found = accounts.account_to_refer_to(uow, workspace_id, account_id)
        if found is None:
            return None
        return AccountRef(found.name, found.provider_id, found.status.value, found.document)

    def message(self, uow: UnitOfWork, workspace_id: str, message_id: str, revision: int | None) -> MessageRef | None:
        found = messages.message_to_refer_to(uow, workspace_id, message_id)
        if found is None:
            return None
        content = messages.find_revision(uow, workspace_id, message_id, revision or found.current_revision)
        document = None if content is None else content.document
        return MessageRef(found.name, found.provider_id, found.status.value, document)

    def audience(self, uow: UnitOfWork, workspace_id: str, audience_id: str) -> AudienceRef | None:
        found = audiences.refer_to_audience(uow, workspace_id, audience_id)
        return None if found is None else AudienceRef(found.name, found.status.value)

    def document(self, reading: Reading, workspace_id: str, account_id: str) -> tuple[str, ConfigDocument] | None:
        found = accounts.find_account(reading, workspace_id, account_id)
        if found is None or found.status is accounts.AccountStatus.ARCHIVED:
            return None
        return found.provider_id, found.document


class _AccountSetter:
    """`flows.job_push.AccountSetter` over the flow that keeps accounts with their secrets."""

    def __init__(self, setup: AccountSetup) -> None:
        self._setup = setup

    def create(self, uow: UnitOfWork, ask: NewAccount, secrets: Mapping[str, Secret]) -> Account:
        return account_setup.create_account(uow, NewAccountAsk(ask, _wishes(secrets)), self._setup).account

    def change(self, uow: UnitOfWork, ask: AccountChange, secrets: Mapping[str, Secret]) -> Account:
        return account_setup.change_account(uow, AccountChangeAsk(ask, _wishes(secrets)), self._setup).account


def _wishes(secrets: Mapping[str, Secret]) -> dict[str, SecretWish]:
    return {name: SecretWish(Operation.REPLACE, value) for name, value in secrets.items()}
