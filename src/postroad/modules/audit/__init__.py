"""The audit: who did what to what, when, from where, and who was refused.

Owns the tables `audit_events` and `audit_horizon`. A row is written in the transaction of the change it tells of, so
there is no change without its row and no row without its change; refusals have a transaction of their own and are
bounded in number. Rows are never changed and leave at the old end only, which the database itself sees to.

Publishes no events: the audit is read, not listened to.
"""

from postroad.modules.audit.commands import SHORTEST_KEPT_MS, Denials, begin_export, forget_before
from postroad.modules.audit.model import AuditEvent, AuditFilter, AuditResult
from postroad.modules.audit.queries import list_audit_events, list_for_export, position_of
from postroad.modules.audit.store import AuditTrail

__all__ = [
    "SHORTEST_KEPT_MS",
    "AuditEvent",
    "AuditFilter",
    "AuditResult",
    "AuditTrail",
    "Denials",
    "begin_export",
    "forget_before",
    "list_audit_events",
    "list_for_export",
    "position_of",
]
