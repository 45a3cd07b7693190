"""The newest events of a topic as bytes, up to a size. Watchers at the same place share the same bytes object."""

from bisect import bisect_right
from collections.abc import Sequence

from postroad.entrypoints.http.streams.frames import frame
from postroad.entrypoints.http.streams.log import LoggedEvent, Place


class Ring:
    """`start` is the place before the oldest event kept, `newest` that of the newest."""

    def __init__(self, newest: Place, most_bytes: int) -> None:
        self.start = newest
        self.newest = newest
        self._most_bytes = most_bytes
        self._bytes = 0
        self._places: list[Place] = []
        self._frames: list[bytes] = []
        self._last_asked: tuple[Place, Place, bytes] = (newest, newest, b"")

    def add(self, events: Sequence[LoggedEvent], reached: Place) -> None:
        """Adds events behind `newest`, in order. The oldest leave when there are too many bytes; the newest stays."""
        for event in events:
            part = frame(event)
            self._places.append(event.place)
            self._frames.append(part)
            self._bytes += len(part)
        self.newest = reached
        leaving = 0
        while self._bytes > self._most_bytes and leaving < len(self._frames) - 1:
            self._bytes -= len(self._frames[leaving])
            self.start = self._places[leaving]
            leaving += 1
        del self._places[:leaving], self._frames[:leaving]

    def after(self, place: Place) -> bytes | None:
        """Everything behind `place`; None where the ring does not reach back that far."""
        if place < self.start:
            return None
        if self._last_asked[:2] != (place, self.newest):
            at = bisect_right(self._places, place)
            self._last_asked = (place, self.newest, b"".join(self._frames[at:]))
        return self._last_asked[2]
