"""The account of a run: what each shard came to, folded into one."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from postroad.flows.local_runs.keeping.folder import SendFolder
from postroad.vocabulary.counts import Counts, add_counts
from postroad.vocabulary.errors import SendConflict
from postroad.vocabulary.transitions import RunState

MAX_SUPPRESSED = 50


@dataclass(frozen=True, slots=True)
class ShardAccount:
    """How one shard ended. State LOST: it was stopped hard, and can go on."""

    state: RunState
    reason: str
    counts: Counts
    started_at_ms: int
    ended_at_ms: int
    suppressed_errors: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "state": self.state.value,
            "reason": self.reason,
            "counts": asdict(self.counts),
            "startedAtMs": self.started_at_ms,
            "endedAtMs": self.ended_at_ms,
            "suppressedErrors": list(self.suppressed_errors),
        }

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "ShardAccount":
        return ShardAccount(
            state=RunState(value["state"]),
            reason=value["reason"],
            counts=Counts(**value["counts"]),
            started_at_ms=value["startedAtMs"],
            ended_at_ms=value["endedAtMs"],
            suppressed_errors=tuple(value["suppressedErrors"]),
        )


def read_account(folder: SendFolder) -> ShardAccount:
    """How the send ended. Raises SendConflict where `ended.json` is not what was written there."""
    try:
        return ShardAccount.from_json(folder.read(folder.ended))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SendConflict(f"{folder.ended} is not what was written there; restore it") from error


def fold(shards: Sequence[ShardAccount]) -> ShardAccount:
    """One account of all shards. An unfinished shard makes the run unfinished; a failed one makes it FAILED."""
    state = _folded_state({shard.state for shard in shards})
    reasons = dict.fromkeys(shard.reason for shard in shards if shard.state is state and shard.reason)
    suppressed = [error for shard in shards for error in shard.suppressed_errors]
    return ShardAccount(
        state=state,
        reason="; ".join(reasons),
        counts=add_counts(shard.counts for shard in shards),
        started_at_ms=min(shard.started_at_ms for shard in shards),
        ended_at_ms=max(shard.ended_at_ms for shard in shards),
        suppressed_errors=tuple(suppressed[:MAX_SUPPRESSED]),
    )


def _folded_state(states: set[RunState]) -> RunState:
    for state in (RunState.LOST, RunState.FAILED, RunState.CANCELLED, RunState.PARTIAL):
        if state in states:
            return state
    return RunState.SUCCEEDED
