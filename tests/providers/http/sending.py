"""Sending over loopback: one provider, one account, one message, one service that answers as told."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.builders.http_service import HttpService, Reply, Script, http_service

from postroad.egress import Egress
from postroad.providers.http import HttpProvider
from postroad.spi import ConfigDocument, OpenContext, ProviderSession, Recipient, Renderer, SendRequest, SendResult
from postroad.vocabulary.secret import Secret

KEY = "0190a1b2-0000-8000-8000-000000000001"


@dataclass
class StillClock:
    at_ms: int = 1_445_412_420_000
    """Wed, 21 Oct 2015 07:27:00 GMT."""

    def now_ms(self) -> int:
        return self.at_ms

    def monotonic(self) -> float:
        return self.at_ms / 1000


class Secrets:
    def resolve(self, name: str) -> Secret:
        return Secret(f"secret-of-{name}")


class NotCancelled:
    is_cancelled = False


@dataclass
class Channel:
    """An open session. `send` renders a row and makes one attempt."""

    service: HttpService
    session: ProviderSession
    renderer: Renderer
    clock: StillClock = field(default_factory=StillClock)

    async def send(self, timeout_s: float = 10.0, **row: Any) -> SendResult:
        rendered = self.renderer.render(Recipient(0, row, 2))
        return await self.session.send(SendRequest(0, 1, rendered, KEY, timeout_s))


@asynccontextmanager
async def channel(
    script: Script | Reply, message: Mapping[str, Any], account: Mapping[str, Any] | None = None
) -> AsyncIterator[Channel]:
    egress, clock = Egress(), StillClock()
    provider = HttpProvider(egress)
    async with http_service(script) as service:
        base = f"http://127.0.0.1:{service.port}"
        account_document = ConfigDocument.of("http/account", "1", {"baseUrl": base, **(account or {})})
        message_document = ConfigDocument.of("http/message", "1", {"path": "/send", **message})
        assert provider.validate_account(account_document) == []
        assert provider.validate_message(account_document, message_document) == []
        egress.allow_literal("127.0.0.1", service.port)
        context = OpenContext(account_document, message_document, Secrets(), clock, NotCancelled(), 4)
        session = await provider.open(context)
        try:
            yield Channel(service, session, provider.compile(account_document, message_document), clock)
        finally:
            await session.aclose()
