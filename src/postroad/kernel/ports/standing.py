"""What a principal may still do, read under the lock of a write."""

from typing import Protocol

from sqlalchemy import Connection

from postroad.kernel.authz import Principal


class StandingReader(Protocol):
    def standing(self, connection: Connection, principal: Principal, now_ms: int) -> Principal | None:
        """The principal as it is now, or None where its session or token is over, or its user is disabled.

        Called inside a write transaction for USER and TOKEN. On PostgreSQL the rows that decide (user, session or
        token, role binding) are read FOR SHARE, so that a revocation waits for this write or is seen by it.
        """
        ...
