"""The connections of one run to one mail server, lent to its senders for one mail at a time.

A sender gets the connection that was used last, else it dials. Servers take only so many connections from one client,
and most say so only when one too many is dialled. That word is learnt, for this run: from then on nobody dials past
what the server took, and who finds none free stands in line and gets the next one that comes back. So a mail never
fails because others are being sent. Only where no other connection is open or being opened is the word passed on.
"""

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable

from postroad.egress import Fault
from postroad.providers.smtp.codes import Stage
from postroad.providers.smtp.dialogue import LOOK_S, Connection, Lost, Refused, Unusable
from postroad.spi import CancellationToken
from postroad.vocabulary.outcomes import Category

Dial = Callable[[], Awaitable[Connection]]

_ARRIVING = frozenset({Stage.GREETING, Stage.EHLO, Stage.STARTTLS, Stage.AUTH})
_SEVERAL = r"(connections|sessions)"
_TOO_MANY = re.compile(
    rf"(too many|concurrent|simultaneous|maximum).{{0,30}}{_SEVERAL}|{_SEVERAL}.{{0,30}}(limit|exceed)", re.I
)


class Pool:
    """Belongs to one event loop. Whoever takes a connection gives it back, or says that it is gone."""

    def __init__(self, cancellation: CancellationToken, *, max_mails: int, max_idle_s: float) -> None:
        self._cancellation = cancellation
        self._max_mails = max_mails
        self._max_idle_s = max_idle_s
        self._idle: list[tuple[Connection, float]] = []
        self._line: deque[asyncio.Future[Connection | None]] = deque()
        self._taken = 0
        """Connections that are open or being opened, idle ones too."""
        self._most: int | None = None
        """How many the server takes, once it has said so."""

    async def take_idle(self) -> Connection | None:
        """The connection used last; used up, old and dead ones on the way to it are closed."""
        now = asyncio.get_running_loop().time()
        while self._idle:
            connection, used_at = self._idle.pop()
            fresh = now - used_at <= self._max_idle_s and connection.mails < self._max_mails
            if fresh and connection.is_usable:
                return connection
            await self._close(connection)
        return None

    async def take_new(self, deadline: float, dial: Dial) -> Connection:
        """Dials, or waits where the server takes no more. Raises what `dial` raises, and Lost past `deadline`."""
        while True:
            while self._is_full:
                free = await self.take_idle() or (await self._wait(deadline) if self._is_full else None)
                if free is not None and free.mails < self._max_mails:
                    return free
                if free is not None:
                    await self._close(free)
            self._taken += 1
            try:
                return await dial()
            except Refused as refused:
                self._leave()
                if not _takes_no_more(refused) or not self._taken:
                    raise
                self._most = self._taken
            except BaseException:
                self._leave()
                raise

    def give_back(self, connection: Connection) -> None:
        """To the first in line, else it stays for whoever comes next; they close it where it is used up."""
        if not connection.is_usable:
            self.gone(connection)
        elif not self._serve(connection):
            self._idle.append((connection, asyncio.get_running_loop().time()))

    def gone(self, connection: Connection) -> None:
        """Drops a connection that was taken."""
        connection.drop()
        self._leave()

    async def aclose(self) -> None:
        """Says QUIT on the idle ones."""
        idle, self._idle = self._idle, []
        for connection, _ in idle:
            await self._close(connection)

    async def _close(self, connection: Connection) -> None:
        try:
            await connection.close()
        finally:
            self._leave()

    @property
    def _is_full(self) -> bool:
        return self._most is not None and self._taken >= self._most

    def _leave(self) -> None:
        self._taken -= 1
        self._serve(None)

    def _serve(self, connection: Connection | None) -> bool:
        """Hands a connection, or with None a free place, to the first in line."""
        while self._line:
            turn = self._line.popleft()
            if not turn.done():
                turn.set_result(connection)
                return True
        return False

    async def _wait(self, deadline: float) -> Connection | None:
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[Connection | None] = loop.create_future()
        self._line.append(turn)
        try:
            while not turn.done():
                left = deadline - loop.time()
                if self._cancellation.is_cancelled:
                    raise Unusable(Category.CANCELLED, "CANCELLED", "the run was cancelled before the mail left")
                if left <= 0:
                    raise Lost(Stage.CONNECT, Fault.TIMEOUT, "the server takes no more connections, and none came free")
                await asyncio.wait([turn], timeout=min(LOOK_S, left))
            return turn.result()
        except asyncio.CancelledError:
            if turn.done():
                self._pass_on(turn.result())
            raise
        finally:
            turn.cancel()

    def _pass_on(self, lent: Connection | None) -> None:
        """What came to somebody who left the line in the same moment."""
        if lent is not None:
            self.give_back(lent)
        else:
            self._serve(None)


def _takes_no_more(refused: Refused) -> bool:
    reply = refused.reply
    return refused.stage in _ARRIVING and reply.code < 500 and _TOO_MANY.search(reply.text) is not None
