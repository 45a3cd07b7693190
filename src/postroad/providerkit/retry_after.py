"""Reading `Retry-After`: seconds or an HTTP date (RFC 9110 §10.2.3)."""

from datetime import UTC
from email.utils import parsedate_to_datetime

LONGEST_S = 7 * 86_400.0
"""What a remote may ask for at most; more is read as this."""


def seconds(value: str, now_ms: int) -> float | None:
    """How long to wait from `now_ms`; never negative, None where the value cannot be read."""
    text = value.strip()
    if text.isascii() and text.isdigit():
        return min(float(text), LONGEST_S) if len(text) < 12 else LONGEST_S
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return min(max(0.0, at.timestamp() - now_ms / 1000), LONGEST_S)
