"""Is our clock wrong? A vendor that refuses a signature for its time also says what time it is, in the Date header."""

from email.utils import parsedate_to_datetime

_WORTH_SAYING_S = 60
"""A Date header has whole seconds and the answer took time to come; less than this proves nothing."""


def clock_skew_s(date_header: str, now_ms: int) -> float | None:
    """Seconds by which our clock is ahead of the remote's (negative: behind); None where the header says nothing."""
    try:
        remote = parsedate_to_datetime(date_header)
    except ValueError:
        return None
    if remote.tzinfo is None:
        return None
    return now_ms / 1000 - remote.timestamp()


def clock_advice(date_header: str, now_ms: int) -> str:
    """`clock is off by 61 min (ahead of the vendor's)`, or the empty string where the clock is not to blame."""
    skew = clock_skew_s(date_header, now_ms)
    if skew is None or abs(skew) < _WORTH_SAYING_S:
        return ""
    side = "ahead of" if skew > 0 else "behind"
    return f"this machine's clock is off by {_rough(abs(skew))} ({side} the vendor's); set it and start again"


def _rough(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 48 * 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 86400:.0f} days"
