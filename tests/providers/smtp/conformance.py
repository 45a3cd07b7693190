"""The mail server behind the provider conformance suite."""

import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from tests.builders.smtp_server import DROP, ECHO, GARBAGE, SILENCE, Received, SmtpServer
from tests.conformance.providers.harness import Bad, Behaviour, OutletKind, ProviderHarness, Remote, canary

from postroad.providers.smtp import SmtpProvider
from postroad.vocabulary.outcomes import Category

ANSWERS: Mapping[str, Mapping[str, str | list[str]]] = {
    Behaviour.FAILS_BEFORE_COMMIT: {"RCPT": DROP},
    Behaviour.CUTS_AFTER_COMMIT: {"dot": DROP},
    Behaviour.STAYS_SILENT: {"dot": SILENCE},
    Behaviour.ANSWERS_GARBAGE: {"dot": GARBAGE},
    Behaviour.ECHOES: {"dot": ECHO},
    "wrong password": {"AUTH": "535 5.7.8 no"},
    "sender not allowed": {"MAIL": "550 5.7.1 not yours"},
    "too large": {"dot": "552 5.3.4 too big"},
    "nobody there": {"RCPT": "550 5.1.1 unknown"},
    "quota": {"MAIL": "451 4.7.1 daily limit reached"},
    "greylisted": {"RCPT": "451 4.7.1 greylisted"},
    "spam": {"dot": "554 5.7.1 spam"},
}


@dataclass
class _Server(SmtpServer):
    """Reports outlet → text for each mail it took."""

    outlets: list[dict[str, str]] | None = None

    def took(self, received: Received) -> None:
        assert self.outlets is not None
        self.outlets.append(outlets_of(received))


def outlets_of(received: Received) -> dict[str, str]:
    mail = received.mail
    found = {"subject": str(mail["Subject"]), "header": str(mail.get("X-Note", ""))}
    found["name"] = mail["To"].addresses[0].display_name
    for outlet, kind in (("text", "plain"), ("html", "html")):
        if (body := mail.get_body((kind,))) is not None:
            found[outlet] = body.get_content().replace("\r\n", "\n").removesuffix("\n")
    return found


class SmtpHarness(ProviderHarness):
    provider_id = "smtp"
    provider_type = SmtpProvider
    package = "postroad.providers.smtp"

    account: ClassVar[Mapping[str, Any]] = {
        "host": "mail.example.org",
        "username": "news",
        "password": {"$secret": "password"},
        "from": "News <news@example.org>",
    }
    message: ClassVar[Mapping[str, Any]] = {"subject": "Hello {{ name }}", "text": "Dear {{ name }}"}
    recipient: ClassVar[Mapping[str, Any]] = {"email": "ann@example.com", "name": "Ann"}
    secrets: ClassVar[Mapping[str, str]] = {"password": canary("password")}

    bad_accounts = (
        Bad({**account, "host": "mail.example.org:25/x"}, "host"),
        Bad({**account, "port": 0}, "port"),
        Bad({**account, "security": "none"}, "security"),
        Bad({**account, "security": "ssl"}, "security"),
        Bad({**account, "from": "not an address"}, "from"),
        Bad({**account, "messageIdDomain": "a b"}, "messageIdDomain"),
    )
    bad_messages = (
        Bad({**message, "to": "a b"}, "to"),
        Bad({**message, "subject": "a\r\nBcc: x@example.org"}, "subject"),
        Bad({**message, "headers": {"Bcc": "x@example.org"}}, "headers.Bcc"),
        Bad({**message, "headers": {"Content-Type": "text/plain"}}, "headers.Content-Type"),
        Bad({**message, "unsubscribe": {"url": "http://example.org/{{ t }}"}}, "unsubscribe.url"),
        Bad({**message, "unsubscribe": {"url": "https://example.org/all"}}, "unsubscribe.url"),
        Bad({**message, "attachments": [{"path": "terms.pdf"}]}, "attachments[0].path"),
    )
    broken_templates = (
        Bad({**message, "subject": "{{ name"}, "subject"),
        Bad({**message, "text": "{% if %}"}, "text"),
        Bad({**message, "html": "{{ name|nofilter }}"}, "html"),
        Bad({**message, "to": "{{ email }"}, "to"),
    )

    outlets: ClassVar[Mapping[str, OutletKind]] = {
        "subject": OutletKind.LINE,
        "header": OutletKind.LINE,
        "name": OutletKind.LINE,
        "text": OutletKind.PLAIN,
        "html": OutletKind.HTML,
    }
    matrix_message: ClassVar[Mapping[str, Any]] = {
        "to": "{{ nasty_line }} <{{ email }}>",
        "subject": "{{ nasty_line }}",
        "headers": {"X-Note": "{{ nasty_line }}"},
        "text": "{{ nasty }}",
        "html": "{{ nasty }}",
    }
    header_message: ClassVar[Mapping[str, Any]] = {"subject": "{{ nasty }}"}

    silence_timeout_s = 0.4

    categories: ClassVar[Mapping[Category, str]] = {
        Category.AUTHENTICATION: "wrong password",
        Category.AUTHORIZATION: "sender not allowed",
        Category.INVALID_REQUEST: "too large",
        Category.RECIPIENT_INVALID: "nobody there",
        Category.RATE_LIMITED: "quota",
        Category.TEMPORARY_REMOTE: "greylisted",
        Category.PERMANENT_REMOTE: "spam",
        Category.NETWORK: Behaviour.REFUSES_CONNECTIONS,
        Category.TIMEOUT: Behaviour.STAYS_SILENT,
        Category.UNKNOWN: Behaviour.ANSWERS_GARBAGE,
    }
    unreachable: ClassVar[Mapping[Category, str]] = {
        Category.CANCELLED: "given when the run is cancelled before the dot; the provider's own tests show it",
        Category.INTERNAL: "the engine's word for what a provider raises",
    }

    @asynccontextmanager
    async def remote(self, behaviour: str) -> AsyncIterator[Remote]:
        server = _Server(answers=ANSWERS.get(behaviour, {}), users={"news": self.secrets["password"]})
        account = {**self.account, "host": "127.0.0.1", "security": "none"}
        if behaviour == Behaviour.REFUSES_CONNECTIONS:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            yield Remote({**account, "port": port}, self.message)
            return
        async with server.running():
            remote = Remote({**account, "port": server.port}, self.message)
            server.outlets = remote.received
            yield remote
