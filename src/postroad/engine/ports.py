"""What an application plugs into a run: where recipients come from, who may be sent to, where results and events go.

Sinks given to the engine live as long as the engine and serve several runs at once. Sinks made by a factory belong to
one run and are closed with it, or when its start is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from postroad.engine.reporting.events import EngineEvent
from postroad.engine.reporting.results import ItemResult
from postroad.spi import Recipient


@runtime_checkable
class RecipientSource(Protocol):
    """Recipients in rising order of sequence, a batch at a time."""

    async def next_batch(self, limit: int) -> Sequence[Recipient]:
        """At most `limit` more. Empty means the end, and is the answer from then on."""
        ...

    async def aclose(self) -> None: ...


@runtime_checkable
class ResumableSource(RecipientSource, Protocol):
    """A source that can be entered anywhere, which a run with a journal needs."""

    async def skip_to(self, sequence: int) -> None:
        """The next batch starts at the first recipient whose sequence is not below `sequence`."""
        ...

    async def read(self, sequences: Sequence[int]) -> list[Recipient]:
        """Exactly these, in the order asked. Does not move `next_batch`."""
        ...


class ResultSink(Protocol):
    """Takes results in batches. Idempotent by (item, attempt): a batch may come twice after a crash.

    Every item that came to an outcome is reported once. Recipients that a stopped run never read are not: they are
    the rest of the total, UNSENT.
    """

    async def append(self, batch: Sequence[ItemResult]) -> None: ...

    async def flush(self) -> None: ...

    async def aclose(self) -> None: ...


class EventSink(Protocol):
    async def publish(self, event: EngineEvent) -> None: ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Skip:
    """Leave this recipient out: SKIPPED, with the reason as its code."""

    reason: str


@dataclass(frozen=True, slots=True)
class Hold:
    """Not before `until_ms` (wall time). Asked again then; the time counts against no deadline."""

    until_ms: int
    reason: str = ""


class Gatekeeper(Protocol):
    def check(self, recipient: Recipient, now_ms: int) -> Skip | Hold | None:
        """Asked right before each first attempt, in the dispatching thread: must not block."""
        ...
