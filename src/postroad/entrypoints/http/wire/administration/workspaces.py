"""Workspaces on the wire."""

from pydantic import Field

from postroad.entrypoints.http.conventions import Asked, Instant, PageShown, Shown, stamp
from postroad.modules.workspaces import WorkspacePolicy


class PolicyShown(Shown):
    """Limits; 0 means that there is none."""

    max_concurrent_runs: int
    max_total_concurrency: int
    artifact_quota_bytes: int
    artifact_retention_seconds: int
    max_workers: int


class WorkspaceShown(Shown):
    id: str
    name: str
    status: str
    policy: PolicyShown
    version: int
    created_at: Instant = stamp("created_at_ms")
    updated_at: Instant = stamp("updated_at_ms")


class WorkspacePage(Shown):
    items: list[WorkspaceShown]
    page: PageShown


class WorkspaceNamed(Asked):
    name: str = Field(max_length=500)


class PolicyAsked(Asked):
    """All limits: one that is not given is no limit."""

    max_concurrent_runs: int = 0
    max_total_concurrency: int = 0
    artifact_quota_bytes: int = 0
    artifact_retention_seconds: int = 0
    max_workers: int = 0

    def policy(self) -> WorkspacePolicy:
        return WorkspacePolicy(**self.model_dump())
