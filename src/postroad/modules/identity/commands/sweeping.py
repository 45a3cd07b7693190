"""Removing what is over: sessions and codes that ended a month ago. Users and tokens stay, the audit names them."""

from postroad.kernel.authz import PrincipalKind
from postroad.kernel.uow import UnitOfWork
from postroad.modules.identity.model import DAY_MS
from postroad.modules.identity.store import codes, sessions
from postroad.vocabulary.refusals import AccessDenied

KEPT_MS = 30 * DAY_MS


def forget_ended(uow: UnitOfWork, limit: int = 500) -> int:
    """At most `limit` of each; how many in all. The service's upkeep calls it."""
    if uow.principal.kind is not PrincipalKind.SYSTEM:
        raise AccessDenied("only the service's own upkeep removes what is over")
    before_ms = uow.now_ms - KEPT_MS
    return sessions.delete_over(uow.connection, before_ms, limit) + codes.delete_over(uow.connection, before_ms, limit)
