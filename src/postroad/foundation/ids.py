"""Ids that sort by the time they were made: UUID version 7 (RFC 9562 §5.7).

48 bits of milliseconds, then 74 random bits. Inside one millisecond, or while the wall clock stands behind the last id
(it may jump back), the last value is counted up by a random step, so that the ids of one maker always grow and still
cannot be guessed from each other.
"""

import os
import threading
from collections.abc import Callable

from postroad.foundation.clock import SystemClock
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.ids import RunId

_TAIL_BITS = 74
_TAIL_MASK = (1 << _TAIL_BITS) - 1


class IdMaker:
    """Makes UUIDv7 texts. Safe to share between threads."""

    def __init__(self, clock: Clock, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._clock = clock
        self._entropy = entropy
        self._lock = threading.Lock()
        self._last = 0

    def uuid7(self) -> str:
        """The next id, greater than every one made before by this maker."""
        with self._lock:
            fresh = (self._clock.now_ms() << _TAIL_BITS) | (int.from_bytes(self._entropy(10), "big") & _TAIL_MASK)
            if fresh >> _TAIL_BITS <= self._last >> _TAIL_BITS:
                fresh = self._last + 1 + int.from_bytes(self._entropy(4), "big")
            self._last = fresh
        return _text(fresh)


def _text(number: int) -> str:
    """Spreads time and tail around the version (7) and variant (2) bits."""
    millis, tail = number >> _TAIL_BITS, number & _TAIL_MASK
    rand_a, rand_b = tail >> 62, tail & ((1 << 62) - 1)
    digits = f"{(millis << 80) | (7 << 76) | (rand_a << 64) | (2 << 62) | rand_b:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


_MAKER = IdMaker(SystemClock())


def uuid7() -> str:
    """An id from the process's own maker."""
    return _MAKER.uuid7()


def new_run_id() -> RunId:
    return RunId(_MAKER.uuid7())
