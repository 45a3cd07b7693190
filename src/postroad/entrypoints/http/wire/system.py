"""The service itself on the wire."""

from postroad.entrypoints.http.conventions import Instant, Shown, stamp


class LimitsShown(Shown):
    json_body_bytes: int
    upload_bytes: int


class BackgroundShown(Shown):
    name: str
    running: bool
    ticks: int
    failures: int
    failing_since: Instant | None = stamp("failing_since_ms")
    last_error: str
    last_tick_at: Instant | None = stamp("last_tick_at_ms")


class SystemInfo(Shown):
    name: str
    version: str
    mode: str
    database: str
    server_time: Instant = stamp("server_time_ms")
    limits: LimitsShown
    background: list[BackgroundShown] | None
    """For system administrators: the work that goes on by itself."""
