"""Durations and rates as a person writes them: `30s`, `1h30m`, `PT5S`; `100/s`, `20/min`, `1/2m`."""

import re

from postroad.spi import Rate

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_PIECE = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|min|s|m|h|d)")
_ISO = re.compile(r"P(?:([0-9]+)D)?(?:T(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+(?:\.[0-9]+)?)S)?)?\Z")
_PER = {"s": 1.0, "sec": 1.0, "second": 1.0, "m": 60.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0}
_PER |= {"d": 86400.0, "day": 86400.0}
_MOST_DIGITS = 100
MAX_SECONDS = 366 * 86400.0


def parse_duration(value: object) -> float:
    """Seconds. Raises ValueError with the way out."""
    way_out = "write a duration such as 30s, 5m, 1h30m or PT5S"
    text = value.strip().replace(" ", "") if isinstance(value, str) else ""
    if not text:
        raise ValueError(f"a duration needs a unit; {way_out}")
    iso = _ISO.match(text.upper())
    if iso and any(iso.groups()):
        parts = zip(iso.groups(), (86400.0, 3600.0, 60.0, 1.0), strict=True)
        seconds = sum(float(number) * unit for number, unit in parts if number)
    elif _PIECE.sub("", text.lower()) == "":
        seconds = sum(float(number) * _UNITS[unit] for number, unit in _PIECE.findall(text.lower()))
    else:
        raise ValueError(f"is not a duration; {way_out}")
    if not 0 < seconds <= MAX_SECONDS:
        raise ValueError("must be longer than nothing and at most 366 days")
    return round(seconds, 3)


UNLIMITED = Rate(0, 1.0)


def parse_rate(value: object) -> Rate:
    """A rate; a count of 0 is unlimited. Raises ValueError with the way out."""
    way_out = "write a rate such as 100/s, 20/min, 1/2m or unlimited"
    if value == 0 and not isinstance(value, bool):
        return UNLIMITED
    text = value.strip().replace(" ", "").lower() if isinstance(value, str) else ""
    if not text:
        raise ValueError(f"a rate needs a time; {way_out}")
    if text in ("unlimited", "none", "0"):
        return UNLIMITED
    count, slash, per = text.partition("/")
    if not slash or not count.isascii() or not count.isdigit():
        raise ValueError(f"is not a rate; {way_out}")
    if len(count) > _MOST_DIGITS:
        raise ValueError("has too many digits; write unlimited where nothing shall hold it")
    if int(count) == 0:
        return UNLIMITED
    seconds = _PER[per] if per in _PER else parse_duration(per)
    if int(count) > 10_000_000:
        raise ValueError("is more than 10,000,000; write unlimited where nothing shall hold it")
    return Rate(int(count), seconds)


def describe_rate(rate: Rate) -> str:
    """The form that `parse_rate` reads back to the same rate."""
    return "unlimited" if rate.count == 0 else f"{rate.count}/{describe_duration(rate.per_s)}"


def describe_duration(seconds: float) -> str:
    """The shortest form that `parse_duration` (and a rate's time) reads back to the same seconds."""
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= size and seconds % size == 0:
            count = int(seconds // size)
            return f"{count}{unit}"
    return f"{seconds:.3f}".rstrip("0").rstrip(".") + "s" if seconds >= 1 else f"{round(seconds * 1000)}ms"
