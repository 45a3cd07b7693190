"""Providers: the channels there are, their limits and the schemas of what they want to know."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from postroad.entrypoints.http.configuration import ConfigurationComposition
from postroad.entrypoints.http.conventions import Caller, Router, path_part, problems
from postroad.entrypoints.http.wire.providers import ProviderList, ProviderShown, SchemaShown, shown_provider
from postroad.spi import ProviderDescriptor
from postroad.vocabulary.refusals import ResourceNotFound

ProviderId = Annotated[str, path_part("providerId", 40)]


class SchemaKind(StrEnum):
    ACCOUNT = "account"
    MESSAGE = "message"
    RECIPIENT = "recipient"


def add_routes(router: Router, composition: ConfigurationComposition) -> None:
    """Below /providers. For everybody who is known: a channel belongs to no workspace."""

    @router.get("/providers")
    async def list_providers(caller: Caller) -> ProviderList:
        """All channels, by name."""
        found = await caller.run(composition.configuration.catalogue.descriptors)
        return ProviderList(items=[shown_provider(found[name]) for name in sorted(found)])

    @router.get("/providers/{providerId}", responses=problems(404))
    async def get_provider(caller: Caller, provider_id: ProviderId) -> ProviderShown:
        """One channel: its limits, its default rate, what it can do."""
        return shown_provider(_known(await caller.run(composition.configuration.catalogue.descriptors), provider_id))

    @router.get("/providers/{providerId}/schemas/{kind}", responses=problems(404))
    async def get_provider_schema(caller: Caller, provider_id: ProviderId, kind: SchemaKind) -> SchemaShown:
        """The JSON Schema of an account, a message or a recipient, with the hints a form is made from."""
        one = _known(await caller.run(composition.configuration.catalogue.descriptors), provider_id)
        schemas = {
            SchemaKind.ACCOUNT: one.account_schema,
            SchemaKind.MESSAGE: one.message_schema,
            SchemaKind.RECIPIENT: one.recipient_schema,
        }
        return SchemaShown(
            provider_id=one.provider_id,
            kind=kind.value,
            schema_version=one.schema_version,
            json_schema=dict(schemas[kind]),
            ui_schema=dict(one.ui_schema.get(kind.value, {})),
        )


def _known(found: Mapping[str, ProviderDescriptor], provider_id: str) -> ProviderDescriptor:
    if provider_id not in found:
        raise ResourceNotFound(f"there is no provider of this id; there are {', '.join(sorted(found))}")
    return found[provider_id]
