"""The live counts of one run. Plain slots: they are touched once or twice per item."""

from postroad.vocabulary.outcomes import Outcome


class Counters:
    __slots__ = ("failed", "maybe_doubled", "read", "retried", "skipped", "succeeded", "unknown", "unsent")

    def __init__(self) -> None:
        self.read = 0
        """Recipients that came out of the source or were settled by an earlier process."""
        self.succeeded = 0
        self.failed = 0
        self.unknown = 0
        self.unsent = 0
        self.skipped = 0
        self.retried = 0
        self.maybe_doubled = 0

    def add(self, outcome: Outcome, number: int = 1) -> None:
        name = outcome.value.lower()
        setattr(self, name, getattr(self, name) + number)

    @property
    def settled(self) -> int:
        return self.succeeded + self.failed + self.unknown + self.unsent + self.skipped
