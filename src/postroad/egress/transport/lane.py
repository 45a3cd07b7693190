"""The connections to one target: at most `limit`, the warmest used first, idle ones retired before a server would.

Who finds no connection and no room waits in line; a connection that comes free is handed to the first in line, a slot
that comes free lets the first in line connect.
"""

import asyncio
import ssl
from collections import deque
from collections.abc import Callable

from postroad.egress.dialing import Dialer, attach
from postroad.egress.faults import Fault, StreamFailed
from postroad.egress.handshake import start_tls
from postroad.egress.transport.connection import Connection
from postroad.egress.transport.request import Target

IDLE_FOR_S = 4.0
"""Shorter than the keep-alive of common servers (Node and Apache: 5 s), so that we retire first."""


class Ticket:
    """A place in the line. The future gets a connection, or None for a free slot; past `deadline` it is failed."""

    __slots__ = ("deadline", "turn")

    def __init__(self, loop: asyncio.AbstractEventLoop, deadline: float) -> None:
        self.turn: asyncio.Future[Connection | None] = loop.create_future()
        self.deadline = deadline


class Lane:
    def __init__(
        self,
        target: Target,
        dialer: Dialer,
        *,
        limit: int,
        connect_timeout_s: float,
        max_answer_bytes: int,
        context: Callable[[], ssl.SSLContext],
        server_name: str,
    ) -> None:
        self._target = target
        self._dialer = dialer
        self._limit = limit
        self._connect_timeout_s = connect_timeout_s
        self._max_answer_bytes = max_answer_bytes
        self._context = context
        self._server_name = server_name or target.host
        self._loop = asyncio.get_running_loop()
        self._taken = 0
        self._idle: list[Connection] = []
        self._all: set[Connection] = set()
        self._line: deque[Ticket] = deque()
        self._is_closed = False

    @property
    def is_empty(self) -> bool:
        """Nothing open, nothing being opened, nobody waiting: no deadline to keep."""
        return not self._taken and not self._line

    def take_idle(self, now: float) -> Connection | None:
        """The warmest idle connection that is provably alive. Dead and old ones found on the way are closed."""
        idle = self._idle
        while idle:
            connection = idle.pop()
            if connection.idle_since + IDLE_FOR_S > now and connection.is_usable():
                return connection
            connection.drop()
        return None

    async def acquire(self, deadline: float) -> Connection:
        """A usable connection. Raises StreamFailed, InvalidInput or EgressDenied; nothing was sent then."""
        first_time = True
        while True:
            self._refuse_when_closed()
            connection = self.take_idle(self._loop.time())
            if connection is not None:
                return connection
            if self._taken < self._limit:
                return await self._connect(deadline)
            connection = await self._wait(deadline, in_front=not first_time)
            first_time = False
            if connection is not None:
                if connection.is_usable():
                    return connection
                connection.drop()

    def sweep(self, now: float) -> None:
        """Ends exchanges and waits past their deadline and connections idle too long."""
        for connection in [each for each in self._all if each.deadline <= now]:
            connection.fail(Fault.TIMEOUT, "the answer did not come in time")
        for ticket in [each for each in self._line if each.deadline <= now]:
            self._refuse(ticket, Fault.TIMEOUT, "no connection was free in time")
        oldest = now - IDLE_FOR_S
        for connection in [each for each in self._idle if each.idle_since <= oldest]:
            connection.drop()

    def close(self) -> None:
        self._is_closed = True
        for ticket in list(self._line):
            self._refuse(ticket, Fault.CLOSED, "the transport was closed")
        for connection in list(self._all):
            connection.fail(Fault.CLOSED, "the transport was closed")

    async def _connect(self, deadline: float) -> Connection:
        self._taken += 1
        try:
            connection = await self._open(deadline)
        except BaseException:
            self._leave_slot()
            raise
        if self._is_closed or not connection.is_usable():
            connection.drop()
            self._leave_slot()
            self._refuse_when_closed()
            raise StreamFailed(Fault.RESET, "the remote closed the connection before it was used")
        self._all.add(connection)
        return connection

    def _refuse_when_closed(self) -> None:
        if self._is_closed:
            raise StreamFailed(Fault.CLOSED, "the transport was closed")

    async def _open(self, deadline: float) -> Connection:
        timeout_s = min(self._connect_timeout_s, deadline - self._loop.time())
        until = self._loop.time() + timeout_s
        sock = await self._dialer.dial(self._target.host, self._target.port, timeout_s)
        is_tls = self._target.is_tls
        connection = Connection(
            sock,
            is_tls=is_tls,
            max_answer_bytes=self._max_answer_bytes,
            on_free=self._on_free,
            on_gone=self._on_gone,
        )
        await attach(sock, connection)
        if is_tls:
            remaining = max(0.001, until - self._loop.time())
            connection.encrypted(
                await start_tls(connection.raw, connection, self._context(), self._server_name, remaining)
            )
        return connection

    async def _wait(self, deadline: float, *, in_front: bool) -> Connection | None:
        ticket = Ticket(self._loop, deadline)
        if in_front:
            self._line.appendleft(ticket)
        else:
            self._line.append(ticket)
        try:
            return await ticket.turn
        except asyncio.CancelledError:
            self._give_back(ticket)
            raise

    def _give_back(self, ticket: Ticket) -> None:
        """A place whose owner was cancelled: what it had been given goes to the next."""
        if ticket in self._line:
            self._line.remove(ticket)
        if ticket.turn.cancelled() or ticket.turn.exception() is not None:
            return
        connection = ticket.turn.result()
        if connection is not None:
            self._on_free(connection)
        else:
            self._call_next(None)

    def _refuse(self, ticket: Ticket, fault: Fault, detail: str) -> None:
        self._line.remove(ticket)
        if not ticket.turn.done():
            ticket.turn.set_exception(StreamFailed(fault, detail))

    def _call_next(self, connection: Connection | None) -> bool:
        while self._line:
            ticket = self._line.popleft()
            if not ticket.turn.done():
                ticket.turn.set_result(connection)
                return True
        return False

    def _on_free(self, connection: Connection) -> None:
        if not self._line or not self._call_next(connection):
            connection.idle_since = self._loop.time()
            self._idle.append(connection)

    def _on_gone(self, connection: Connection) -> None:
        if connection in self._idle:
            self._idle.remove(connection)
        if connection in self._all:
            self._all.remove(connection)
            self._leave_slot()

    def _leave_slot(self) -> None:
        self._taken -= 1
        self._call_next(None)
