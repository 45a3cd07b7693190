"""Commands on their way to the engine.

They come from other threads and from signal handlers, so putting one up is an append and a wake-up; the loop takes
them down in order. Concurrency is told as a step and becomes a target here, inside the range of the policies.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from postroad.engine import CancelRun, ChangeConcurrency, ChangeRate, PauseRun, ResumeRun
from postroad.jobfile import Policies, parse_rate
from postroad.vocabulary.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class AbortRun:
    """Stop at once and leave the run unfinished."""

    command_id: str


@dataclass(frozen=True, slots=True)
class DrainRun:
    """Let nothing more leave, wait at most `within_s` for the answers to what has left, then stop unfinished."""

    command_id: str
    within_s: float


BoardCommand = PauseRun | ResumeRun | CancelRun | ChangeConcurrency | ChangeRate | AbortRun | DrainRun


class Board:
    """The `Controls` of a send, and the queue behind them. Made inside the running loop."""

    def __init__(self, policies: Policies) -> None:
        self._loop = asyncio.get_running_loop()
        self._arrived = asyncio.Event()
        self._waiting: deque[BoardCommand] = deque()
        self._number = 0
        self._least, self._most = policies.concurrency_min, policies.concurrency_max
        self._target = policies.concurrency_target

    def pause(self) -> None:
        self._put(PauseRun)

    def resume(self) -> None:
        self._put(ResumeRun)

    def change_concurrency(self, by: int) -> None:
        self._target = min(max(self._target + by, self._least), self._most)
        target = self._target
        self._put(lambda name: ChangeConcurrency(name, target))

    def change_rate(self, key: str, rate: str) -> None:
        """Raises InvalidInput where `rate` is none."""
        try:
            wanted = parse_rate(rate)
        except ValueError as error:
            raise InvalidInput(f"the rate {error}", field="rate") from None
        self._put(lambda name: ChangeRate(name, key, wanted))

    def cancel(self, reason: str = "") -> None:
        self._put(lambda name: CancelRun(name, reason))

    def abort(self) -> None:
        self._put(AbortRun)

    def _put(self, make: Callable[[str], BoardCommand]) -> None:
        self._number += 1
        self._waiting.append(make(f"command-{self._number}"))
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._arrived.set)

    async def commands(self) -> AsyncIterator[BoardCommand]:
        """Without end: the reader is cancelled when the run is over."""
        while True:
            while self._waiting:
                yield self._waiting.popleft()
            self._arrived.clear()
            if not self._waiting:
                await self._arrived.wait()
