"""Time zones from the pinned `tzdata` package, so that every machine fires by the same rules.

The system's own zone files are never looked at: two instances of a service with different releases of them would
disagree about the next firing.
"""

import difflib
import importlib.resources
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from postroad.vocabulary.refusals import ValidationFailed

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STRIDE_MS = 24 * 3600 * 1000
"""No two changes of one zone lie so close that a look once a day would miss both."""


@lru_cache(maxsize=1)
def zone_names() -> frozenset[str]:
    listed = importlib.resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8")
    return frozenset(listed.split())


@lru_cache(maxsize=1024)
def zone_named(name: str) -> ZoneInfo:
    """Raises ValidationFailed for a name that the IANA data does not have, with the nearest that it has."""
    if name not in zone_names():
        near = difflib.get_close_matches(name, zone_names(), n=3, cutoff=0.6)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise ValidationFailed.of(
            "timezone",
            "TIMEZONE_UNKNOWN",
            f"there is no IANA time zone {name[:60]!r}; write one such as Europe/Berlin or UTC{hint}",
        )
    file = importlib.resources.files("tzdata").joinpath("zoneinfo", *name.split("/"))
    with file.open("rb") as opened:
        return ZoneInfo.from_file(opened, key=name)


def local_reading(zone: ZoneInfo, at_ms: int) -> datetime:
    """What a clock on the wall reads at an instant, without a zone."""
    return zoned(zone, at_ms).replace(tzinfo=None, fold=0)


def zoned(zone: ZoneInfo, at_ms: int) -> datetime:
    return (_EPOCH + timedelta(milliseconds=at_ms)).astimezone(zone)


def instant_of(aware: datetime) -> int:
    return (aware.astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1)


def offset_ms(zone: ZoneInfo, at_ms: int) -> int:
    offset = zoned(zone, at_ms).utcoffset()
    assert offset is not None
    return offset // timedelta(milliseconds=1)


def instants_of(zone: ZoneInfo, reading: datetime) -> tuple[int, int]:
    """The instant by the offset before a change and the one by the offset after it; equal far from changes.

    For a reading that occurs twice these are its two instants, the earlier first. For one that never occurs the first
    is the later, and the change lies between them. Source: PEP 495.
    """
    return instant_of(reading.replace(tzinfo=zone, fold=0)), instant_of(reading.replace(tzinfo=zone, fold=1))


def first_change(zone: ZoneInfo, after_ms: int, until_ms: int) -> int | None:
    """The first instant in (after, until] at which the zone's offset is another than before."""
    known = offset_ms(zone, after_ms)
    seen = after_ms
    while seen < until_ms:
        probe = min(seen + _STRIDE_MS, until_ms)
        if offset_ms(zone, probe) != known:
            return _bisected(zone, seen, probe, known)
        seen = probe
    return None


def _bisected(zone: ZoneInfo, low: int, high: int, known: int) -> int:
    while high - low > 1:
        middle = (low + high) // 2
        if offset_ms(zone, middle) == known:
            low = middle
        else:
            high = middle
    return high
