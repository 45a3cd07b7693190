"""Who calls, and the two ways from a route into the kernel.

`Router` finds out who calls before the body is read and before anything is validated, so that nobody learns the shape
of a request without being someone. A route names `caller: Caller` and calls `caller.read(work)` or
`caller.write(work)`: one transaction each, one hop into the pool.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeVar

from fastapi import Depends, Request

if TYPE_CHECKING:
    from postroad.entrypoints.http.composition import HttpComposition, Presented
    from postroad.kernel.authz import Principal
    from postroad.kernel.uow import Reading, UnitOfWork

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CallerOf:
    """The principal of one request, bound to the database. Routes know it as `Caller`."""

    principal: "Principal"
    trace_id: str
    address: str
    presented: "Presented"
    composition: "HttpComposition"

    async def read(self, work: "Callable[[Reading], T]") -> T:
        """The result of `work` in one read transaction."""
        database = self.composition.database
        return await self.run(lambda: database.read(self.principal, work))

    async def write(self, work: "Callable[[UnitOfWork], T]") -> T:
        """The result of `work`, committed. The trace id of the request is the correlation id of its events."""
        database = self.composition.database
        return await self.run(
            lambda: database.write(self.principal, work, correlation_id=self.trace_id, source_address=self.address)
        )

    def again(self) -> "Principal":
        """Who presents this now: for streams that outlive a token. Blocks. Raises AuthenticationRequired."""
        return self.composition.authenticate(self.presented)

    async def run(self, work: Callable[[], T]) -> T:
        """The result of a blocking call outside a transaction. Raises Overloaded when the pool is full."""
        return await self.composition.pool.run(work)


async def _caller(request: Request) -> CallerOf:
    caller: CallerOf = request.state.caller
    return caller


Caller = Annotated[CallerOf, Depends(_caller)]
"""The type a route names to know who calls."""
