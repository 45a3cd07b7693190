"""From what is asked for to a timing that can be computed with, and what is wrong where it cannot."""

from datetime import datetime
from zoneinfo import ZoneInfo

from postroad.modules.schedules.model import FireTime, ScheduleView, When
from postroad.modules.schedules.parts.cron import parse_cron
from postroad.modules.schedules.parts.fire_times import resolve_reading
from postroad.modules.schedules.parts.timing import Timing
from postroad.modules.schedules.parts.zones import instant_of, zone_named, zoned
from postroad.vocabulary.refusals import ValidationFailed

_LATEST_YEAR = 2999
_LATEST_MS = 32_503_680_000_000


def timing_asked(when: When) -> Timing:
    """Raises ValidationFailed for a zone, an expression, a time or bounds that cannot be used."""
    zone = zone_named(when.timezone)
    if (when.cron is None) == (when.at is None):
        raise ValidationFailed.of("cron", "ONE_OF", "a schedule needs either cron or at")
    start, end = when.start_at_ms, when.end_at_ms
    for path, bound in (("startAt", start), ("endAt", end)):
        if bound is not None and not 0 <= bound <= _LATEST_MS:
            raise ValidationFailed.of(path, "OUT_OF_RANGE", f"{path} must lie between 1970 and {_LATEST_YEAR}")
    if start is not None and end is not None and start > end:
        raise ValidationFailed.of("endAt", "BEFORE_START", "endAt lies before startAt")
    if when.at is not None:
        return Timing(_instant(when.at, zone), zone, start, end)
    return Timing(parse_cron(when.cron or ""), zone, start, end)


def timing_of(view: ScheduleView) -> Timing:
    """The timing of a schedule that was accepted before."""
    when = parse_cron(view.cron) if view.cron is not None else view.at_ms
    assert when is not None, "a schedule has cron or at"
    return Timing(when, zone_named(view.timezone), view.start_at_ms, view.end_at_ms)


def first_fire(timing: Timing, now_ms: int) -> int:
    """The first fire time later than now. Raises ValidationFailed where there is none: it would never fire."""
    first = timing.after(now_ms)
    if first is not None:
        return first
    if isinstance(timing.when, int) and timing.when <= now_ms:
        raise ValidationFailed.of("at", "IN_THE_PAST", "the time of the schedule has passed; give a later one")
    raise ValidationFailed.of(
        "endAt", "NEVER_FIRES", "the schedule would never fire again between now, its startAt and its endAt"
    )


def shown(timing: Timing, after_ms: int, most: int) -> tuple[FireTime, ...]:
    return tuple(
        FireTime(at, zoned(timing.zone, at).isoformat(timespec="seconds")) for at in timing.upcoming(after_ms, most)
    )


def _instant(text: str, zone: ZoneInfo) -> int:
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        given = None
    if given is None or not 1970 < given.year <= _LATEST_YEAR:
        raise ValidationFailed.of(
            "at", "TIME_INVALID", "at must be a time such as 2026-12-24T09:00 (in the timezone) or 2026-12-24T09:00Z"
        )
    return instant_of(given) if given.tzinfo is not None else resolve_reading(zone, given)
