"""A snapshot as the engine reads it."""

from collections.abc import Sequence

from postroad.recipients.snapshot import Snapshot
from postroad.spi import Recipient


class SnapshotSource:
    """Recipients `first` ≤ sequence < `end` of a snapshot, in order. One reader, one task."""

    def __init__(self, snapshot: Snapshot, first: int = 0, end: int | None = None) -> None:
        self._snapshot = snapshot
        self._next = first
        self._end = snapshot.count if end is None else min(end, snapshot.count)

    @property
    def total(self) -> int:
        """How many recipients lie in the range."""
        raise NotImplementedError

    async def next_batch(self, limit: int) -> list[Recipient]:
        """Between 1 and `limit` recipients; empty at the end."""
        raise NotImplementedError

    async def skip_to(self, sequence: int) -> None:
        """The next batch begins at `sequence`. Works in both directions."""
        raise NotImplementedError

    async def read(self, sequences: Sequence[int]) -> list[Recipient]:
        """The named recipients in the order asked. Raises KeyError for one outside the range."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Idempotent."""
        raise NotImplementedError
