"""What a stream reads from: a persisted sequence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One event. `data` is one line of JSON."""

    sequence: int
    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Portion:
    """Events in order. `oldest` is the first sequence that is still kept (0: none was removed yet).

    `is_last`: nothing will ever come after these; the stream then ends.
    """

    events: Sequence[LoggedEvent]
    oldest: int = 0
    is_last: bool = False


class EventLog(Protocol):
    def read(self, after: int, limit: int) -> Portion:
        """At most `limit` events with a sequence above `after`, in order, without gaps that may fill later. Blocks."""
        ...

    def position(self) -> int:
        """The sequence of the newest event, 0 without any. Blocks."""
        ...
