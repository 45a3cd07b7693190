"""Watches over one reading while it runs in its process: keeps the lease, notes the progress, ends it when it must.

It lives in a thread of its own, because a query may say nothing for minutes. It ends the reading when the service
stops, when the reading takes too long, or when the lease is lost: the import was changed, discarded or taken over.
"""

import logging
import threading
from collections.abc import Callable
from enum import StrEnum

from postroad.vocabulary.clock import Clock
from postroad.vocabulary.errors import PostroadError

_LOG = logging.getLogger(__name__)


class Ended(StrEnum):
    STOPPED = "STOPPED"
    TOO_LONG = "TOO_LONG"
    LOST = "LOST"


class ReadingWatch:
    def __init__(
        self,
        renew: Callable[[int], bool],
        is_stopping: Callable[[], bool],
        clock: Clock,
        *,
        longest_s: float,
        beat_s: float,
    ) -> None:
        """`renew(rows)` keeps the lease for longer; False where it is lost."""
        self._renew = renew
        self._is_stopping = is_stopping
        self._clock = clock
        self._ends = clock.monotonic() + longest_s
        self._beat_s = beat_s
        self._lock = threading.Lock()
        self._kill: Callable[[], None] | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reading-watch", daemon=True)
        self.rows = 0
        self.ended: Ended | None = None
        """Why it was ended from outside; None where it was not."""

    def __enter__(self) -> "ReadingWatch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def started(self, kill: Callable[[], None]) -> None:
        """`kill` ends the reading."""
        with self._lock:
            self._kill = kill
            if self.ended is not None:
                kill()

    def progress(self, rows: int) -> None:
        self.rows = rows

    def _run(self) -> None:
        while not self._over.wait(self._beat_s):
            reason = self._reason()
            if reason is not None:
                with self._lock:
                    self.ended = reason
                    if self._kill is not None:
                        self._kill()
                return

    def _reason(self) -> Ended | None:
        if self._is_stopping():
            return Ended.STOPPED
        if self._clock.monotonic() > self._ends:
            return Ended.TOO_LONG
        try:
            return None if self._renew(self.rows) else Ended.LOST
        except PostroadError as error:
            _LOG.warning("the lease of an import could not be renewed just now: %s", error.message)
            return None
