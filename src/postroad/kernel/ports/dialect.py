"""What a database must be able to do for the kernel."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import Connection

from postroad.vocabulary.errors import PostroadError


@dataclass(frozen=True, slots=True)
class Opened:
    """A connection in a transaction that has begun."""

    connection: Connection
    now_ms: int | None
    """The database's own time at the beginning, where it decides; None where the clock of the process does."""


class Singleton(Protocol):
    def hold(self) -> bool:
        """Whether this instance has the right now; takes it where nobody has it. Ask before each piece of work.

        An instance that was cut off may not know for a while, so what it guards must also be guarded by unique rows or
        fencing.
        """
        ...

    def release(self) -> None: ...


class Dialect(Protocol):
    @property
    def name(self) -> str:
        """`sqlite` or `postgresql`."""
        ...

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What its driver raises, besides SQLAlchemyError."""
        ...

    def reading(self, deadline_s: float, /) -> AbstractContextManager[Opened]:
        """One snapshot for all statements; nothing can be written. Ends at the end of the context."""
        ...

    def writing(self, deadline_s: float, /) -> AbstractContextManager[Opened]:
        """A transaction that may write. Leaving the context rolls back what was not committed.

        Waits for its turn; raises Overloaded where the queue is full or the turn does not come in time.
        """
        ...

    def is_retryable(self, error: BaseException, /) -> bool:
        """Whether the database undid the transaction for the sake of others, so that it may run again as a whole."""
        ...

    def is_lost(self, error: BaseException, /) -> bool:
        """Whether the connection broke."""
        ...

    def leaves_unknown(self, error: BaseException, /) -> bool:
        """Whether after this error of a COMMIT nobody can say if it was committed."""
        ...

    def refusal(self, error: BaseException, /, *, writing: bool) -> PostroadError | None:
        """The error of our own that says this in words a person can act on; None where there is none.

        A reading that tries to write gets None: that is a bug, not a read-only disk.
        """
        ...

    def background(self) -> "Dialect":
        """The same database for background work, with connections of its own where that matters."""
        ...

    def singleton(self, name: str) -> Singleton:
        """The right to do `name` alone among all instances of the service."""
        ...

    def close(self) -> None:
        """Gives all connections back. Nothing may be read or written afterwards."""
        ...
