"""One line of the audit trail, and what a list of them can be asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class AuditResult(StrEnum):
    OK = "OK"
    DENIED = "DENIED"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class AuditEvent:
    id: str
    occurred_at_ms: int
    workspace_id: str
    """Empty for what belongs to no workspace."""
    actor_kind: str
    """user, token, system or anonymous."""
    actor_id: str
    actor_name: str
    action: str
    resource_type: str
    resource_id: str
    result: AuditResult
    trace_id: str
    source_address: str
    details: Mapping[str, object]
    """Names and digests; never a secret."""


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Each field that is set narrows the list; `action` may end in `*`."""

    actor_id: str | None = None
    action: str | None = None
    resource_type: str | None = None
    resource_id: str | None = None
    result: str | None = None
    after_ms: int | None = None
    before_ms: int | None = None
