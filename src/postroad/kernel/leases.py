"""The right to act for a while, as a value: who holds it, which number it has, the secret each write must carry.

Every new holder gets the next epoch and a token of its own. A write with another epoch or token is refused for ever; a
holder whose time is over is refused even where nobody took its place.
"""

import hmac
from dataclasses import dataclass

from postroad.vocabulary.refusals import LeaseExpired


@dataclass(frozen=True, slots=True)
class Lease:
    holder: str
    epoch: int
    fencing_token: str
    expires_at_ms: int

    def is_over(self, now_ms: int) -> bool:
        return now_ms >= self.expires_at_ms

    def renewed(self, expires_at_ms: int) -> "Lease":
        """The same lease for longer; never for shorter."""
        return Lease(self.holder, self.epoch, self.fencing_token, max(self.expires_at_ms, expires_at_ms))


@dataclass(frozen=True, slots=True)
class Fence:
    """What a write carries to prove that its maker still holds the lease."""

    epoch: int
    fencing_token: str


def is_current(lease: Lease, fence: Fence, now_ms: int) -> bool:
    same = hmac.compare_digest(lease.fencing_token.encode(), fence.fencing_token.encode())
    return same and lease.epoch == fence.epoch and not lease.is_over(now_ms)


def require_current(lease: Lease, fence: Fence, now_ms: int) -> None:
    if not is_current(lease, fence, now_ms):
        raise LeaseExpired(f"the lease with epoch {fence.epoch} is over; stop, and keep what you have not reported")
