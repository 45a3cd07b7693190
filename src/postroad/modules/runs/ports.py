"""What the room of runs needs from others, as small Protocols that the composition root fills."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from postroad.kernel.uow import Reading, UnitOfWork

RUNS_TOPIC = "runs"
"""Hint: a run has new events; the key is the run's id."""
WORK_TOPIC = "run-work"
"""Hint: a shard can be claimed or a run can be ended."""
COMMANDS_TOPIC = "run-commands"
"""Hint: a run has a new command; the key is the run's id."""


@dataclass(frozen=True, slots=True)
class RunQuota:
    """Limits of one workspace; 0 means that there is none."""

    concurrent_runs: int = 0
    total_concurrency: int = 0


class Quotas(Protocol):
    def quota_of(self, reading: Reading, workspace_id: str) -> RunQuota: ...


@dataclass(frozen=True, slots=True)
class CircuitVerdict:
    """`until_ms` is when a refused run may ask again; None where nobody knows."""

    admitted: bool
    until_ms: int | None = None


class Circuits(Protocol):
    """The authentication circuit of accounts, which counts failing runs."""

    def admit(self, uow: UnitOfWork, workspace_id: str, account_id: str, run_id: str) -> CircuitVerdict:
        """Whether a shard of this run may begin now; half open, one run is let through as a trial."""
        ...

    def run_ended(
        self, uow: UnitOfWork, workspace_id: str, account_id: str, run_id: str, *, authentication_failed: bool
    ) -> None: ...


class Artifacts(Protocol):
    def require_ready(self, reading: Reading, workspace_id: str, artifact_ids: Sequence[str]) -> None:
        """Raises ArtifactNotReady where one of them is not whole."""
        ...


class Meters(Protocol):
    """Called after a commit; labels are few, runs and workers are none of them."""

    def run_ended(self, state: str, provider_id: str, outcomes: Mapping[str, int]) -> None: ...

    def leases_expired(self, number: int) -> None: ...


@dataclass(frozen=True, slots=True)
class LeaseRules:
    ack_within_ms: int = 30_000
    lease_for_ms: int = 30_000
    """Renew at a third of it."""
    ending_for_ms: int = 120_000
    """How long one worker alone makes the results of an ended run before another may."""


@dataclass(frozen=True, slots=True)
class RunSurroundings:
    """Made once by the composition root."""

    quotas: Quotas
    circuits: Circuits
    artifacts: Artifacts
    meters: Meters
    hint: Callable[[str, str], None]
    """`Wakeups.notify`."""
    rules: LeaseRules = field(default_factory=LeaseRules)
