"""A provider pointed at a scripted server, ready to send."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.builders.provider_context import HandClock, config, loopback_egress, open_context
from tests.builders.smtp_server import SmtpServer

from postroad.providers.smtp import SmtpProvider
from postroad.spi import ProviderSession, Recipient, Renderer, SendRequest, SendResult
from postroad.vocabulary.values import RecipientValue

MESSAGE: Mapping[str, Any] = {"subject": "Hello {{ name }}", "text": "Dear {{ name }}"}
PASSWORD = "open sesame"


def account_at(server: SmtpServer, **more: Any) -> dict[str, Any]:
    """In clear and without a login, unless `more` says otherwise."""
    return {"host": "127.0.0.1", "port": server.port, "security": "none", "from": "news@example.org", **more}


@dataclass
class Token:
    is_cancelled: bool = False


@dataclass
class Mailing:
    session: ProviderSession
    renderer: Renderer
    token: Token

    def cancel(self) -> None:
        self.token.is_cancelled = True

    async def send(
        self, email: str = "ann@example.com", *, key: str = "item-1", timeout_s: float = 5.0, **fields: RecipientValue
    ) -> SendResult:
        row = Recipient(0, {"email": email, "name": "Ann", **fields})
        return await self.session.send(SendRequest(0, 1, self.renderer.render(row), key, timeout_s))


@asynccontextmanager
async def mailing(
    server: SmtpServer,
    message: Mapping[str, Any] = MESSAGE,
    *,
    clock: HandClock | None = None,
    files: Path | None = None,
    **account: Any,
) -> AsyncIterator[Mailing]:
    """Runs `server`, and closes the session at the end."""
    async with server.running():
        provider = SmtpProvider(loopback_egress(), files=files)
        token = Token()
        context = replace(
            open_context(account_at(server, **account), message, {"password": PASSWORD}, clock or HandClock()),
            cancellation=token,
        )
        renderer = provider.compile(context.account, context.message)
        session = await provider.open(context)
        try:
            yield Mailing(session, renderer, token)
        finally:
            await session.aclose()


def login(**more: Any) -> dict[str, Any]:
    return {"username": "news", "password": {"$secret": "password"}, **more}


__all__ = ["MESSAGE", "PASSWORD", "Mailing", "account_at", "config", "login", "mailing"]
