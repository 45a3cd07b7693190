"""What became of one item, and the batches in which sinks get it."""

from dataclasses import dataclass

from postroad.vocabulary.ids import ItemId, RunId, SnapshotId, item_id
from postroad.vocabulary.outcomes import Outcome


@dataclass(slots=True)
class ItemResult:
    """Final. `attempt` is the number of attempts made, 0 where none was."""

    run_id: str
    snapshot_id: str
    sequence: int
    row: int
    attempt: int
    outcome: Outcome
    category: str = ""
    code: str = ""
    request_id: str = ""
    summary: str = ""
    latency_ms: int = 0
    at_ms: int = 0
    maybe_doubled: bool = False
    body: bytes | None = None

    @property
    def item_id(self) -> ItemId:
        return item_id(RunId(self.run_id), SnapshotId(self.snapshot_id), self.sequence)
