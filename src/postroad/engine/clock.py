"""The engine's time: wall milliseconds that never go back.

A run starts from the wall clock once and then follows the event loop, so a clock set back by an hour neither bursts
nor stalls a bucket. Sleep of the machine is caught up by `catch_up`, which moves forward only: what the journal keeps
about buckets stays true for the next process.
"""

import asyncio
import time

from postroad.vocabulary.clock import Clock


class SystemClock:
    """The default for applications that give no clock of their own."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        return time.monotonic()


class RunClock:
    """Wall time of one run, as a float of milliseconds, driven by the loop."""

    def __init__(self, clock: Clock, loop: asyncio.AbstractEventLoop) -> None:
        self._clock = clock
        self.loop_time = loop.time
        self._offset_ms = clock.now_ms() - loop.time() * 1000.0

    def now_ms(self) -> float:
        return self.loop_time() * 1000.0 + self._offset_ms

    def at(self, loop_time: float) -> float:
        return loop_time * 1000.0 + self._offset_ms

    def loop_time_of(self, at_ms: float) -> float:
        return (at_ms - self._offset_ms) / 1000.0

    def catch_up(self) -> None:
        ahead = self._clock.now_ms() - self.now_ms()
        if ahead > 1000.0:
            self._offset_ms += ahead
