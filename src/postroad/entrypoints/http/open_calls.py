"""What the open API asks of the composition root."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from postroad.entrypoints.http.runs import RunComposition

if TYPE_CHECKING:
    from postroad.kernel.authz import Principal


@dataclass(frozen=True, slots=True)
class RefusedCall:
    principal: "Principal"
    code: str
    """Of the problem that is answered."""
    charged: bool
    """Whether it counts against the token."""
    path: str
    trace_id: str
    address: str


class OpenCalls(Protocol):
    """Calls from outside: how many, and what is written down of those that are refused."""

    def take(self, principal: "Principal") -> None:
        """One call of this token. Blocks. Raises RateLimited."""
        ...

    def refused(self, call: RefusedCall) -> None:
        """Writes it into the audit, unless too many were just written, and counts it against the token. Blocks."""
        ...


class OpenComposition(RunComposition, Protocol):
    @property
    def open_calls(self) -> OpenCalls: ...
