"""What a run does twice a second: look at deadlines, tell progress, say what it waits for, and notice a standstill."""

import asyncio
from typing import Protocol

from postroad.engine.reporting.events import EventKind, Progress, Waiting

BEAT_S = 0.5
_STALLED_AFTER_TIMEOUTS = 3


class Beating(Protocol):
    def progress(self) -> Progress: ...

    def publish(self, kind: EventKind, reason: str = "", **data: str | int | float) -> None: ...

    def watch(self) -> None:
        """Looks at the deadlines of run and sends."""
        ...


class Heart:
    def __init__(self, run: Beating, send_s: float) -> None:
        self._run = run
        self._loop = asyncio.get_running_loop()
        self._stall_s = max(10.0, _STALLED_AFTER_TIMEOUTS * send_s)
        self._settled = -1
        self._moved_at = self._loop.time()
        self._told_stall = False
        self._waited: Waiting | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._rate_at = (self._loop.time(), 0)
        self.per_s = 0.0

    def start(self) -> None:
        self._timer = self._loop.call_later(BEAT_S, self._beat)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _beat(self) -> None:
        self._timer = self._loop.call_later(BEAT_S, self._beat)
        self._run.watch()
        progress = self._run.progress()
        self._measure(progress)
        self._tell(progress)

    def _measure(self, progress: Progress) -> None:
        now = self._loop.time()
        then, settled = self._rate_at
        if now > then:
            fresh = (progress.settled - settled) / (now - then)
            self.per_s = fresh if settled == 0 else 0.6 * self.per_s + 0.4 * fresh
        self._rate_at = (now, progress.settled)

    def _tell(self, progress: Progress) -> None:
        if progress.settled != self._settled or progress.waiting is not None:
            self._moved_at, self._told_stall = self._loop.time(), False
        if progress.settled != self._settled:
            self._settled = progress.settled
            self._run.publish(EventKind.PROGRESS)
        elif progress.in_flight and not self._told_stall and self._loop.time() - self._moved_at > self._stall_s:
            self._told_stall = True
            self._run.publish(EventKind.STALLED, f"nothing came back for {self._stall_s:.0f} s")
        waiting, before = progress.waiting, self._waited
        if waiting is not None and (before is None or _differ(waiting, before)):
            self._waited = waiting
            self._run.publish(EventKind.WAITING, waiting.reason.value, until_ms=waiting.until_ms, key=waiting.key)


def _differ(one: Waiting, other: Waiting) -> bool:
    """A wait is news when its reason changes or when it is long and another one."""
    if (one.reason, one.key) != (other.reason, other.key):
        return True
    return one.until_ms - other.until_ms > 5000
