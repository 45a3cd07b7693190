"""Channels: the providers that come with the program, behind the address policy of the service."""

from collections.abc import Mapping
from functools import cached_property

from postroad import providers
from postroad.app.areas.ground import Ground
from postroad.egress import AddressPolicy, Egress
from postroad.spi import ProviderDescriptor, ProviderFactory
from postroad.vocabulary.errors import InvalidInput, ProviderUnknown
from postroad.vocabulary.refusals import ProviderNotAvailable


class ChannelsArea(Ground):
    @cached_property
    def address_policy(self) -> AddressPolicy:
        """Private addresses are refused but for the networks that the operator opened; metadata services always."""
        return AddressPolicy(self.settings.security.allowed_networks)

    @cached_property
    def catalogue(self) -> "Catalogue":
        return Catalogue(self.address_policy)


class Catalogue:
    """Factories by provider id. Those of `factory` check and compile; they share one way out and connect to nothing."""

    def __init__(self, policy: AddressPolicy) -> None:
        self._policy = policy
        self._egress = Egress(policy)

    def descriptors(self) -> Mapping[str, ProviderDescriptor]:
        return {provider_id: self.factory(provider_id).descriptor for provider_id in providers.BUILTIN}

    def factory(self, provider_id: str) -> ProviderFactory:
        """Raises ProviderNotAvailable."""
        return _loaded(provider_id, self._egress)

    def connecting_factory(self, provider_id: str) -> ProviderFactory:
        """One with a way out of its own, for one event loop. Raises ProviderNotAvailable."""
        return _loaded(provider_id, Egress(self._policy))

    def refusal(self, host: str) -> str | None:
        """`modules.accounts.AddressRules`."""
        try:
            return self._egress.refusal_of_literal(host)
        except InvalidInput as invalid:
            return invalid.message


def _loaded(provider_id: str, egress: Egress) -> ProviderFactory:
    try:
        return providers.load(provider_id, egress)
    except ProviderUnknown as unknown:
        raise ProviderNotAvailable(unknown.message, field="providerId") from unknown
