"""The one object through which anything leaves the process. Made by the composition root and handed down."""

import functools
import ssl
from collections.abc import Callable
from typing import TYPE_CHECKING

from postroad.egress.dialing import Dialer
from postroad.egress.names import Address
from postroad.egress.policy import AddressPolicy
from postroad.egress.resolver import Resolver, SystemResolver
from postroad.egress.streams import Stream, open_stream
from postroad.egress.tls import TlsOptions, make_context
from postroad.egress.transport.exchange import HttpTransport
from postroad.egress.transport.lane import Lane
from postroad.egress.transport.request import Target

if TYPE_CHECKING:
    import httpx


class Egress:
    """`tls` replaces the default context (system authorities); `TlsOptions` given to a call replace both."""

    def __init__(
        self,
        policy: AddressPolicy | None = None,
        resolver: Resolver | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._dialer = Dialer(policy or AddressPolicy(), resolver or SystemResolver())
        self._default = functools.cache(lambda: tls or make_context(None))

    def allow_literal(self, host: str, port: int) -> None:
        """Opens a host that an operator wrote himself, on that port, wherever it resolves to except metadata.

        Never call it with a host that a template or a stranger made. Raises InvalidInput.
        """
        self._dialer.allow_literal(host, port)

    def refusal_of_literal(self, host: str) -> str | None:
        """The rule that refuses a host written as an address. None where it may be reached, and for a name: a name is
        judged each time it is resolved. Raises InvalidInput for what is no host."""
        return self._dialer.refusal_of_literal(host)

    async def checked_addresses(self, host: str, port: int) -> list[Address]:
        """For clients that connect by address themselves. Raises InvalidInput, EgressDenied or StreamFailed (DNS)."""
        return await self._dialer.checked_addresses(host, port)

    def transport(
        self,
        *,
        connections: int,
        connect_timeout_s: float = 5.0,
        max_answer_bytes: int = 65_536,
        tls: TlsOptions | None = None,
    ) -> HttpTransport:
        """A pool of at most `connections` per target. Close it with `aclose`. Bad TLS files raise ConfigInvalid."""
        context = self._context(tls)

        def make_lane(target: Target) -> Lane:
            return Lane(
                target,
                self._dialer,
                limit=connections,
                connect_timeout_s=connect_timeout_s,
                max_answer_bytes=max_answer_bytes,
                context=context,
                server_name=tls.server_name if tls is not None else "",
            )

        return HttpTransport(make_lane)

    async def open_stream(
        self, host: str, port: int, *, tls: bool, connect_timeout_s: float = 10.0, options: TlsOptions | None = None
    ) -> Stream:
        """A checked connection; with `tls` the handshake is done. The time covers name, connection and handshake.

        `options` also hold for a later `Stream.start_tls`. Raises InvalidInput, EgressDenied or StreamFailed.
        """
        return await open_stream(
            self._dialer,
            host,
            port,
            context=self._context(options)(),
            tls=tls,
            timeout_s=connect_timeout_s,
            server_name=options.server_name if options is not None else "",
        )

    def client(
        self, *, timeout_s: float, max_bytes: int, tls: TlsOptions | None = None, connections: int = 10
    ) -> "httpx.AsyncClient":
        """httpx under the same policy, for calls that are not bulk sends. `timeout_s` covers a call and its body.

        Loaded at the first use: httpx takes longer to import than all the rest of this room.
        """
        from postroad.egress.guarded import make_client

        return make_client(
            self._dialer,
            timeout_s=timeout_s,
            max_bytes=max_bytes,
            context=self._context(tls),
            connections=connections,
        )

    def _context(self, options: TlsOptions | None) -> Callable[[], ssl.SSLContext]:
        if options is None:
            return self._default
        context = make_context(options)
        return lambda: context
