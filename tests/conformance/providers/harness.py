"""What a provider gives to the conformance suite. Read this, then write one short file per provider.

    # tests/conformance/providers/test_acme.py
    from tests.conformance.providers.suite import ProviderSuite
    from tests.providers.acme.conformance import AcmeHarness

    class TestAcme(ProviderSuite):
        harness_type = AcmeHarness

`AcmeHarness` is a `ProviderHarness`: class attributes say which configurations are good and bad, and `remote` starts a
loopback stand-in of the vendor that behaves as told. The suite never sees the vendor's protocol; it sees `Behaviour`
words going in and `SendResult`s and decoded texts coming out.

What to fill in:

- `provider_id`, `provider_type` (the class that takes an `Egress`), `package` (where `schema/` and `README.md` are).
- `account`, `message`, `recipient`: one good example of each. Secrets stand in `account` as `{"$secret": "name"}`.
- `secrets`: the value of each name, made with `canary("name")`; the suite looks for canaries where none may be.
- `bad_accounts`, `bad_messages`: `Bad(config, field)`; the problem list must name exactly that field among others.
- `broken_templates`: messages whose template cannot be compiled, with the field to be named.
- `outlets`: every place where a recipient's text can go, and how it is escaped there (`OutletKind`). `matrix_message`
  puts `{{ nasty }}` (`{{ nasty_line }}` for LINE outlets) into all of them as the whole text of the outlet. The remote
  decodes what it got and reports it under the outlet's name. `header_message` puts `{{ nasty }}` where CR and LF must
  be refused; None if there is no such place.
- `categories`: for each `Category` the provider can give, the behaviour that makes it do so. The others stand in
  `unreachable` with a reason. A category from a render error is written as `RENDERS_BADLY`.
- `batch_message`: a message with which `send_batch` is used; None where `batch_size` is 1.

What to write:

- `remote(behaviour)`: an async context manager that yields a `Remote` with `account` and `message` pointing to it.
  `Behaviour` values must all be understood; your own words for `categories` are free texts.

A promise the provider cannot keep is declared in `exceptions`: name of the test → reason. The suite of this provider
is then without it.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from postroad.egress import Egress
from postroad.foundation.clock import SystemClock
from postroad.spi import (
    ConfigDocument,
    OpenContext,
    ProviderFactory,
    ProviderSession,
    Recipient,
    SendRequest,
    SendResult,
)
from postroad.vocabulary.errors import SecretMissing
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.secret import Secret
from postroad.vocabulary.values import RecipientValue

CANARY = "kanarienvogel"
"""Part of every secret in this suite. Whatever a person may read must not contain it."""

NASTY = "O'Brien <b>&\"\n\\ 张三 {{ x }} 100% 😀"
NASTY_LINE = NASTY.replace("\n", " ")

RENDERS_BADLY = "renders-badly"


def canary(name: str) -> str:
    return f"{CANARY}-{name}-3f1c9a"


class Behaviour(StrEnum):
    ACCEPTS = "accepts"
    """Takes every message."""
    REFUSES_CONNECTIONS = "refuses-connections"
    """Nobody listens at the port."""
    FAILS_BEFORE_COMMIT = "fails-before-commit"
    """The attempt ends before the descriptor's commit point: SMTP: the line is cut at RCPT; HTTP: nobody listens."""
    CUTS_AFTER_COMMIT = "cuts-after-commit"
    """Takes the whole message and closes the connection without an answer."""
    STAYS_SILENT = "stays-silent"
    """Takes the whole message and never answers."""
    ANSWERS_GARBAGE = "answers-garbage"
    """Takes the whole message and answers something that is not the protocol."""
    ECHOES = "echoes"
    """Refuses, and repeats what it was sent (credentials too) wherever its answer has room for text."""


class OutletKind(StrEnum):
    PLAIN = "plain"
    """Arrives exactly as it is in the row."""
    LINE = "line"
    """As PLAIN, for a place that cannot hold a line break; it gets the text without one."""
    HTML = "html"
    """Arrives HTML-escaped."""


