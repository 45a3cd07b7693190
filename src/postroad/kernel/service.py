"""Work that goes on by itself: each service has a thread, a `tick`, and an interval between ticks.

A tick does a bounded piece of work and says whether there is more; then the next one follows at once. Otherwise the
thread waits for the interval, with jitter so that instances do not march in step, or for a `wake`. What a tick raises
is logged and counted, and the waits grow until a tick succeeds again. Stopping waits for the running tick, never kills
it.
"""

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from postroad.foundation.chance import chance
from postroad.kernel.wakeups import Wakeups
from postroad.vocabulary.clock import Clock

_LOG = logging.getLogger(__name__)
_LONGEST_BACKOFF_S = 60.0
_JITTER = 0.1


@dataclass(frozen=True, slots=True)
class BackgroundService:
    name: str
    interval_s: float
    tick: Callable[[], bool]
    """Does a piece of work; True where there is more to do now. Blocks for as long as it needs, within reason."""
    topics: tuple[str, ...] = ()
    """Topics of `Wakeups` whose hints let it tick now."""


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    name: str
    running: bool
    ticks: int
    failures: int
    """Since the start."""
    failing_since_ms: int | None
    """When the first of the present failures in a row came; None while it works."""
    last_error: str
    """The class of the last error, without its text."""
    last_tick_at_ms: int | None


class Services:
    def __init__(self, services: Iterable[BackgroundService], clock: Clock, wakeups: Wakeups | None = None) -> None:
        self._clock = clock
        self._loops = {service.name: _Loop(service, clock) for service in services}
        if wakeups is not None:
            for loop in self._loops.values():
                for topic in loop.topics:
                    wakeups.call(topic, loop.wake)

    def start(self) -> None:
        for loop in self._loops.values():
            loop.start()

    def stop(self, grace_s: float) -> bool:
        """Asks all to stop and waits for their running ticks. False where some still run when the time is over."""
        for loop in self._loops.values():
            loop.ask_to_stop()
        ends = self._clock.monotonic() + grace_s
        stopped = [loop.join(max(0.0, ends - self._clock.monotonic())) for loop in self._loops.values()]
        return all(stopped)

    def wake(self, name: str) -> None:
        """Lets a service tick now. A name that is not there is ignored: it may run in another process."""
        if name in self._loops:
            self._loops[name].wake()

    def status(self) -> tuple[ServiceStatus, ...]:
        return tuple(loop.status() for loop in self._loops.values())


class _Loop:
    def __init__(self, service: BackgroundService, clock: Clock) -> None:
        self._service = service
        self._clock = clock
        self._lock = threading.Lock()
        self._woken = threading.Event()
        self._stopping = False
        self._in_a_row = 0
        self._thread: threading.Thread | None = None
        self._status = ServiceStatus(service.name, False, 0, 0, None, "", None)

    @property
    def topics(self) -> tuple[str, ...]:
        return self._service.topics

    def start(self) -> None:
        if self._thread is not None:
            raise RuntimeError(f"the service {self._service.name} was started before")
        self._thread = threading.Thread(target=self._run, name=f"service-{self._service.name}", daemon=True)
        self._thread.start()

    def ask_to_stop(self) -> None:
        self._stopping = True
        self._woken.set()

    def join(self, timeout_s: float) -> bool:
        if self._thread is None:
            return True
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def wake(self) -> None:
        self._woken.set()

    def status(self) -> ServiceStatus:
        with self._lock:
            alive = self._thread is not None and self._thread.is_alive()
            return replace(self._status, running=alive)

    def _run(self) -> None:
        while not self._stopping:
            self._woken.clear()
            more = self._tick()
            if not (more or self._stopping):
                self._woken.wait(self._pause_s())

    def _tick(self) -> bool:
        try:
            more = self._service.tick()
        except Exception as error:  # noqa: BLE001  (kernel: a service outlives what a tick raises; until 2028-01-01)
            _LOG.exception("the service %s failed in a tick and goes on", self._service.name)
            self._note(error)
            return False
        self._note(None)
        return more

    def _note(self, error: Exception | None) -> None:
        now_ms = self._clock.now_ms()
        with self._lock:
            was = self._status
            self._in_a_row = 0 if error is None else self._in_a_row + 1
            since = None if error is None else was.failing_since_ms if was.failing_since_ms is not None else now_ms
            self._status = replace(
                was,
                ticks=was.ticks + 1,
                failures=was.failures + (error is not None),
                failing_since_ms=since,
                last_error=was.last_error if error is None else type(error).__name__,
                last_tick_at_ms=now_ms,
            )

    def _pause_s(self) -> float:
        spread = 1 + _JITTER * (2 * chance() - 1)
        if not self._in_a_row:
            return self._service.interval_s * spread
        backoff_s = min(_LONGEST_BACKOFF_S, max(1.0, self._service.interval_s) * 2.0 ** min(self._in_a_row - 1, 6))
        return backoff_s * spread
