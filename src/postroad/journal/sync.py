"""Makes written lines durable behind the writer's back, and tells those who wait.

A thread syncs every few milliseconds while somebody asked for it, so that many lines share one sync; the writer never
waits for it. Positions are bytes of the journal since it was opened, over all its parts. What was written since the
last good sync is kept in memory, because after a failed one the page cache may say one thing and the disk another.
"""

import heapq
import itertools
import threading
from collections import deque
from collections.abc import Callable

Callback = Callable[[], None]


class Durable:
    """How far the journal is durable, what is not yet, and who waits for it. Safe from any thread."""

    def __init__(self) -> None:
        self.position = 0
        self._lock = threading.Lock()
        self._unsynced: deque[tuple[int, bytes]] = deque()
        self._waiting: list[tuple[int, int, Callback]] = []
        self._order = itertools.count()

    def wrote(self, to: int, data: bytes) -> None:
        with self._lock:
            self._unsynced.append((to, data))

    def unsynced(self) -> list[bytes]:
        with self._lock:
            return [data for _, data in self._unsynced]

    def advance(self, to: int) -> None:
        """Everything up to `to` is durable; calls those who waited for it, without holding the lock."""
        due: list[Callback] = []
        with self._lock:
            self.position = max(self.position, to)
            while self._unsynced and self._unsynced[0][0] <= to:
                self._unsynced.popleft()
            while self._waiting and self._waiting[0][0] <= to:
                due.append(heapq.heappop(self._waiting)[2])
        for callback in due:
            callback()

    def when(self, position: int, callback: Callback) -> None:
        with self._lock:
            if position > self.position:
                heapq.heappush(self._waiting, (position, next(self._order), callback))
                return
        callback()


class SyncThread:
    """Calls `sync` every `interval_s` while it is asked to; `sync` must not raise."""

    def __init__(self, sync: Callback, interval_s: float) -> None:
        self._sync = sync
        self._interval_s = interval_s
        self._asked = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="journal-sync", daemon=True)
        self._thread.start()

    def ask(self) -> None:
        if not self._asked.is_set():
            self._asked.set()

    def stop(self) -> None:
        """Returns when the thread is gone; a sync under way is finished first."""
        self._stopping.set()
        self._asked.set()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while self._asked.wait() and not self._stopping.is_set():
            self._asked.clear()
            self._sync()
            self._stopping.wait(self._interval_s)
