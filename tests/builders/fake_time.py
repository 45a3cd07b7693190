"""An event loop whose time jumps to the next timer when nothing else is to do: hours pass in milliseconds.

What happens in threads is real: while an executor call is under way, or a `hold` says so (a journal that is being
synced), the loop waits for it instead of jumping.
"""

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")
_REAL_LIMIT_S = 10.0


class _JumpingSelector(selectors.DefaultSelector):  # type: ignore[valid-type, misc]
    loop: "FakeTimeLoop"

    def select(self, timeout: float | None = None) -> Any:
        events = super().select(0)
        if events or (timeout is not None and timeout <= 0):
            return events
        waited = 0.0
        while timeout is None or self.loop.is_held:
            events = super().select(0.002)
            if events:
                return events
            waited += 0.002
            if waited > _REAL_LIMIT_S:
                raise RuntimeError("nothing is due and nothing happens: the test would hang for ever")
        self.loop.jump(timeout)
        return []


class FakeTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._now = 1000.0
        self._executing = 0
        self._holds: list[Callable[[], bool]] = []
        selector = _JumpingSelector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self._now

    def jump(self, seconds: float) -> None:
        self._now += seconds

    def hold_while(self, hold: Callable[[], bool]) -> None:
        """Time stands still while `hold()` is true: something real is under way."""
        self._holds.append(hold)

    @property
    def is_held(self) -> bool:
        return self._executing > 0 or any(hold() for hold in self._holds)

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:
        self._executing += 1
        future = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._executed)
        return future

    def _executed(self, _future: object) -> None:
        self._executing -= 1


class LoopClock:
    """Wall time that moves with the running loop; `jump_ms` sets it forward or back under its feet."""

    def __init__(self, start_ms: int = 1_800_000_000_000) -> None:
        self._start_ms = start_ms
        self.jump_ms = 0

    def now_ms(self) -> int:
        return self._start_ms + self.jump_ms + round(asyncio.get_running_loop().time() * 1000)

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()


def fake_loop() -> FakeTimeLoop:
    """The running loop, in a test under `on_fake_time`."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, FakeTimeLoop)
    return loop


def run_on_fake_time(main: Coroutine[Any, Any, _T]) -> _T:
    with asyncio.Runner(loop_factory=FakeTimeLoop) as runner:
        return runner.run(main)


def on_fake_time(test: Callable[_P, Coroutine[Any, Any, None]]) -> Callable[_P, None]:
    """Runs an async test on fake time; it becomes a plain test."""

    @functools.wraps(test)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> None:
        run_on_fake_time(test(*args, **kwargs))

    return run
