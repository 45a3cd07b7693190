"""Ctrl-C and SIGTERM while a send runs: the first cancels cleanly, a second Ctrl-C aborts."""

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def interruptions(cancel: Callable[[], None], abort: Callable[[], None]) -> Iterator[None]:
    """Both callables are called from the signal handler and must return at once."""
    asked = 0

    def handle(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        asked += 1
        (cancel if asked == 1 else abort)()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
