"""One budget: at most `count` tokens in any `per_s` seconds, spread evenly.

Two rules together. *Spacing*: tokens are due one interval apart, so a run starts at its rate instead of with a burst of
a whole window; a dispatcher that comes up to 20 ms late catches up, one that was idle longer does not. *Log*: the times
of the last `count` tokens are kept and the oldest must have left the window, so the promise is exact for any cost, for
the first window, and over restarts once the log is filled again from the journal. A count of one needs no log, and
waits up to 50 ms more, because the remote sees sends and not tokens. Above 20,000 a log would cost more than it tells:
there the interval is stretched by the slack instead, which keeps the promise and loses less than it costs to measure.

A cost above the whole count waits for an empty window and then takes all of it.
"""

from collections import deque
from collections.abc import Iterable

from postroad.spi import Rate

SLACK_MS = 20.0
HAND_OVER_MS = 50.0
"""The longest that may pass between a token and the send it was taken for, as far as a count of one cares."""
LOG_MAX = 20_000


class Bucket:
    """Times are wall milliseconds. `due` asks, `take` spends; both are plain calls that never wait."""

    __slots__ = ("_blocked", "_count", "_interval", "_log", "_next", "_slack", "_widest", "_window", "rate")

    def __init__(self, rate: Rate) -> None:
        self.rate = rate
        self._count = rate.count
        self._window = rate.per_s * 1000.0
        self._blocked = 0.0
        self._next = 0.0
        self._widest = 1
        self._log: deque[float] | None = deque() if 1 < rate.count <= LOG_MAX else None
        self._slack = SLACK_MS if rate.count > 1 else 0.0
        self._interval = self._spacing()

    def _spacing(self) -> float:
        if self._count == 0:
            return 0.0
        if self._count == 1:
            return self._window + min(HAND_OVER_MS, self._window / 100)
        if self._count <= LOG_MAX:
            return self._window / self._count
        return (self._window + self._slack) / max(1, self._count - self._widest + 1)

    def due(self, cost: int, now_ms: float) -> float:
        """When `cost` tokens may be taken: 0.0 for now, else the earliest moment."""
        due = self._blocked
        if self._count:
            due = max(due, self._next)
            if self._log is not None:
                left = self._leaves(self._log, min(cost, self._count), now_ms)
                due = max(due, left)
        return due if due > now_ms else 0.0

    def _leaves(self, log: deque[float], cost: int, now_ms: float) -> float:
        """When enough of the log has left the window for `cost` more."""
        horizon = now_ms - self._window
        while log and log[0] <= horizon:
            log.popleft()
        excess = len(log) + cost - self._count
        return log[excess - 1] + self._window if excess > 0 else 0.0

    def take(self, cost: int, now_ms: float) -> None:
        """Spends, whatever `due` says: also used to tell a new process what an older one spent."""
        if not self._count:
            return
        if cost > self._widest:
            self._widest = cost
            self._interval = self._spacing()
        start = self._next if now_ms - self._next <= self._slack else now_ms
        self._next = max(start, self._next) + cost * self._interval
        if self._log is not None:
            for _ in range(min(cost, self._count)):
                self._log.append(now_ms)

    def recall(self, spent: Iterable[tuple[float, int]]) -> None:
        """Lays what others spent, (time, cost) in any order, beside what is known. Old tokens push nothing ahead."""
        if not self._count:
            return
        times = sorted(at_ms for at_ms, cost in spent for _ in range(min(cost, self._count)))
        if not times:
            return
        if self._log is not None:
            self._log = deque(sorted([*self._log, *times]))
        self._next = max(self._next, times[-1] + self._interval)

    def slow(self, until_ms: float) -> None:
        """Nobody takes before `until_ms`. A shorter wait never undoes a longer one."""
        self._blocked = max(self._blocked, until_ms)

    def is_idle(self, now_ms: float) -> bool:
        """Whether a new bucket would answer the same from now on."""
        if self._blocked > now_ms or self._next > now_ms:
            return False
        return not self._log or self._log[-1] <= now_ms - self._window

    def at_rate(self, rate: Rate, now_ms: float) -> "Bucket":
        """The same history under another rate."""
        other = Bucket(rate)
        other._blocked = self._blocked
        if self._log is not None:
            for at_ms in self._log:
                other.take(1, at_ms)
            other._next = self._log[-1] + other._interval if self._log else 0.0
        elif self._next > now_ms and self._count and rate.count:
            spent_at = self._next - self._interval
            other.take(1, spent_at)
        return other
