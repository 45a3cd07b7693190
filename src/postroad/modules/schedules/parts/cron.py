"""A cron expression of five fields: minute, hour, day of month, month, day of week.

Fields and their words are read by cronsim, which follows Debian's cron: names of days and months, lists, ranges, steps,
`L` (last day of the month, or last such weekday: `5L`), `LW` (last weekday) and `#` (`MON#2`). Where day of month and
day of week are both given, either suffices; where one of them begins with `*`, both must hold.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from cronsim import CronSim, CronSimError

from postroad.vocabulary.refusals import ValidationFailed

_FIELDS = ("minute", "hour", "day of month", "month", "day of week")
_RANGES = ("0-59", "0-23", "1-31", "1-12 or JAN-DEC", "0-7 or SUN-SAT")
_CRONSIM_WORDS = {"minute": 0, "hour": 1, "day-of-month": 2, "month": 3, "day-of-week": 4}
_MOST_CHARS = 200
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
_MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}


@dataclass(frozen=True, slots=True)
class Cron:
    expression: str
    """Five fields with one space between them, in capitals."""

    @property
    def is_fixed_time(self) -> bool:
        """Neither minute nor hour begins with `*`: the schedule names times of the day. Source: cron(8) of Debian."""
        minute, hour, *_ = self.expression.split()
        return not minute.startswith("*") and not hour.startswith("*")

    def readings_after(self, reading: datetime) -> Iterator[datetime]:
        """Every wall clock reading later than `reading` that matches, in order. No zone; ends after 50 empty years."""
        return CronSim(self.expression, reading)


def parse_cron(text: str) -> Cron:
    """Raises ValidationFailed naming the field that cannot be read, and for an expression that no day ever matches."""
    if text.strip().lower() in _MACROS:
        raise _refused(f"{text.strip()} is no cron expression here; write {_MACROS[text.strip().lower()]!r}")
    parts = text.upper().split()
    if len(parts) != len(_FIELDS) or len(text) > _MOST_CHARS:
        raise _refused(f"cron needs five fields ({', '.join(_FIELDS)}), such as '0 8 * * MON-FRI'; found {len(parts)}")
    return _parsed(" ".join(parts))


@lru_cache(maxsize=4096)
def _parsed(expression: str) -> Cron:
    try:
        found = next(CronSim(expression, _LONG_AGO), None)
    except CronSimError as error:
        raise _refused(_explained(str(error), expression)) from None
    except (ValueError, OverflowError):
        raise _refused(f"cron {expression!r} cannot be read; write five fields such as '0 8 * * *'") from None
    if found is None:
        raise _refused(f"cron {expression!r} never fires: no day of any year matches day of month, month and weekday")
    return Cron(expression)


def _explained(said: str, expression: str) -> str:
    at = _CRONSIM_WORDS.get(said.removeprefix("Bad "), -1)
    fields = expression.split()
    if at < 0:
        return f"cron {expression!r} cannot be read: {said}"
    if _reads_alone(fields[at], at):
        return f"cron {expression!r} never fires: no month it names has that day"
    return f"cron: the {_FIELDS[at]} field {fields[at]!r} cannot be read; it takes {_RANGES[at]}, * and steps"


def _reads_alone(field: str, at: int) -> bool:
    try:
        CronSim(" ".join(field if place == at else "*" for place in range(len(_FIELDS))), _LONG_AGO)
    except CronSimError:
        return False
    return True


def _refused(message: str) -> ValidationFailed:
    return ValidationFailed.of("cron", "CRON_INVALID", message)
