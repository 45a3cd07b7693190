"""How long each class of artifact is kept. Source: spec wepush §27, §29.5."""

from collections.abc import Mapping
from dataclasses import dataclass

from postroad.modules.artifacts.model import ArtifactType
from postroad.modules.artifacts.ports import ArtifactPolicy

CHECK_MS = 3_600_000
"""How often the sweep asks whether a snapshot is still referred to: its last reference is known this exactly."""
_LONGEST_BACKOFF_MS = 3_600_000

_T = ArtifactType
_BY_POLICY = frozenset({_T.RESULT, _T.RESPONSES, _T.LOG})


@dataclass(frozen=True, slots=True)
class KeepingRules:
    """Periods in milliseconds, of every type. `free_bytes` is the room that uploads leave on the disk."""

    periods_ms: Mapping[ArtifactType, int]
    upload_timeout_ms: int
    largest_bytes: int
    free_bytes: int = 0

    def expires_at_ms(self, kind: ArtifactType, now_ms: int, policy: ArtifactPolicy) -> int:
        """When a file that is ready now may go; of a snapshot: when nothing refers to it any more from now on."""
        period = self.periods_ms[kind]
        if kind in _BY_POLICY and policy.retention_ms:
            period = min(period, policy.retention_ms)
        return now_ms + period

    def due_at_ms(self, kind: ArtifactType, now_ms: int, expires_at_ms: int) -> int:
        """When the sweep looks at it next: a snapshot often, anything else when its time is over."""
        if kind is _T.SNAPSHOT or expires_at_ms <= now_ms:
            return now_ms + CHECK_MS
        return expires_at_ms


def next_attempt_ms(now_ms: int, attempts: int) -> int:
    """After the removal failed: one minute, then twice as long each time, an hour at most."""
    return now_ms + min(_LONGEST_BACKOFF_MS, 60_000 << min(attempts, 10))
