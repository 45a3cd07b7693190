"""Secrets on the wire. No answer has a text."""

from typing import Literal

from pydantic import Field, SecretStr

from postroad.entrypoints.http.conventions import Asked, Instant, PageShown, Shown, stamp
from postroad.modules.secrets import LARGEST_BYTES
from postroad.vocabulary.secret import Secret


class SecretShown(Shown):
    namespace: str
    name: str
    configured: bool
    version: int
    created_at: Instant = stamp("created_at_ms")
    updated_at: Instant = stamp("updated_at_ms")


class SecretPage(Shown):
    items: list[SecretShown]
    page: PageShown


class SecretVersionShown(Shown):
    version: int
    is_current: bool
    updated_at: Instant = stamp("updated_at_ms")
    updated_by: str


class SecretPut(Asked):
    operation: Literal["REPLACE"] = "REPLACE"
    value: SecretStr = Field(max_length=LARGEST_BYTES)

    def secret(self) -> Secret:
        return Secret(self.value.get_secret_value())
