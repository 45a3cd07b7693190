"""Events as the bytes of an event stream (WHATWG HTML §9.2.5)."""

from postroad.entrypoints.http.streams.log import LoggedEvent

HEARTBEAT = b": still here\n\n"
EXPIRED = b'event: cursor-expired\ndata: {"code":"CURSOR_EXPIRED"}\n\n'
END = b"event: end\ndata: {}\n\n"


def opening(retry_ms: int) -> bytes:
    """Begins a stream: proxies forward the headers with it, and clients learn how long to wait until they come back."""
    return b"retry: %d\n: open\n\n" % retry_ms


def frame(event: LoggedEvent) -> bytes:
    """One event. Raises ValueError where the data is not one line: it would be read as something else."""
    if b"\n" in event.data or b"\r" in event.data:
        raise ValueError("the data of an event must be one line")
    return b"id: %s\nevent: %s\ndata: %s\n\n" % (event.place.text.encode(), event.name.encode(), event.data)
