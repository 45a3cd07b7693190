"""What is written into the audit besides the rows of changes: refusals, exports, the end of retention."""

import threading

from postroad.kernel.authz import Principal, PrincipalKind, Resource
from postroad.kernel.database import Database
from postroad.kernel.limits import Limiter
from postroad.kernel.uow import UnitOfWork
from postroad.modules.audit import store
from postroad.modules.audit.model import AuditFilter, AuditResult
from postroad.modules.audit.queries import admit
from postroad.vocabulary.refusals import AccessDenied, RateLimited, ValidationFailed

SHORTEST_KEPT_MS = 31 * 86_400_000
"""Longer than ordinary logs live. Source: spec wepush §27."""
_OF_ONE_PER_MINUTE, _OF_ALL_PER_MINUTE = 30, 300


class Denials:
    """Writes down who was refused what, so that a flood of refusals cannot fill the disk.

    At most 30 rows a minute for one caller and 300 in all. What was not written is counted, and the next row that is
    written says how many there were. Each row is a write of its own, since the transaction it tells of was rolled back.
    """

    def __init__(self, database: Database, limiter: Limiter) -> None:
        self._database = database
        self._limiter = limiter
        self._lock = threading.Lock()
        self._unwritten = 0

    def record(
        self, principal: Principal, refusal: AccessDenied, *, correlation_id: str = "", source_address: str = ""
    ) -> bool:
        """Whether it was written. Blocks for one write; never call it inside a transaction."""
        caller = source_address if principal.kind is PrincipalKind.ANONYMOUS else principal.actor
        try:
            self._limiter.take(f"denials:{caller}", _OF_ONE_PER_MINUTE, 60.0)
            self._limiter.take("denials", _OF_ALL_PER_MINUTE, 60.0)
        except RateLimited:
            with self._lock:
                self._unwritten += 1
            return False
        resource = Resource(refusal.workspace_id, refusal.resource_type, refusal.resource_id)
        with self._lock:
            unwritten, self._unwritten = self._unwritten, 0
        details = {"notWrittenBefore": unwritten} if unwritten else {}

        def write(uow: UnitOfWork) -> None:
            uow.audit(refusal.action or "unknown", resource, result=AuditResult.DENIED.value, details=details)

        self._database.write(principal, write, correlation_id=correlation_id, source_address=source_address)
        return True


def begin_export(uow: UnitOfWork, workspace_id: str | None, wanted: AuditFilter, form: str) -> None:
    """Writes down that somebody takes the audit away, before the first row leaves."""
    resource = admit(uow, workspace_id)
    filters = {name: value for name in AuditFilter.__slots__ if (value := getattr(wanted, name)) is not None}
    uow.audit("audit.export", resource, details={"format": form, "filters": filters})


def forget_before(uow: UnitOfWork, keep_from_ms: int, limit: int = 1000) -> int:
    """Removes at most `limit` rows older than the instant and returns how many; the service's retention calls it.

    Raises ValidationFailed for an instant less than 31 days ago. The removal is itself written down.
    """
    if uow.principal.kind is not PrincipalKind.SYSTEM:
        raise AccessDenied("only the service's own retention removes audit rows", action="audit.retention")
    if keep_from_ms > uow.now_ms - SHORTEST_KEPT_MS:
        raise ValidationFailed.of("retention.audit", "TOO_SHORT", "the audit is kept for 31 days at least")
    store.move_horizon(uow.connection, keep_from_ms)
    removed = store.delete_before(uow.connection, keep_from_ms, limit)
    if removed:
        details = {"removed": removed, "keptFromMs": keep_from_ms}
        uow.audit("audit.retention", Resource("", "audit"), details=details)
    return removed
