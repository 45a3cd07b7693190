"""What the code asks for time. The real clock lives in `foundation`; tests pass one they can move."""

from typing import Protocol


class Clock(Protocol):
    def now_ms(self) -> int:
        """Wall time, UTC, in milliseconds since 1970. It may jump."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back, for durations and deadlines. The engine's loop uses its own."""
        ...
