"""What a stream reads from: a persisted sequence, and the places in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class Place(NamedTuple):
    """Where an event stands. Places of one stream are ordered as the events came.

    A stream that counts has `sequence` alone and shows it as `121`; the feed of a workspace on PostgreSQL is ordered by
    the transaction first and shows `7733.121`.
    """

    transaction: int
    sequence: int

    @property
    def text(self) -> str:
        return f"{self.transaction}.{self.sequence}" if self.transaction else str(self.sequence)

    @staticmethod
    def of(text: str) -> "Place":
        """Raises ValueError for what `text` never shows."""
        numbers = text.split(".")
        if len(text) > 40 or len(numbers) > 2 or not all(part.isascii() and part.isdigit() for part in numbers):
            raise ValueError(text)
        *before, sequence = (int(part) for part in numbers)
        return Place(before[0] if before else 0, sequence)


BEGINNING = Place(0, 0)
"""Before the first event that is kept."""


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One event. `data` is one line of JSON."""

    place: Place
    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Portion:
    """Events in order."""

    events: Sequence[LoggedEvent]
    reached: Place
    """How far was read: the place of the last event, further where events were passed over that are not shown, and
    the place asked for where there was nothing."""
    has_more: bool = False
    """There may be more at once."""
    has_gap: bool = False
    """Events between the place asked for and these were removed by retention."""
    is_last: bool = False
    """Nothing will ever come after these; the stream then ends."""


class EventLog(Protocol):
    def read(self, after: Place, limit: int) -> Portion:
        """At most `limit` events behind `after`, in order, without gaps that may fill later. Blocks."""
        ...

    def newest(self) -> Place:
        """The place of the newest event; BEGINNING without any. Blocks."""
        ...
