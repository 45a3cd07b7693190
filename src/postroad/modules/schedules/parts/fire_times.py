"""From wall clock readings to instants: when a schedule fires in a zone whose clocks are set.

A **fixed-time** schedule (`0 8 * * *`) fires once for each reading it names: where clocks are set back and the reading
comes twice, the first time; where they are set forward and the reading is left out, at the first instant after the gap.
Readings of one gap are one firing. A day that a zone leaves out as a whole (Apia, 30 December 2011) is no local day:
nothing fires for it.

Every other schedule (`*/15 * * * *`, `0 * * * *`) goes by the clock as it runs: a reading that comes twice fires twice,
one that is left out does not fire, so that intervals of elapsed time stay what they are. Source: cron(8) of Debian.

cronsim gives the readings, without a zone: its own treatment of zones misses readings after shifts of half an hour, and
may give an instant that is past when asked in the second pass of a repeated hour.
"""

from collections import deque
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from postroad.modules.schedules.parts.cron import Cron
from postroad.modules.schedules.parts.zones import first_change, instants_of, local_reading

_SECOND = timedelta(seconds=1)
_DAY = timedelta(days=1)
_HOUR_MS = 3600 * 1000


def fire_times(cron: Cron, zone: ZoneInfo, after_ms: int) -> Iterator[int]:
    """Every instant later than `after_ms`, in order, each once."""
    return _fixed(cron, zone, after_ms) if cron.is_fixed_time else _elapsed(cron, zone, after_ms)


def next_fire_time(cron: Cron, zone: ZoneInfo, after_ms: int) -> int | None:
    """None where nothing matches within the next fifty years."""
    return next(fire_times(cron, zone, after_ms), None)


def latest_fire_times(cron: Cron, zone: ZoneInfo, first_ms: int, last_ms: int, most: int) -> list[int]:
    """The last `most` instants in [first, last], in order; cheap however many lie before them."""
    span = _HOUR_MS
    while True:
        start = max(first_ms - 1, last_ms - span)
        found: deque[int] = deque(maxlen=most)
        for at in fire_times(cron, zone, start):
            if at > last_ms:
                break
            found.append(at)
        if start < first_ms or len(found) == most:
            return list(found)
        span *= 4


def resolve_reading(zone: ZoneInfo, reading: datetime) -> int:
    """The instant of a wall clock reading by the rule of fixed times, for a schedule that fires once."""
    early, late = instants_of(zone, reading)
    if early <= late:
        return early
    return _end_of_gap(zone, late, early)


def _fixed(cron: Cron, zone: ZoneInfo, after_ms: int) -> Iterator[int]:
    last = after_ms
    for reading in cron.readings_after(local_reading(zone, after_ms)):
        at = _fixed_instant(zone, reading)
        if at is not None and at > last:
            yield at
            last = at


def _fixed_instant(zone: ZoneInfo, reading: datetime) -> int | None:
    early, late = instants_of(zone, reading)
    if early <= late:
        return early
    end = _end_of_gap(zone, late, early)
    midnight = datetime.combine(reading.date(), datetime.min.time())
    gap_from = local_reading(zone, end - 1) + timedelta(milliseconds=1)
    if gap_from <= midnight and local_reading(zone, end) >= midnight + _DAY:
        return None
    return end


def _end_of_gap(zone: ZoneInfo, before_ms: int, after_ms: int) -> int:
    end = first_change(zone, before_ms, after_ms)
    assert end is not None, "a reading that never occurs lies at a change"
    return end


def _elapsed(cron: Cron, zone: ZoneInfo, after_ms: int) -> Iterator[int]:
    """Stretch by stretch between changes of the offset; inside a stretch readings and instants run alike."""
    at, reading = after_ms, local_reading(zone, after_ms)
    change: int | None = after_ms
    while change is not None:
        stretch_from, stretch_reading, change = at, local_reading(zone, at), None
        for matching in cron.readings_after(reading):
            instant = stretch_from + (matching - stretch_reading) // timedelta(milliseconds=1)
            change = first_change(zone, at, instant)
            if change is not None:
                at, reading = change, local_reading(zone, change) - _SECOND
                break
            yield instant
            at = instant


def upcoming(cron: Cron, zone: ZoneInfo, after_ms: int, most: int) -> list[int]:
    return list(islice(fire_times(cron, zone, after_ms), most))
