"""What a provider test needs around a session: a clock to set, secrets by name, a way out that may reach loopback."""

from collections.abc import Mapping
from typing import Any

from postroad.egress import AddressPolicy, Egress
from postroad.spi import ConfigDocument, OpenContext, Recipient, Renderer, SendRequest
from postroad.vocabulary.errors import SecretMissing
from postroad.vocabulary.secret import Secret
from postroad.vocabulary.values import RecipientValue

NOON_MS = 1_796_040_000_000
"""2026-11-30 12:00:00 UTC."""


class HandClock:
    """Stands still until `now` is set."""

    def __init__(self, now: int = NOON_MS) -> None:
        self.now = now

    def now_ms(self) -> int:
        return self.now

    def monotonic(self) -> float:
        return self.now / 1000


class NamedSecrets:
    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def resolve(self, name: str) -> Secret:
        if name not in self._texts:
            raise SecretMissing(f"the test gives no secret {name!r}")
        return Secret(self._texts[name])


class NeverCancelled:
    is_cancelled = False


def loopback_egress() -> Egress:
    return Egress(AddressPolicy(["127.0.0.0/8"]))


def config(value: Mapping[str, Any]) -> ConfigDocument:
    return ConfigDocument.of("test", "1", value)


def open_context(
    account: Mapping[str, Any], message: Mapping[str, Any], secrets: Mapping[str, str], clock: HandClock
) -> OpenContext:
    return OpenContext(config(account), config(message), NamedSecrets(secrets), clock, NeverCancelled(), concurrency=4)


def send_request(
    renderer: Renderer, sequence: int = 0, *, attempt: int = 1, timeout_s: float = 5.0, **fields: RecipientValue
) -> SendRequest:
    rendered = renderer.render(Recipient(sequence, fields))
    return SendRequest(sequence, attempt, rendered, f"item-{sequence}", timeout_s)
