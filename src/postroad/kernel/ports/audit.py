"""Where audit rows go: into the transaction that made the change."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class AuditEntry:
    id: str
    occurred_at_ms: int
    actor: str
    """`user:<id>`, `token:<id>`, `system:<name>` or `anonymous`."""
    actor_name: str
    action: str
    workspace_id: str
    resource_type: str
    resource_id: str
    result: str
    """OK, DENIED or FAILED."""
    correlation_id: str
    source_address: str
    details: Mapping[str, object]
    """Names and digests; never a secret."""


class AuditWriter(Protocol):
    def write(self, connection: Connection, entry: AuditEntry) -> None:
        """One INSERT on `connection`; it is kept or lost with the transaction."""
        ...
