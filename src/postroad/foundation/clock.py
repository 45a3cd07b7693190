"""The real clock. The only place that reads time; everything else is given a `vocabulary.clock.Clock`."""

import time


class SystemClock:
    """`vocabulary.clock.Clock` over the machine's clocks."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        return time.monotonic()
