"""What the ground itself forgets in time: kept answers of repeated requests, counts of callers that went away."""

from postroad.kernel import idempotency
from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.kernel.limits import DatabaseLimiter, Limiter
from postroad.kernel.service import BackgroundService

_UPKEEP = Principal.system("upkeep")
_EVERY_S = 600.0
_AT_ONCE = 1000


def upkeep_services(database: Database, limiter: Limiter) -> list[BackgroundService]:
    def forget_answers() -> bool:
        return database.write(_UPKEEP, lambda uow: idempotency.forget_answers(uow, _AT_ONCE)) >= _AT_ONCE

    services = [BackgroundService("kept-answers", _EVERY_S, forget_answers)]
    if isinstance(limiter, DatabaseLimiter):
        services.append(BackgroundService("rate-limits", _EVERY_S, lambda: limiter.sweep(_AT_ONCE) >= _AT_ONCE))
    return services
