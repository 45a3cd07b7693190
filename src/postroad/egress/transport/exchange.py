"""The door of the transport: lanes by target, one sweeper for all deadlines, faults turned into answers."""

import asyncio
from collections.abc import Callable

from postroad.egress.dialing import AddressDenied
from postroad.egress.faults import Fault, StreamFailed
from postroad.egress.transport.answer import Answer, Sent
from postroad.egress.transport.lane import Lane
from postroad.egress.transport.request import Target, WireRequest
from postroad.vocabulary.errors import ConfigInvalid, InvalidInput

SWEEP_EVERY_S = 0.02
"""Deadlines are late by at most this much."""


class HttpTransport:
    """Made by `Egress.transport`. Belongs to the event loop of its first exchange."""

    def __init__(self, make_lane: Callable[[Target], Lane]) -> None:
        self._make_lane = make_lane
        self._lanes: dict[Target, Lane] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sweeper: asyncio.TimerHandle | None = None
        self._is_closed = False

    async def exchange(self, request: WireRequest, timeout_s: float) -> Answer:
        """One request, one answer; `timeout_s` covers all of it: waiting, connecting, writing, reading.

        Never raises for what a remote can do. A caller that is cancelled closes the connection and learns nothing:
        the message may have left.
        """
        loop = self._loop
        if loop is None:
            loop = self._loop = asyncio.get_running_loop()
        if self._is_closed:
            return Answer.failed(Fault.CLOSED, Sent.NOTHING, "the transport was closed")
        if timeout_s <= 0:
            return Answer.failed(Fault.TIMEOUT, Sent.NOTHING, "no time was left to send")
        lane = self._lanes.get(request.target)
        if lane is None:
            lane = self._lanes[request.target] = self._make_lane(request.target)
        if self._sweeper is None:
            self._sweeper = loop.call_later(SWEEP_EVERY_S, self._sweep)
        now = loop.time()
        deadline = now + timeout_s
        connection = lane.take_idle(now)
        if connection is None:
            try:
                connection = await lane.acquire(deadline)
            except AddressDenied as denied:
                return Answer.failed(Fault.DENIED, Sent.NOTHING, denied.message, denied.operator_detail)
            except InvalidInput as refused:
                fault = Fault.TLS if isinstance(refused, ConfigInvalid) else Fault.DENIED
                return Answer.failed(fault, Sent.NOTHING, refused.message)
            except StreamFailed as failed:
                return Answer.failed(failed.fault, Sent.NOTHING, failed.message)
        try:
            return await connection.begin(request, deadline)
        except asyncio.CancelledError:
            connection.drop()
            raise

    async def aclose(self) -> None:
        """Ends every exchange under way with CLOSED and closes all connections. Idempotent."""
        self._is_closed = True
        if self._sweeper is not None:
            self._sweeper.cancel()
            self._sweeper = None
        for lane in self._lanes.values():
            lane.close()
        await asyncio.sleep(0)

    def _sweep(self) -> None:
        assert self._loop is not None
        now = self._loop.time()
        is_empty = True
        for lane in self._lanes.values():
            lane.sweep(now)
            is_empty = is_empty and lane.is_empty
        self._sweeper = None if is_empty else self._loop.call_later(SWEEP_EVERY_S, self._sweep)
