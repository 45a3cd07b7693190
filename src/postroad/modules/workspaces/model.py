"""What a workspace is: a name, a state and a policy. Pure: it decides and does not do."""

from dataclasses import dataclass, fields
from enum import StrEnum

from postroad.vocabulary.refusals import FieldProblem, StateConflict, ValidationFailed

LARGEST_LIMIT = 2**53 - 1
"""Whole numbers beyond this lose digits in JSON readers."""
SHORTEST_RETENTION_S = 300
DEFAULT_NAME = "Default"


class WorkspaceStatus(StrEnum):
    ACTIVE = "ACTIVE"
    ARCHIVED = "ARCHIVED"
    """Everything in it can be read; nothing can be changed or started."""


@dataclass(frozen=True, slots=True)
class WorkspacePolicy:
    """Limits of one workspace; 0 means that there is none."""

    max_concurrent_runs: int = 0
    max_total_concurrency: int = 0
    """Sum of the concurrency that its running runs have reserved."""
    artifact_quota_bytes: int = 0
    artifact_retention_seconds: int = 0
    """How long results are kept at most; 0 leaves the periods of the service."""
    max_workers: int = 0

    def validated(self) -> "WorkspacePolicy":
        """The policy itself. Raises ValidationFailed, naming every field that is out of its range."""
        problems = [
            FieldProblem(_camel(part.name), "OUT_OF_RANGE", f"must be 0 (no limit) to {LARGEST_LIMIT}")
            for part in fields(self)
            if not 0 <= getattr(self, part.name) <= LARGEST_LIMIT
        ]
        if 0 < self.artifact_retention_seconds < SHORTEST_RETENTION_S:
            said = f"must be 0 (the periods of the service) or at least {SHORTEST_RETENTION_S} seconds"
            problems.append(FieldProblem("artifactRetentionSeconds", "OUT_OF_RANGE", said))
        if problems:
            raise ValidationFailed(f"{problems[0].path} {problems[0].message}", problems=problems)
        return self


@dataclass(frozen=True, slots=True)
class Workspace:
    id: str
    name: str
    status: WorkspaceStatus
    policy: WorkspacePolicy
    version: int
    created_at_ms: int
    updated_at_ms: int

    @property
    def head(self) -> dict[str, object]:
        """What somebody with a stale version is told of the present one."""
        return {"updatedAtMs": self.updated_at_ms, "status": self.status.value}

    def require_active(self) -> None:
        """Raises StateConflict for an archived workspace."""
        if self.status is not WorkspaceStatus.ACTIVE:
            raise StateConflict(f"the workspace {self.name} is archived; a system administrator can activate it again")


@dataclass(frozen=True, slots=True)
class WorkspaceFilter:
    name: str | None = None
    """A part of the name; case and width do not count."""
    status: str | None = None
    created_after_ms: int | None = None
    created_before_ms: int | None = None


def changed_limits(before: WorkspacePolicy, after: WorkspacePolicy) -> dict[str, object]:
    """The limits that differ, with their new values, named as on the wire."""
    return {
        _camel(part.name): getattr(after, part.name)
        for part in fields(after)
        if getattr(before, part.name) != getattr(after, part.name)
    }


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
