import logging
import threading
from collections.abc import Callable

import pytest

from postroad.foundation.clock import SystemClock
from postroad.kernel.service import BackgroundService, Services
from postroad.kernel.wakeups import Wakeups

LONG_S = 10.0
NEVER_S = 3600.0


class Probe:
    """A tick that tells each call, and waits to be let go where the test wants."""

    def __init__(self, answer: Callable[[int], bool]) -> None:
        self.calls = 0
        self._answer = answer
        self._called = threading.Condition()

    def __call__(self) -> bool:
        with self._called:
            self.calls += 1
            number = self.calls
            self._called.notify_all()
        return self._answer(number)

    def wait_for(self, calls: int) -> None:
        with self._called:
            assert self._called.wait_for(lambda: self.calls >= calls, LONG_S)


def _services(probe: Probe) -> Services:
    return Services([BackgroundService("sweep", NEVER_S, probe)], SystemClock())


def test_more_work_is_done_at_once_and_the_rest_waits() -> None:
    probe = Probe(lambda number: number < 5)
    services = _services(probe)
    services.start()
    probe.wait_for(5)
    assert services.stop(LONG_S)
    assert probe.calls == 5


def test_a_hint_ends_the_wait() -> None:
    probe = Probe(lambda _: False)
    services = _services(probe)
    services.start()
    probe.wait_for(1)
    services.wake("sweep")
    services.wake("runs in another process")
    probe.wait_for(2)
    assert services.stop(LONG_S)


def test_a_hint_of_its_topic_lets_it_tick() -> None:
    probe, wakeups = Probe(lambda _: False), Wakeups()
    services = Services([BackgroundService("sweep", NEVER_S, probe, topics=("runs",))], SystemClock(), wakeups)
    services.start()
    probe.wait_for(1)
    wakeups.notify("events")
    wakeups.notify("runs", "r1")
    probe.wait_for(2)
    wakeups.deliver_all()
    probe.wait_for(3)
    assert services.stop(LONG_S)
    assert probe.calls == 3


def test_a_hint_in_the_middle_of_a_tick_is_not_lost() -> None:
    let_go = threading.Event()
    probe = Probe(lambda number: False if number > 1 else not let_go.wait(LONG_S))
    services = _services(probe)
    services.start()
    probe.wait_for(1)
    services.wake("sweep")
    let_go.set()
    probe.wait_for(2)
    assert services.stop(LONG_S)


def test_a_tick_that_raises_is_counted_and_the_service_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    def answer(number: int) -> bool:
        if number <= 2:
            raise LookupError("a secret that must not stand in the status")
        return False

    probe = Probe(answer)
    services = _services(probe)
    with caplog.at_level(logging.ERROR):
        services.start()
        for calls in (1, 2, 3):
            probe.wait_for(calls)
            services.wake("sweep")
        assert services.stop(LONG_S)
    (status,) = services.status()
    assert (status.failures, status.last_error, status.failing_since_ms) == (2, "LookupError", None)
    assert len(caplog.records) == 2


def test_stopping_waits_for_the_running_tick() -> None:
    begun, let_go, done = threading.Event(), threading.Event(), threading.Event()

    def tick() -> bool:
        begun.set()
        let_go.wait(LONG_S)
        done.set()
        return True

    services = Services([BackgroundService("slow", NEVER_S, tick)], SystemClock())
    services.start()
    begun.wait(LONG_S)
    assert not services.stop(0.0)
    assert services.status()[0].running
    let_go.set()
    assert services.stop(LONG_S)
    assert done.is_set()
    assert not services.status()[0].running


def test_what_was_not_started_is_stopped_already() -> None:
    assert _services(Probe(lambda _: False)).stop(0.0)
