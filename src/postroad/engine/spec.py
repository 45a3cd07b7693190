"""What one run is: provider, account, message, policies, audience. Frozen before the first send."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from postroad.engine.policies import ExecutionPolicies
from postroad.spi import ConfigDocument


@dataclass(frozen=True, slots=True)
class ShardRange:
    """Sequences `first` up to, not including, `end`."""

    first: int
    end: int


def split_into_shards(count: int, parts: int) -> tuple[tuple[int, int], ...]:
    """`parts` contiguous ranges whose lengths differ by at most one; fewer where there are fewer recipients."""
    parts = max(1, min(parts, count))
    bounds = [count * index // parts for index in range(parts + 1)]
    return tuple((bounds[index], bounds[index + 1]) for index in range(parts))


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Source: spec wepush §6.4.

    `total` is the number of accepted recipients where it is known; the run fails, with everybody accounted for, when
    the source holds fewer or more. `shard` limits the run to a part of the snapshot; `total` then counts that part.
    `key_for` gives the idempotency key of an item that is sent again for another run: that run's key.
    A dry run renders and counts and opens no session. With a journal it can be listed like a run; never go on with that
    journal in a run that sends.
    """

    run_id: str
    provider: str
    account: ConfigDocument
    message: ConfigDocument
    policies: ExecutionPolicies = field(default_factory=ExecutionPolicies)
    snapshot_id: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    dry_run: bool = False
    total: int | None = None
    shard: ShardRange | None = None
    key_for: Callable[[int], str] | None = None
