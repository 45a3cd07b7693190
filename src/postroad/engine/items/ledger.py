"""The run's side of the send journal: what may be handed over when.

First attempts run ahead of the sync inside a window: they are handed over as soon as their INTENT is written, because
the durable WINDOW already says that anything in it may have left. `high` is the end of that window; the next one is
asked for when half of it is used, and is durable before the rest is gone. Its frontier is the lowest first attempt
whose INTENT is not durable yet, so it still covers the open part of the window before.

Every other INTENT (retry, parked, held, resumed) is durable before its send. Such items wait here, in groups that share
a sync, and come back by `durable_flights`.
"""

from collections import deque
from collections.abc import Callable
from contextlib import suppress

from postroad.engine.items.item import Item
from postroad.journal import Journal
from postroad.vocabulary.errors import JournalBroken

Flight = list[Item]
"""What one call of the provider sends: one item, or a batch."""

DEFAULT_WINDOW = 2000
NO_LIMIT = 1 << 62


class Ledger:
    """`wake` is called, from any thread, when something here has become durable or broken.

    `end` is the sequence after the last one, where it is known: a window must not pass it, because a power loss puts
    all of a window in doubt, also recipients who do not exist.
    """

    def __init__(
        self,
        journal: Journal | None,
        wake: Callable[[], None],
        window: int = DEFAULT_WINDOW,
        end: int | None = None,
    ) -> None:
        self._end = NO_LIMIT if end is None else end
        self._journal = journal
        self._wake = wake
        self._window = window
        self.high = NO_LIMIT if journal is None else 0
        self._asked: tuple[int, int] | None = None
        """Position and end of a window that is not durable yet."""
        self._ahead: deque[tuple[int, int]] = deque()
        """Position and lowest sequence of each written group of first attempts that is not durable yet."""
        self._lowest: int | None = None
        self._careful: list[Flight] = []
        self._waiting: deque[tuple[int, Flight]] = deque()
        self.has_failed = False
        self.final: Callable[..., None] = _forget if journal is None else journal.final
        """As `Journal.final`; never raises."""
        self.retry: Callable[..., None] = _forget if journal is None else journal.retry
        """As `Journal.retry`; never raises."""
        if journal is not None:
            journal.on_fault(wake)

    def make_room(self, sequence: int) -> None:
        """Asks for the next window when `sequence` is well into this one. Call it before the first INTENT of a turn."""
        journal = self._journal
        if journal is None:
            return
        durable = journal.durable
        if self._asked is not None:
            if self._asked[0] > durable:
                return
            self.high, self._asked = self._asked[1], None
        if sequence <= self.high - self._window // 2:
            return
        while self._ahead and self._ahead[0][0] <= durable:
            self._ahead.popleft()
        frontier = min(self._ahead[0][1], sequence) if self._ahead else sequence
        to = frontier + self._window
        if sequence < self._end:
            to = min(to, self._end)
        if to <= self.high:
            if sequence >= self.high:
                journal.on_durable(self._ahead[0][0], self._wake)
            return
        with suppress(JournalBroken):  # the commit of this turn raises it again
            self._asked = (journal.window(frontier, to), to)
            journal.on_durable(self._asked[0], self._wake)

    def intend(self, flight: Flight, at_ms: int, batch: str = "") -> bool:
        """Appends the INTENTs of a flight. False where it must become durable first: it comes back by itself."""
        journal = self._journal
        if journal is None:
            return True
        careful = False
        try:
            for item in flight:
                journal.intent(item.sequence, item.attempt, at_ms, item.keys, batch, item.cost)
                if item.careful:
                    careful = True
                elif self._lowest is None or item.sequence < self._lowest:
                    self._lowest = item.sequence
        except JournalBroken:  # the commit of this turn raises it again, and the flight is made anew
            careful = True
        if careful:
            self._careful.append(flight)
            return False
        return True

    def uncommitted(self) -> list[Flight]:
        """Careful flights of a commit that failed."""
        return list(self._careful)

    def commit(self) -> None:
        """Writes everything appended, in one write. Raises JournalBroken; what was appended is then not written."""
        journal = self._journal
        if journal is None:
            return
        position = journal.flush()
        if self._lowest is not None:
            self._ahead.append((position, self._lowest))
            self._lowest = None
        if self._careful:
            self._waiting.extend((position, flight) for flight in self._careful)
            self._careful.clear()
            journal.on_durable(position, self._wake)
        durable = journal.durable
        if position > durable:
            journal.sync_soon()
        while self._ahead and self._ahead[0][0] <= durable:
            self._ahead.popleft()

    def durable_flights(self) -> list[Flight]:
        """Careful flights that may be handed over now, in order."""
        flights: list[Flight] = []
        durable = self._journal.durable if self._journal is not None else NO_LIMIT
        while self._waiting and self._waiting[0][0] <= durable:
            flights.append(self._waiting.popleft()[1])
        return flights

    @property
    def has_waiting(self) -> bool:
        return bool(self._waiting)

    def drop_waiting(self) -> list[Flight]:
        """Takes back the flights that wait for their sync: they are not going to be sent."""
        flights = [flight for _, flight in self._waiting]
        self._waiting.clear()
        return flights

    def recover(self) -> None:
        """Mends the journal, or raises JournalBroken: then the run must end.

        INTENTs of the commit that failed are gone and are to be made again. Blocks for some syncs.
        """
        self._lowest = None
        self._careful.clear()
        if self._journal is None:
            return
        try:
            self._journal.recover()
        except JournalBroken:
            self.has_failed = True
            raise

    def end(self, state: str, at_ms: int, text: str) -> None:
        if self._journal is not None:
            self._journal.end(state, at_ms, text)

    def settle(self) -> None:
        """Writes the last lines of a run that stops, durably if that is still possible."""
        journal = self._journal
        if journal is None:
            return
        if self.has_failed:
            with suppress(JournalBroken):
                journal.flush()
                journal.sync_now()
            return
        try:
            journal.flush()
            journal.sync_now()
        except JournalBroken:
            self.recover()
            journal.flush()
            journal.sync_now()


def _forget(*_facts: object) -> None:
    """What a run without a journal writes down."""
