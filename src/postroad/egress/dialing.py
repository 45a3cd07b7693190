"""From a host to a connected socket: resolve once, judge every address, connect to a judged one.

What was checked is what is dialled: the connection is made to the address, never to the name, so a name that changes
its answer in between changes nothing. One refused address among several refuses the host: an answer that mixes public
and private addresses is an attack or a mistake. No address at all is a failure, not a pass.

Answers are kept for a moment, because a run opens all its connections at once; they are judged at every use. An address
that did not take a connection is tried last for a while, so that a dead one costs its share of the time once and not at
every connection.
"""

import asyncio
import ipaddress
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from postroad.egress.faults import Fault, StreamFailed
from postroad.egress.names import Address, Host, parse_host
from postroad.egress.policy import AddressPolicy, unmapped
from postroad.egress.resolver import Resolver
from postroad.vocabulary.errors import EgressDenied

_KEPT_FOR_S = 2.0
_AVOIDED_FOR_S = 30.0
_KEPT_AT_MOST = 1000
DENIED = "blocked by egress policy"


class AddressDenied(EgressDenied):
    """`message` is fit for everybody; `rule` and `address` belong in an operator's log only."""

    def __init__(self, host: str, port: int, address: str, rule: str) -> None:
        super().__init__(DENIED)
        self.operator_detail = f"{DENIED}: {host}:{port} is {address} ({rule}); an operator may allow its network"


@dataclass(frozen=True, slots=True)
class _Kept:
    addresses: Sequence[str]
    until: float


class Dialer:
    """Shared by everything that leaves the process. Safe to use from one event loop at a time."""

    def __init__(self, policy: AddressPolicy, resolver: Resolver) -> None:
        self._policy = policy
        self._resolver = resolver
        self._literals: set[tuple[str, int]] = set()
        self._kept: dict[tuple[str, int], _Kept] = {}
        self._asking: dict[tuple[str, int], asyncio.Task[Sequence[str]]] = {}
        self._avoided_until: dict[Address, float] = {}

    def allow_literal(self, host: str, port: int) -> None:
        self._literals.add((parse_host(host).text, port))

    def refusal_of_literal(self, host: str) -> str | None:
        address = parse_host(host).address
        return None if address is None else self._policy.refusal(unmapped(address))

    async def checked_addresses(self, host: str, port: int) -> list[Address]:
        """Every address of `host`, all judged. Raises InvalidInput, EgressDenied, or StreamFailed (DNS)."""
        parsed = parse_host(host)
        literal = (parsed.text, port) in self._literals
        addresses = await self._addresses(parsed, port)
        for address in addresses:
            rule = self._policy.refusal(address, literal=literal)
            if rule is not None:
                raise AddressDenied(parsed.text, port, str(address), rule)
        return addresses

    async def dial(self, host: str, port: int, timeout_s: float) -> socket.socket:
        """A connected, non-blocking socket. Raises as `checked_addresses`, or StreamFailed (CONNECT, TIMEOUT)."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        try:
            async with asyncio.timeout_at(deadline):
                addresses = await self.checked_addresses(host, port)
        except TimeoutError:
            raise StreamFailed(Fault.TIMEOUT, "the name did not resolve in time") from None
        failure = StreamFailed(Fault.CONNECT, "no address took the connection")
        addresses.sort(key=lambda address: self._avoided_until.get(address, 0.0) > loop.time())
        for tried, address in enumerate(addresses):
            share = max(0.0, deadline - loop.time()) / (len(addresses) - tried)
            try:
                async with asyncio.timeout(share):
                    return await _connect(address, port)
            except TimeoutError:
                failure = StreamFailed(Fault.TIMEOUT, "the connection was not taken in time")
            except OSError as problem:
                reason = os.strerror(problem.errno) if problem.errno else "unreachable"
                failure = StreamFailed(Fault.CONNECT, f"connection failed: {reason}")
            self._avoid(address, loop.time())
        raise failure

    def _avoid(self, address: Address, now: float) -> None:
        if len(self._avoided_until) >= _KEPT_AT_MOST:
            self._avoided_until.clear()
        self._avoided_until[address] = now + _AVOIDED_FOR_S

    async def _addresses(self, host: Host, port: int) -> list[Address]:
        if host.address is not None:
            return [unmapped(host.address)]
        try:
            found = await self._resolve((host.text, port))
            addresses = [unmapped(ipaddress.ip_address(text)) for text in found]
        except (OSError, UnicodeError, ValueError):
            raise StreamFailed(Fault.DNS, "the name does not resolve") from None
        if not addresses:
            raise StreamFailed(Fault.DNS, "the name resolves to nothing")
        return list(dict.fromkeys(addresses))

    async def _resolve(self, key: tuple[str, int]) -> Sequence[str]:
        """One question for all who ask at once. A caller that is cancelled does not take the answer from others."""
        loop = asyncio.get_running_loop()
        kept = self._kept.get(key)
        if kept is not None and kept.until > loop.time():
            return kept.addresses
        task = self._asking.get(key)
        if task is None or task.get_loop() is not loop:
            task = loop.create_task(self._ask(key))
            self._asking[key] = task
        return await asyncio.shield(task)

    async def _ask(self, key: tuple[str, int]) -> Sequence[str]:
        try:
            found = tuple(await self._resolver.resolve(*key))
        finally:
            self._asking.pop(key, None)
        if len(self._kept) >= _KEPT_AT_MOST:
            self._kept.clear()
        self._kept[key] = _Kept(found, asyncio.get_running_loop().time() + _KEPT_FOR_S)
        return found


async def attach(sock: socket.socket, protocol: asyncio.Protocol) -> None:
    """Gives a dialled socket to `protocol`; the socket is closed on failure. Raises StreamFailed (CONNECT)."""
    try:
        await asyncio.get_running_loop().create_connection(lambda: protocol, sock=sock)
    except (OSError, RuntimeError):
        sock.close()
        raise StreamFailed(Fault.CONNECT, "the connection was lost at once") from None
    except BaseException:
        sock.close()
        raise


async def _connect(address: Address, port: int) -> socket.socket:
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(sock, (str(address), port))
    except BaseException:
        sock.close()
        raise
    return sock
