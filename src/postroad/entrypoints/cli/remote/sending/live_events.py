"""Server-sent events from the pieces of a stream. Source: WHATWG HTML, section "Server-sent events"."""

from collections.abc import Iterator
from dataclasses import dataclass

EXPIRED, END = "cursor-expired", "end"


@dataclass(frozen=True, slots=True)
class LiveEvent:
    id: str
    """Where the stream goes on after this event; empty where the event has none."""
    name: str
    data: str


class LiveEvents:
    """Give it every piece in order; it answers the events that are whole."""

    def __init__(self) -> None:
        self._ahead = b""
        self._id = ""
        self._name = ""
        self._data: list[str] = []

    def feed(self, piece: bytes) -> Iterator[LiveEvent]:
        *lines, self._ahead = (self._ahead + piece).replace(b"\r\n", b"\n").split(b"\n")
        for line in lines:
            if line:
                self._take(line.decode("utf-8", "replace"))
            elif event := self._whole():
                yield event

    def _take(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            self._id = value
        elif name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)

    def _whole(self) -> LiveEvent | None:
        if not (self._data or self._name):
            return None
        event = LiveEvent(self._id, self._name or "message", "\n".join(self._data))
        self._id, self._name, self._data = "", "", []
        return event
