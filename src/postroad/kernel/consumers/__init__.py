"""Who must be told of events, and the rows that see to it. The work on the rows is done by `kernel.deliveries`."""

from postroad.kernel.consumers.consumer import (
    Backoff,
    Consumer,
    ConsumerRegistry,
    DatabaseWork,
    Delivery,
    Order,
    Outcome,
    OutsideWork,
    RefusedForGood,
    Verdict,
)

__all__ = [
    "Backoff",
    "Consumer",
    "ConsumerRegistry",
    "DatabaseWork",
    "Delivery",
    "Order",
    "Outcome",
    "OutsideWork",
    "RefusedForGood",
    "Verdict",
]
