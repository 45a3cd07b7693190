"""How much waits for whom: what the metrics and the page of consumers show."""

from dataclasses import dataclass

from sqlalchemy import func, select, text

from postroad.kernel.consumers.rows import IS_OPEN, event_consumers, event_deliveries
from postroad.kernel.uow import Reading

_D = event_deliveries.c
_DEPTHS = (
    select(_D.consumer, _D.state, func.count(), func.min(_D.created_at_ms))
    .where(text(IS_OPEN))
    .group_by(_D.consumer, _D.state)
)


@dataclass(frozen=True, slots=True)
class Depth:
    consumer: str
    state: str
    number: int
    oldest_at_ms: int
    """When the first of them was written."""


@dataclass(frozen=True, slots=True)
class ConsumerState:
    name: str
    required: bool
    held: bool
    known_since_ms: int


def depths(reading: Reading) -> tuple[Depth, ...]:
    """Of all deliveries that are not done. No rights are asked for: it tells numbers only, to the service itself."""
    return tuple(Depth(*row) for row in reading.connection.execute(_DEPTHS))


def consumer_states(reading: Reading) -> tuple[ConsumerState, ...]:
    table = event_consumers.c
    rows = select(table.name, table.required, table.held, table.known_since_ms).order_by(table.name)
    return tuple(ConsumerState(*row) for row in reading.connection.execute(rows))