@dataclass(frozen=True)
class Bad:
    config: Mapping[str, Any]
    field: str


@dataclass
class Remote:
    """A running stand-in. `received` has one map of outlet → decoded text per message taken, at the latest when the
    block of `remote` has ended."""

    account: Mapping[str, Any]
    message: Mapping[str, Any]
    received: list[dict[str, str]] = field(default_factory=list)


class Cancellation:
    is_cancelled = False


class ProviderHarness(ABC):
    provider_id: ClassVar[str]
    provider_type: ClassVar[Any]
    package: ClassVar[str]

    account: ClassVar[Mapping[str, Any]]
    message: ClassVar[Mapping[str, Any]]
    recipient: ClassVar[Mapping[str, RecipientValue]]
    secrets: ClassVar[Mapping[str, str]] = {}

    bad_accounts: ClassVar[Sequence[Bad]]
    bad_messages: ClassVar[Sequence[Bad]]
    broken_templates: ClassVar[Sequence[Bad]]

    outlets: ClassVar[Mapping[str, OutletKind]]
    matrix_message: ClassVar[Mapping[str, Any]]
    header_message: ClassVar[Mapping[str, Any] | None] = None

    categories: ClassVar[Mapping[Category, str]]
    unreachable: ClassVar[Mapping[Category, str]]

    batch_message: ClassVar[Mapping[str, Any] | None] = None
    exceptions: ClassVar[Mapping[str, str]] = {}
    silence_timeout_s: ClassVar[float] = 0.15

    def __init__(self) -> None:
        self.egress = Egress()
        self.factory: ProviderFactory = self.provider_type(self.egress)

    @abstractmethod
    def remote(self, behaviour: str) -> AbstractAsyncContextManager[Remote]:
        """A stand-in on 127.0.0.1 with a port of its own, stopped when the block ends."""

    def resolve(self, name: str) -> Secret:
        if name not in self.secrets:
            raise SecretMissing(f"no secret {name!r} in the harness", field=name)
        return Secret(self.secrets[name])

    def account_document(self, value: Mapping[str, Any]) -> ConfigDocument:
        return ConfigDocument.of(f"{self.provider_id}/account", "1", value)

    def message_document(self, value: Mapping[str, Any]) -> ConfigDocument:
        return ConfigDocument.of(f"{self.provider_id}/message", "1", value)

    def context(self, remote: Remote, concurrency: int = 1) -> OpenContext:
        """Allows the addresses written in the configuration, as an operator does, and no others."""
        account, message = self.account_document(remote.account), self.message_document(remote.message)
        for endpoint in self.factory.endpoints(account, message):
            host, _, port = endpoint.rpartition(":")
            self.egress.allow_literal(host.strip("[]"), int(port))
        return OpenContext(account, message, self, SystemClock(), Cancellation(), concurrency)

    @asynccontextmanager
    async def session(self, remote: Remote, concurrency: int = 1) -> AsyncIterator["Sending"]:
        """An open session with a renderer beside it."""
        context = self.context(remote, concurrency)
        session = await self.factory.open(context)
        try:
            yield Sending(self, session, context)
        finally:
            await session.aclose()


@dataclass
class Sending:
    harness: ProviderHarness
    session: ProviderSession
    context: OpenContext

    def __post_init__(self) -> None:
        self.renderer = self.harness.factory.compile(self.context.account, self.context.message)

    def request(
        self, fields: Mapping[str, RecipientValue] | None = None, *, sequence: int = 0, timeout_s: float = 10.0
    ) -> SendRequest:
        row = Recipient(sequence, dict(self.harness.recipient if fields is None else fields), sequence + 2)
        return SendRequest(
            sequence, 1, self.renderer.render(row), f"00000000-0000-8000-8000-{sequence:012d}", timeout_s
        )

    async def send(
        self, fields: Mapping[str, RecipientValue] | None = None, *, sequence: int = 0, timeout_s: float = 10.0
    ) -> SendResult:
        return await self.session.send(self.request(fields, sequence=sequence, timeout_s=timeout_s))
