"""Names into addresses. The port tests replace, so that a name can change its answer between two looks."""

import asyncio
import socket
from collections.abc import Sequence
from typing import Protocol


class Resolver(Protocol):
    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """Every address of `host` as text, in the order to try. Raises OSError where there is none."""
        ...


class SystemResolver:
    """The operating system's resolver, asked in a thread of the loop's pool. Never asked for an IP literal."""

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
        return [str(entry[4][0]) for entry in found]
