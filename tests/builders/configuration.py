"""Accounts, messages and jobs on a test database, with real providers and made-up neighbours.

bench = Workbench(databases)
account = bench.account(name="Shop")
job = bench.job(account=account)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from postroad import providers
from postroad.egress import Egress
from postroad.flows.account_setup import AccountSetup, Operation, SecretWish
from postroad.kernel.authz import Principal
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.kernel.versions import Expected
from postroad.modules import accounts, jobs, messages
from postroad.modules.accounts import Account, AccountNeeds, SecretState
from postroad.modules.jobs import AccountRef, AudienceRef, Job, JobNeeds, JobUse, MessageRef, NewJob, Sending
from postroad.modules.messages import MessageNeeds, MessageResult
from postroad.spi import ConfigDocument, ProviderFactory
from postroad.vocabulary.errors import ProviderUnknown
from postroad.vocabulary.refusals import ProviderNotAvailable, ValidationFailed
from postroad.vocabulary.roles import Role
from postroad.vocabulary.secret import Secret
from tests.builders.databases import WORKSPACE, Databases

T = TypeVar("T")
HTTP_CONFIG: Mapping[str, Any] = {
    "baseUrl": "https://api.example.com/v1",
    "auth": {"type": "BEARER", "token": {"$secret": "token"}},
}
HTTP_CONTENT: Mapping[str, Any] = {"path": "/send", "bodyTemplate": {"to": "{{ name }}"}}
AUDIENCE = "0190a000-0000-7000-8000-0000000000aa"


class RealProviders:
    """Those that come with the program. They never connect in these tests."""

    def __init__(self) -> None:
        self._egress = Egress()

    def factory(self, provider_id: str) -> ProviderFactory:
        try:
            return providers.load(provider_id, self._egress)
        except ProviderUnknown as unknown:
            raise ProviderNotAvailable(unknown.message, field="providerId") from unknown


@dataclass
class Addresses:
    refused: dict[str, str] = field(default_factory=dict)

    def refusal(self, host: str) -> str | None:
        return self.refused.get(host)


@dataclass
class Referring:
    """Who refers to what, by its id."""

    found: dict[str, list[accounts.Referrer]] = field(default_factory=dict)

    def to_account(self, uow: UnitOfWork, workspace_id: str, account_id: str) -> Sequence[accounts.Referrer]:
        named = jobs.jobs_with_account(uow, workspace_id, account_id)
        return [accounts.Referrer("job", one, name) for one, name in named] + self.found.get(account_id, [])

    def to_message(self, uow: UnitOfWork, workspace_id: str, message_id: str) -> Sequence[messages.Referrer]:
        named = jobs.jobs_with_message(uow, workspace_id, message_id)
        return [messages.Referrer("job", one, name) for one, name in named]

    def of_job(self, uow: UnitOfWork, workspace_id: str, job_id: str) -> Sequence[JobUse]:
        return [JobUse(one.kind, one.id, one.name) for one in self.found.get(job_id, [])]


class KeptSecrets:
    """Keeps texts in memory, also of transactions that were rolled back."""

    def __init__(self) -> None:
        self.texts: dict[tuple[str, str], str] = {}

    def own_names(self, uow: UnitOfWork, workspace_id: str, account_id: str) -> frozenset[str]:
        return frozenset(name for owner, name in self.texts if owner == account_id)

    def change(self, uow: UnitOfWork, workspace_id: str, account_id: str, wishes: Mapping[str, SecretWish]) -> None:
        for owner, name in list(self.texts):
            if owner == account_id and name not in wishes:
                del self.texts[owner, name]
        for name, wish in wishes.items():
            if wish.operation is Operation.REPLACE:
                if wish.value is None:
                    raise ValidationFailed.of(f"secrets.{name}", "SECRET_VALUE_MISSING", "needs a value")
                self.texts[account_id, name] = wish.value.reveal()

    def states(
        self, reading: Reading, workspace_id: str, names: Mapping[str, Sequence[str]]
    ) -> Mapping[str, Mapping[str, SecretState]]:
        return {
            one: {name: SecretState((one, name) in self.texts, None) for name in wanted}
            for one, wanted in names.items()
        }

    def resolver(
        self, reading: Reading, workspace_id: str, account_id: str, references: Sequence[str]
    ) -> "KeptResolver":
        return KeptResolver({name: Secret(self.texts[account_id, name]) for name in references})


@dataclass
class KeptResolver:
    texts: Mapping[str, Secret]

    def resolve(self, name: str) -> Secret:
        return self.texts[name]


class Neighbours:
    """What jobs and messages ask of the other rooms."""

    def __init__(self) -> None:
        self.audiences = {AUDIENCE: AudienceRef("People", "ACTIVE")}

    def account(self, uow: UnitOfWork, workspace_id: str, account_id: str) -> AccountRef | None:
        found = accounts.account_to_refer_to(uow, workspace_id, account_id)
        return found and AccountRef(found.name, found.provider_id, found.status.value, found.document)

    def message(self, uow: UnitOfWork, workspace_id: str, message_id: str, revision: int | None) -> MessageRef | None:
        found = messages.message_to_refer_to(uow, workspace_id, message_id)
        if found is None:
            return None
        content = messages.find_revision(uow, workspace_id, message_id, revision or found.current_revision)
        return MessageRef(found.name, found.provider_id, found.status.value, content and content.document)

    def audience(self, uow: UnitOfWork, workspace_id: str, audience_id: str) -> AudienceRef | None:
        return self.audiences.get(audience_id)

    def document(self, reading: Reading, workspace_id: str, account_id: str) -> tuple[str, ConfigDocument] | None:
        found = accounts.find_account(reading, workspace_id, account_id)
        return None if found is None else (found.provider_id, found.document)


class Workbench:
    def __init__(self, databases: Databases) -> None:
        self.databases = databases
        self.operator = databases.member(Role.OPERATOR)
        self.addresses, self.referring, self.secrets = Addresses(), Referring(), KeptSecrets()
        self.neighbours = Neighbours()
        real = RealProviders()
        self.account_needs = AccountNeeds(real, self.addresses, self.referring)
        self.message_needs = MessageNeeds(real, self.neighbours, self.referring)
        self.job_needs = JobNeeds(real, self.neighbours, self.referring)
        self.setup = AccountSetup(self.account_needs, self.secrets)

    def write(self, work: Callable[[UnitOfWork], T], principal: Principal | None = None) -> T:
        return self.databases.database.write(principal or self.operator, work)

    def read(self, work: Callable[[Reading], T], principal: Principal | None = None) -> T:
        return self.databases.database.read(principal or self.operator, work)

    def account(self, name: str = "Shop", provider: str = "http", config: Mapping[str, Any] = HTTP_CONFIG) -> Account:
        ask = accounts.NewAccount(WORKSPACE, provider, name, config)
        return self.write(lambda uow: accounts.create_account(uow, ask, self.account_needs))

    def message(
        self, name: str = "Welcome", provider: str = "http", content: Mapping[str, Any] = HTTP_CONTENT
    ) -> MessageResult:
        ask = messages.NewMessage(WORKSPACE, provider, name, content)
        return self.write(lambda uow: messages.create_message(uow, ask, self.message_needs))

    def revise(self, found: MessageResult, content: Mapping[str, Any]) -> MessageResult:
        ask = messages.MessageChange(WORKSPACE, found.message.id, Expected(found.message.version), content=content)
        return self.write(lambda uow: messages.change_message(uow, ask, self.message_needs))

    def job(
        self,
        name: str = "Greeting",
        account: Account | None = None,
        message: MessageResult | None = None,
        revision: int | None = None,
    ) -> Job:
        sending = Sending((account or self.account()).id, (message or self.message()).message.id, revision, AUDIENCE)
        ask = NewJob(WORKSPACE, name, sending)
        return self.write(lambda uow: jobs.create_job(uow, ask, self.job_needs))
