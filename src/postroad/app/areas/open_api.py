"""The open API: how often tokens may call, and what is written down of calls that are refused."""

from functools import cached_property

from postroad.app.areas.ground import Ground
from postroad.entrypoints.http.open_calls import OpenCalls, RefusedCall
from postroad.kernel.authz import Principal, Resource
from postroad.kernel.database import Database
from postroad.kernel.limits import Limiter, MemoryLimiter
from postroad.kernel.uow import UnitOfWork
from postroad.modules import identity
from postroad.modules.audit import AuditResult
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.refusals import RateLimited

_OF_A_TOKEN, _WRITTEN_OF_ONE, _WRITTEN_OF_ALL = 60, 30, 300
_MINUTE_S = 60.0
_ME = Principal.system("open-api")


class OpenApiArea(Ground):
    @cached_property
    def open_calls(self) -> OpenCalls:
        return CallsOfPrograms(self.database, self.limiter, self.clock)


class CallsOfPrograms:
    """`open_calls.OpenCalls`. What tokens may is counted for all instances, what is written down for each."""

    def __init__(self, database: Database, limiter: Limiter, clock: Clock) -> None:
        self._database = database
        self._limiter = limiter
        self._written = MemoryLimiter(clock)

    def take(self, principal: Principal) -> None:
        self._limiter.take(f"open:{principal.actor}", _OF_A_TOKEN, _MINUTE_S)

    def refused(self, call: RefusedCall) -> None:
        if call.charged:
            token_id = call.principal.token_id
            self._database.write(
                _ME,
                lambda uow: identity.note_open_failure(uow, token_id),
                correlation_id=call.trace_id,
                source_address=call.address,
            )
        try:
            self._written.take(call.principal.token_id or call.address, _WRITTEN_OF_ONE, _MINUTE_S)
            self._written.take("all", _WRITTEN_OF_ALL, _MINUTE_S)
        except RateLimited:
            return
        about = Resource(next(iter(call.principal.roles), ""), "open_call")

        def write(uow: UnitOfWork) -> None:
            details = {"path": call.path, "code": call.code}
            uow.audit("open_call.refused", about, result=AuditResult.DENIED.value, details=details)

        self._database.write(call.principal, write, correlation_id=call.trace_id, source_address=call.address)
