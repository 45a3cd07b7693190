"""The contract of a provider: what the factory promises, what a session promises."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from postroad.spi.config import ConfigDocument, Problem
from postroad.spi.descriptor import Capabilities, ProviderDescriptor
from postroad.spi.sending import Preview, Recipient, Rendered, SendRequest, SendResult
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.secret import Secret


class SecretResolver(Protocol):
    def resolve(self, name: str) -> Secret:
        """The secret called `name`. Raises SecretMissing, which says where it was looked for."""
        ...


class CancellationToken(Protocol):
    """Tells a send in flight that nobody waits for it any more. A provider that cannot stop ignores it."""

    @property
    def is_cancelled(self) -> bool: ...


class Renderer(Protocol):
    """A message compiled once per run. Pure: no secrets, no network, the same answer for the same recipient."""

    def render(self, recipient: Recipient) -> Rendered:
        """Raises RenderError where this recipient cannot have the message."""
        ...

    def preview(self, rendered: Rendered) -> Preview: ...


@dataclass(frozen=True, slots=True)
class OpenContext:
    """What a session gets. `concurrency` is the highest number of sends at once; pools size themselves by it."""

    account: ConfigDocument
    message: ConfigDocument
    secrets: SecretResolver
    clock: Clock
    cancellation: CancellationToken
    concurrency: int = 1


class Proof(StrEnum):
    """What a connection check can show. None of it says that a message reaches anybody."""

    CONNECTION = "CONNECTION"
    """The address may be reached and takes a connection."""
    ENCRYPTION = "ENCRYPTION"
    """The connection is encrypted and the certificate is the remote's."""
    CREDENTIALS = "CREDENTIALS"
    """The remote took the user, key, token or signature."""
    TEMPLATE = "TEMPLATE"
    """The remote knows the template or sender that a message names."""
    QUOTA = "QUOTA"
    """There is credit or quota left."""
    DELIVERY = "DELIVERY"
    """A message arrives."""


@dataclass(frozen=True, slots=True)
class ConnectionReport:
    """What `check_connection` found, as a person can read it. Nothing was sent to a recipient.

    `proved` and `not_proved` say how far the check went; what is in neither does not exist on this channel.
    """

    ok: bool
    summary: str
    category: str = ""
    proved: tuple[Proof, ...] = ()
    not_proved: tuple[Proof, ...] = ()


class ProviderFactory(Protocol):
    """Cheap to make and safe to share. Made by the composition root with the guarded way out it may use."""

    @property
    def descriptor(self) -> ProviderDescriptor: ...

    def validate_account(self, account: ConfigDocument) -> list[Problem]:
        """Schema and meaning, without network. Empty means good."""
        ...

    def validate_message(self, account: ConfigDocument, message: ConfigDocument) -> list[Problem]: ...

    def endpoints(self, account: ConfigDocument, message: ConfigDocument) -> tuple[str, ...]:
        """The `host:port` pairs written literally in the configuration, for the operator to see and allow.

        A host made by a template is never among them.
        """
        ...

    def compile(self, account: ConfigDocument, message: ConfigDocument) -> Renderer:
        """Raises TemplateInvalid or ConfigInvalid."""
        ...

    async def check_connection(self, context: OpenContext) -> ConnectionReport: ...

    async def open(self, context: OpenContext) -> "ProviderSession": ...


class ProviderSession(Protocol):
    async def send(self, request: SendRequest) -> SendResult:
        """One request, one answer. Never raises for what a remote can do; what it raises is settled as INTERNAL."""
        ...

    async def send_batch(self, requests: Sequence[SendRequest]) -> Sequence[SendResult]:
        """As many results as requests, in order. Called only where the descriptor's batch size is above one."""
        ...

    async def aclose(self) -> None:
        """Idempotent."""
        ...


@runtime_checkable
class ConfiguredCapabilities(Protocol):
    """A factory whose abilities depend on how it is configured: a remote that keeps idempotency keys says so there."""

    def capabilities_for(self, account: ConfigDocument, message: ConfigDocument) -> Capabilities: ...


def capabilities_of(factory: ProviderFactory, account: ConfigDocument, message: ConfigDocument) -> Capabilities:
    """What holds for one run: the configured abilities where the factory knows them, else its descriptor's."""
    if isinstance(factory, ConfiguredCapabilities):
        return factory.capabilities_for(account, message)
    return factory.descriptor.capabilities


@dataclass(frozen=True, slots=True)
class Price:
    """What one token of cost (one part of an SMS) costs, and in which currency (ISO 4217)."""

    per_part: float
    currency: str


@runtime_checkable
class ConfiguredPrice(Protocol):
    """A factory whose price stands in the account: contracts differ."""

    def price_for(self, account: ConfigDocument) -> Price | None: ...


def price_of(factory: ProviderFactory, account: ConfigDocument) -> Price | None:
    """The account's price where the factory reads one there, else its descriptor's; None where nobody knows."""
    if isinstance(factory, ConfiguredPrice):
        return factory.price_for(account)
    descriptor = factory.descriptor
    return None if descriptor.price_per_part is None else Price(descriptor.price_per_part, descriptor.currency)


@runtime_checkable
class ReadsFiles(Protocol):
    """A factory that reads files for its messages: attachments."""

    def with_files(self, folder: Path) -> ProviderFactory:
        """The same factory, with `folder` as the place below which files lie."""
        ...


def with_files(factory: ProviderFactory, folder: Path) -> ProviderFactory:
    """The factory as a job in `folder` uses it; itself where it reads no files."""
    return factory.with_files(folder) if isinstance(factory, ReadsFiles) else factory
