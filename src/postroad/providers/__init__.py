"""The channels that come with the program: one folder each, imported only when a run asks for it."""

from importlib import import_module
from typing import TYPE_CHECKING, cast

from postroad.spi import ProviderFactory
from postroad.vocabulary.errors import ProviderUnknown

if TYPE_CHECKING:
    from postroad.egress import Egress

BUILTIN: dict[str, str] = {
    "http": "postroad.providers.http:HttpProvider",
    "smtp": "postroad.providers.smtp:SmtpProvider",
    "feishu": "postroad.providers.feishu:FeishuProvider",
    "aliyun_sms": "postroad.providers.aliyun_sms:AliyunSmsProvider",
}
"""Provider id → `module:class`; the class takes the guarded way out and is a `ProviderFactory`."""


def load(provider_id: str, egress: "Egress") -> ProviderFactory:
    """The factory of a built-in provider. Raises ProviderUnknown, which lists the ids there are."""
    place = BUILTIN.get(provider_id)
    if place is None:
        known = ", ".join(sorted(BUILTIN))
        raise ProviderUnknown(f"there is no provider {provider_id!r}; the built-in ones are {known}", field="provider")
    module, _, name = place.partition(":")
    return cast(ProviderFactory, getattr(import_module(module), name)(egress))
