"""How a run ended."""

from dataclasses import dataclass

from postroad.vocabulary.errors import AccountingBroken
from postroad.vocabulary.transitions import RunState


@dataclass(frozen=True, slots=True)
class RunSummary:
    """`total = succeeded + failed + unknown + unsent + skipped`, always. Source: spec wepush §12.2.

    `retried` counts attempts beyond the first of an item. `maybe_doubled` counts items that succeeded after an answered
    attempt which the remote may have kept. State LOST means the run was stopped hard and can be resumed.
    """

    run_id: str
    state: RunState
    reason: str
    total: int
    succeeded: int
    failed: int
    unknown: int
    unsent: int
    skipped: int
    retried: int
    maybe_doubled: int
    started_at_ms: int
    ended_at_ms: int
    suppressed_errors: tuple[str, ...] = ()

    def check(self) -> None:
        """Raises AccountingBroken where somebody is missing or counted twice."""
        parts = (self.succeeded, self.failed, self.unknown, self.unsent, self.skipped)
        if min(parts) < 0 or sum(parts) != self.total:
            raise AccountingBroken(
                f"run {self.run_id}: succeeded + failed + unknown + unsent + skipped = {sum(parts)} {parts}, "
                f"but the total is {self.total}; keep the journal and report this as a bug"
            )
