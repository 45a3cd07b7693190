"""The worker's side of a crew. Its lease is the parent's pipe: when that closes, whatever the reason, the worker stops.

It stops hard: open attempts stay in the journal as they are and the next epoch settles them. Two seconds later it is
gone in any case, so a new parent never waits long for the shard's lock.
"""

import asyncio
import json
import os
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from typing import Any

from postroad.engine import EngineEvent, Lease, LeasedPacer
from postroad.engine.pacing import effective_rates
from postroad.flows.local_runs.ports import EndpointGate, ProviderLoader
from postroad.flows.local_runs.preparing.checking import allow_endpoints, factory_for
from postroad.flows.local_runs.running.board import AbortRun, BoardCommand
from postroad.flows.local_runs.running.cores import stay_on_core
from postroad.flows.local_runs.running.shard import ShardParts, run_shard
from postroad.flows.local_runs.running.shard_order import ShardOrder
from postroad.flows.local_runs.running.wire import MAX_LINE, command_of, error_json, event_json, lease_of, line
from postroad.foundation.secret_lookup import GivenSecrets
from postroad.recipients import Snapshot
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.errors import PostroadError

GRACE_S = 2.0
ORPHANED_EXIT_CODE = 75


WayOut = Callable[[Collection[str]], tuple[ProviderLoader, EndpointGate]]
"""Given the private networks that may be reached: the providers over a guarded way out, and its gate."""


async def serve_shard(way_out: WayOut, clock: Clock) -> int:
    """Reads its order from standard input, runs the shard, tells the parent; the exit code."""
    reader, writer = await _pipes()
    first = await reader.readline()
    if not first:
        return ORPHANED_EXIT_CODE
    said = json.loads(first)
    order = ShardOrder.from_json(said["order"])
    stay_on_core(order.shard, len(order.plan.shards))
    link = PipeLink(writer)
    listening = asyncio.create_task(link.listen(reader))
    try:
        provider_loader, gate = way_out(order.networks or ())
        parts = _parts(order, GivenSecrets(said["secrets"]), provider_loader, clock, link)
        if order.networks is None:
            allow_endpoints(order.plan.endpoints, gate)
        account = await run_shard(order, parts, link)
    except PostroadError as error:
        link.tell({"refused": error_json(error)})
    else:
        link.tell({"end": account.to_json()})
    finally:
        listening.cancel()
    await link.drain()
    return 0


class PipeLink:
    """The parent at the other end of two pipes: link of the engine and lender of tokens."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._arrived = asyncio.Event()
        self._waiting: deque[BoardCommand] = deque()
        self._asked: dict[int, asyncio.Future[Lease]] = {}
        self._number = 0

    def tell(self, message: dict[str, Any]) -> None:
        self._writer.write(line(message))

    async def drain(self) -> None:
        await self._writer.drain()

    async def publish(self, event: EngineEvent) -> None:
        self.tell({"event": event_json(event)})
        await self._writer.drain()

    async def aclose(self) -> None:
        return None

    def answered(self, command_id: str, applied: bool, text: str) -> None:
        self.tell({"answer": {"id": command_id, "applied": applied, "text": text}})

    async def commands(self) -> AsyncIterator[BoardCommand]:
        while True:
            while self._waiting:
                yield self._waiting.popleft()
            self._arrived.clear()
            if not self._waiting:
                await self._arrived.wait()

    async def lease(self, key: str, want: int) -> Lease:
        self._number += 1
        asked: asyncio.Future[Lease] = asyncio.get_running_loop().create_future()
        self._asked[self._number] = asked
        self.tell({"want": key, "tokens": want, "number": self._number})
        return await asked

    def slow(self, keys: Sequence[str], until_ms: float) -> None:
        self.tell({"slow": list(keys), "until": until_ms})

    async def listen(self, reader: asyncio.StreamReader) -> None:
        """Until the parent's pipe closes; then nothing holds this process any more."""
        while said := await reader.readline():
            message = json.loads(said)
            if "command" in message:
                self._put(command_of(message["command"]))
            elif "lent" in message:
                asked = self._asked.pop(message["number"], None)
                if asked is not None and not asked.done():
                    asked.set_result(lease_of(message["lent"]))
        asyncio.get_running_loop().call_later(GRACE_S, _leave)
        self._put(AbortRun("parent-gone"))

    def _put(self, command: BoardCommand) -> None:
        self._waiting.append(command)
        self._arrived.set()


def _parts(
    order: ShardOrder, secrets: GivenSecrets, provider_loader: ProviderLoader, clock: Clock, link: PipeLink
) -> ShardParts:
    factory = factory_for(provider_loader, order.plan.provider_id, order.plan.base)
    snapshot = Snapshot.open(order.send_folder.snapshot, sha256=order.plan.audience.sha256)
    pacer = None
    if order.shares_rate:
        descriptor = factory.descriptor
        rates = effective_rates(order.policies.rates, descriptor.limits, descriptor.default_rate)
        pacer = LeasedPacer(link, [key for key, rate in rates.items() if rate.count])
    return ShardParts(factory, secrets, clock, snapshot, pacer)


async def _pipes() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Standard input and output as streams. What else prints goes to standard error from here on."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=MAX_LINE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    protocol_maker: Callable[[], asyncio.streams.FlowControlMixin] = asyncio.streams.FlowControlMixin
    transport, protocol = await loop.connect_write_pipe(protocol_maker, out)
    return reader, asyncio.StreamWriter(transport, protocol, None, loop)


def _leave() -> None:
    os._exit(ORPHANED_EXIT_CODE)
