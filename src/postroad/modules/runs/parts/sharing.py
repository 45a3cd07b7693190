"""How the concurrency of a run is shared by the shards that are worked on, inside the limits of workspace and worker.

Shares differ by at most one and add up to the run's target. A lease gives back what is over its share when it is
renewed next, and another grows by that at its own next renewal, so the sum settles within two renewals. A new lease
gets at least one send at once although the others still hold everything: for that moment the run has one more than its
target. The limit of the workspace is never passed.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reserved:
    lease_id: str
    concurrency: int


def share(target: int, number: int, of: int) -> int:
    """The part of the target that lease `number` (from 0) of `of` leases gets; at least one."""
    return max(1, target * (number + 1) // of - target * number // of)


def first_grant(target: int, others: Sequence[Reserved], room: int) -> int:
    """Sends at once for one more lease; 0 where it cannot have any. `room` is what workspace and worker have left."""
    if room < 1 or len(others) >= target:
        return 0
    left = max(1, target - sum(other.concurrency for other in others))
    return min(share(target, len(others), len(others) + 1), left, room)


def next_grant(target: int, mine: str, leases: Sequence[Reserved], room: int) -> int:
    """The share that the lease has from now on: at once where it is less, as far as there is room where it is more."""
    number = next(place for place, lease in enumerate(leases) if lease.lease_id == mine)
    held = leases[number].concurrency
    fair = share(target, number, len(leases))
    if fair <= held:
        return fair
    taken_by_others = sum(lease.concurrency for lease in leases if lease.lease_id != mine)
    return max(held, min(fair, target - taken_by_others, held + max(0, room)))
