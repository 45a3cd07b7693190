"""A lease and its fence: what every write of a worker carries, and an earlier worker's no longer fits."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field

from postroad.modules.runs.model import LeaseState
from postroad.vocabulary.refusals import LeaseExpired


@dataclass(frozen=True, slots=True)
class ShardFence:
    lease_id: str
    run_id: str
    shard_id: str
    epoch: int
    token: str = field(repr=False)
    """Opaque; known to the worker alone, the database keeps its SHA-256."""


@dataclass(frozen=True, slots=True)
class RunLease:
    """One worker's right to one shard. The time of the database decides when it is over."""

    id: str
    workspace_id: str
    run_id: str
    shard_id: str
    worker_id: str
    epoch: int
    token_hash: str
    expires_at_ms: int
    state: LeaseState = LeaseState.ACTIVE
    concurrency: int = 1
    """Sends at once that are reserved for it."""
    acked_at_ms: int | None = None
    event_sequence: int = 0
    """The last of its events that is kept; later ones follow without a gap."""
    command_sequence: int = 0
    """Every command up to this one was answered by it, or was told to it with the lease."""
    version: int = 1
    created_at_ms: int = 0

    def require(self, fence: ShardFence, now_ms: int, *, acknowledged: bool = True) -> None:
        """Raises LeaseExpired unless the fence is this lease's and its time is not over."""
        same = is_token(fence.token, self.token_hash) and fence.epoch == self.epoch and fence.shard_id == self.shard_id
        if not same or self.state is not LeaseState.ACTIVE or now_ms >= self.expires_at_ms:
            raise gone(fence)
        if acknowledged and self.acked_at_ms is None:
            raise LeaseExpired(f"lease {self.id} was not acknowledged; acknowledge it before anything else")


def gone(fence: ShardFence) -> LeaseExpired:
    return LeaseExpired(
        f"lease {fence.lease_id} with epoch {fence.epoch} is over, another worker may have the shard; "
        "stop now and keep the journal"
    )


def new_token() -> str:
    """256 random bits."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def is_token(token: str, kept_hash: str) -> bool:
    """In time that does not depend on where they differ."""
    return hmac.compare_digest(token_hash(token), kept_hash)
