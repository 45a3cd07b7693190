"""One writer after the other, in the order in which they came.

SQLite has one writer. Left alone, waiting connections poll, whoever polls at the right moment wins, and a loser sees
"database is locked". Here writers of this process stand in line before they touch the database; the line has an end.
"""

import threading
from collections import deque

from postroad.vocabulary.refusals import Overloaded


class WritersQueue:
    def __init__(self, most_waiting: int = 256) -> None:
        self._most = most_waiting
        self._lock = threading.Lock()
        self._taken = False
        self._line: deque[threading.Event] = deque()

    @property
    def waiting(self) -> int:
        return len(self._line)

    def enter(self, timeout_s: float) -> None:
        """Blocks until it is the caller's turn. Raises Overloaded where the line is full or the time is over."""
        turn = threading.Event()
        with self._lock:
            if not self._taken:
                self._taken = True
                return
            if len(self._line) >= self._most:
                raise Overloaded(
                    f"{self._most} writers wait already; nothing was changed, try again", retry_after_s=1.0
                )
            self._line.append(turn)
        if turn.wait(timeout_s):
            return
        with self._lock:
            if not turn.is_set():
                self._line.remove(turn)
                raise Overloaded(
                    "the turn to write did not come in time; nothing was changed, try again", retry_after_s=1.0
                )

    def leave(self) -> None:
        """Hands the turn to the one who waits longest."""
        with self._lock:
            if self._line:
                self._line.popleft().set()
            else:
                self._taken = False
