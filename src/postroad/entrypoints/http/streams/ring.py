"""The newest events of a topic as bytes, up to a size. Watchers at the same place share the same bytes object."""

from bisect import bisect_right
from collections.abc import Sequence

from postroad.entrypoints.http.streams.frames import frame
from postroad.entrypoints.http.streams.log import LoggedEvent


class Ring:
    """`start` is the sequence before the oldest event kept, `position` that of the newest."""

    def __init__(self, position: int, most_bytes: int) -> None:
        self.start = position
        self.position = position
        self._most_bytes = most_bytes
        self._bytes = 0
        self._sequences: list[int] = []
        self._frames: list[bytes] = []
        self._last_asked: tuple[int, int, bytes] = (position, position, b"")

    def add(self, events: Sequence[LoggedEvent]) -> None:
        """Adds events above `position`, in order. The oldest leave when there are too many bytes; the newest stays."""
        for event in events:
            part = frame(event)
            self._sequences.append(event.sequence)
            self._frames.append(part)
            self._bytes += len(part)
            self.position = event.sequence
        leaving = 0
        while self._bytes > self._most_bytes and leaving < len(self._frames) - 1:
            self._bytes -= len(self._frames[leaving])
            self.start = self._sequences[leaving]
            leaving += 1
        del self._sequences[:leaving], self._frames[:leaving]

    def after(self, sequence: int) -> bytes | None:
        """Everything above `sequence`; None where the ring does not reach back that far."""
        if sequence < self.start:
            return None
        if self._last_asked[:2] != (sequence, self.position):
            at = bisect_right(self._sequences, sequence)
            self._last_asked = (sequence, self.position, b"".join(self._frames[at:]))
        return self._last_asked[2]
