"""Plans for requests to an nginx: one row, one POST that names its recipient in a header."""

from typing import Any

from tests.builders.nginx import Nginx
from tests.peers.sending import Plan, Row

MESSAGE: dict[str, Any] = {
    "path": "/to/{{ id }}",
    "headers": {"X-Recipient": "{{ id }}"},
    "bodyTemplate": {"to": "{{ id }}"},
}


def names(count: int) -> list[str]:
    return [f"p{n}" for n in range(count)]


def rows(count: int) -> list[Row]:
    return [{"id": name} for name in names(count)]


def plan(
    nginx: Nginx, *, tls: dict[str, str] | None = None, message: dict[str, Any] | None = None, **more: Any
) -> Plan:
    """`tls` is the account's; with it the scheme is https."""
    base = f"{'http' if tls is None else 'https'}://127.0.0.1:{nginx.port}"
    account: dict[str, Any] = {"baseUrl": base} | ({} if tls is None else {"tls": tls})
    return Plan("http", account, MESSAGE | (message or {}), "id", **more)
