"""What the kernel needs from others: a database, the standing of a principal, a place for the audit."""

from postroad.kernel.ports.audit import AuditEntry, AuditWriter
from postroad.kernel.ports.dialect import Dialect, Opened, Singleton
from postroad.kernel.ports.standing import StandingReader
from postroad.kernel.ports.workspaces import ARCHIVED, WorkspaceStates

__all__ = [
    "ARCHIVED",
    "AuditEntry",
    "AuditWriter",
    "Dialect",
    "Opened",
    "Singleton",
    "StandingReader",
    "WorkspaceStates",
]
