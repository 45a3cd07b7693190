"""What the routes of providers, accounts, messages and jobs ask of the composition root."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from postroad.entrypoints.http.composition import HttpComposition

if TYPE_CHECKING:
    from postroad.flows.account_setup import AccountSetup, ConnectionChecks
    from postroad.flows.job_push import PushNeeds
    from postroad.flows.message_preview import PreviewNeeds
    from postroad.modules.jobs import JobNeeds
    from postroad.modules.messages import MessageNeeds
    from postroad.spi import ProviderDescriptor


class ProviderCatalogue(Protocol):
    def descriptors(self) -> "Mapping[str, ProviderDescriptor]":
        """By id. Blocks at the first call, when the channels are loaded."""
        ...


class ConfigurationParts(Protocol):
    @property
    def catalogue(self) -> ProviderCatalogue: ...
    @property
    def account_setup(self) -> "AccountSetup": ...
    @property
    def connection_checks(self) -> "ConnectionChecks": ...
    @property
    def messages(self) -> "MessageNeeds": ...
    @property
    def previews(self) -> "PreviewNeeds": ...
    @property
    def jobs(self) -> "JobNeeds": ...
    @property
    def pushes(self) -> "PushNeeds": ...


class ConfigurationComposition(HttpComposition, Protocol):
    @property
    def configuration(self) -> ConfigurationParts: ...
