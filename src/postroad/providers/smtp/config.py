"""The account and the message as this provider uses them: checked documents in, typed values out.

A schema says what shape a field has; this file says what fields mean together. Secrets stay names here.
"""

import ipaddress
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from postroad.egress import TlsOptions
from postroad.providerkit.schemas import secret_name
from postroad.providers.smtp.mail.addresses import AddressInvalid, ascii_domain, mailbox
from postroad.spi import ConfigDocument, Problem
from postroad.vocabulary.errors import ConfigInvalid


class Security(StrEnum):
    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


_PORTS = {Security.STARTTLS: 587, Security.TLS: 465, Security.NONE: 25}


@dataclass(frozen=True, slots=True)
class Account:
    host: str
    port: int
    security: Security
    tls: TlsOptions | None
    username: str
    password: str
    """Name of the secret, or empty where the server wants no login."""
    authentication: str
    sender: str
    client_name: str
    message_id_domain: str
    max_connections: int | None
    max_mails_per_connection: int
    max_idle_s: float
    connect_timeout_s: float
    command_timeout_s: float
    deferred_retry_s: float
    waits_for_quota: bool


def read_account(document: ConfigDocument) -> Account:
    """`document` must have passed the schema. Raises ConfigInvalid for what contradicts itself."""
    value = document.value()
    problems = account_problems(value)
    if problems:
        raise ConfigInvalid(problems[0].message, field=problems[0].field)
    security = Security(value.get("security", "starttls"))
    tls = value.get("tls")
    password = secret_name(value["password"], "password") if "password" in value else ""
    return Account(
        host=value["host"],
        port=value.get("port", _PORTS[security]),
        security=security,
        tls=TlsOptions(ca_file=tls.get("caFile", ""), server_name=tls.get("serverName", "")) if tls else None,
        username=value.get("username", ""),
        password=password,
        authentication=value.get("authentication", "auto"),
        sender=value.get("from", ""),
        client_name=value.get("clientName") or _own_name(),
        message_id_domain=ascii_domain(value["messageIdDomain"]) if "messageIdDomain" in value else "",
        max_connections=value.get("maxConnections"),
        max_mails_per_connection=value.get("maxMessagesPerConnection", 100),
        max_idle_s=value.get("maxIdleSeconds", 30.0),
        connect_timeout_s=value.get("connectTimeoutSeconds", 10.0),
        command_timeout_s=value.get("commandTimeoutSeconds", 60.0),
        deferred_retry_s=value.get("deferredRetrySeconds", 120.0),
        waits_for_quota=value.get("onDailyQuota", "stop") == "wait",
    )


def account_problems(value: Mapping[str, Any]) -> list[Problem]:
    """What the schema cannot say. `value` has passed the schema."""
    problems: list[Problem] = []
    if (
        value.get("security") == Security.NONE
        and not value.get("allowPlaintext")
        and not _is_this_machine(value["host"])
    ):
        problems.append(
            Problem(
                "security",
                "security: none sends mails and the password in clear to another machine; use starttls or tls, or set "
                "allowPlaintext to true for a network you trust",
                "PLAINTEXT",
            )
        )
    if "from" in value and (wrong := _address_problem(value["from"])):
        problems.append(Problem("from", f"from: {wrong}", "ADDRESS"))
    if "messageIdDomain" in value:
        try:
            ascii_domain(value["messageIdDomain"])
        except AddressInvalid as invalid:
            problems.append(Problem("messageIdDomain", f"messageIdDomain: {invalid}", "DOMAIN"))
    return problems


def _address_problem(text: str) -> str:
    try:
        mailbox(text)
    except AddressInvalid as invalid:
        return str(invalid)
    return ""


def _is_this_machine(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _own_name() -> str:
    """This machine's full name, or an address literal where it has none (RFC 5321 §4.1.3)."""
    name = platform.node()
    try:
        return ascii_domain(name) if "." in name else "[127.0.0.1]"
    except AddressInvalid:
        return "[127.0.0.1]"
