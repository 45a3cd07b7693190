"""When a schedule fires: a cron expression in a zone, or one instant, inside the bounds of its start and end."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

from postroad.modules.schedules.parts.cron import Cron
from postroad.modules.schedules.parts.fire_times import fire_times, latest_fire_times


@dataclass(frozen=True, slots=True)
class Timing:
    """`when` is a cron expression or an instant. Start and end belong to the time in which it may fire."""

    when: Cron | int
    zone: ZoneInfo
    start_ms: int | None = None
    end_ms: int | None = None

    def after(self, at_ms: int) -> int | None:
        return next(self._all_after(at_ms), None)

    def upcoming(self, after_ms: int, most: int) -> list[int]:
        return list(islice(self._all_after(after_ms), most))

    def between(self, first_ms: int, last_ms: int) -> list[int]:
        """For short spans: every fire time in [first, last]."""
        return list(takewhile(lambda at: at <= last_ms, self._all_after(first_ms - 1)))

    def latest(self, first_ms: int, last_ms: int, most: int) -> list[int]:
        """The last `most` fire times in [first, last], in order, however long the span."""
        first = max(first_ms, self.start_ms) if self.start_ms is not None else first_ms
        last = min(last_ms, self.end_ms) if self.end_ms is not None else last_ms
        if first > last or most < 1:
            return []
        if isinstance(self.when, int):
            return [self.when] if first <= self.when <= last else []
        return latest_fire_times(self.when, self.zone, first, last, most)

    def _all_after(self, at_ms: int) -> Iterator[int]:
        floor = max(at_ms, self.start_ms - 1) if self.start_ms is not None else at_ms
        if isinstance(self.when, int):
            times: Iterator[int] = iter([self.when] if self.when > floor else [])
        else:
            times = fire_times(self.when, self.zone, floor)
        return times if self.end_ms is None else takewhile(self._is_before_end, times)

    def _is_before_end(self, at_ms: int) -> bool:
        return self.end_ms is None or at_ms <= self.end_ms
