"""Refuses requests for host names that are not ours.

A page of another site can let its own name resolve to our address and then read our answers as its own (DNS rebinding).
It needs a name for that: IP literals and `localhost` are always taken, names only when the settings know them.
"""

import ipaddress
from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from postroad.entrypoints.http.conventions.error_answers import problem
from postroad.entrypoints.http.conventions.tracing import trace_of


class OwnHosts:
    def __init__(self, app: ASGIApp, *, names: Iterable[str]) -> None:
        self._app = app
        self._names = frozenset({"localhost", *(name.lower() for name in names)})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._is_ours(_host(scope)):
            await self._app(scope, receive, send)
            return
        detail = "this service does not answer under that host name; add it to security.allowedHosts"
        await problem(421, "HOST_UNKNOWN", detail, trace_of(scope))(scope, receive, send)

    def _is_ours(self, host: str) -> bool:
        if host in self._names:
            return True
        try:
            ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True


def _host(scope: Scope) -> str:
    """The name in the Host header without its port, in lower case; empty when there is not exactly one."""
    given: list[bytes] = [value for name, value in scope["headers"] if name == b"host"]
    if len(given) != 1:
        return ""
    host = given[0].decode("latin-1").strip().lower()
    return host[: host.index("]") + 1] if host.startswith("[") and "]" in host else host.split(":")[0]
