"""Deliveries of events to consumers on the wire."""

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from postroad.entrypoints.http.conventions import Asked, GivenInstant, Instant, PageShown, Shown, stamp
from postroad.kernel.deliveries.inspecting import DeliveryDetail, DeliveryFilter
from postroad.kernel.deliveries.steering import LONGEST_REASON, MOST_AT_ONCE, ConsumerView, Order, Range
from postroad.vocabulary.events import Event, EventName
from postroad.vocabulary.transitions import DeliveryState

_Usual = Annotated[frozenset[DeliveryState], Field(min_length=1, json_schema_extra={"examples": [["DEAD", "UNKNOWN"]]})]


class DeliveryShown(Shown):
    id: str
    workspace_id: str
    consumer: str
    event_id: str
    event_name: str
    aggregate_type: str
    aggregate_id: str
    aggregate_version: int
    generation: int
    is_current: bool
    """False once a replay took its place."""
    state: DeliveryState
    attempts: int
    next_attempt_at: Instant | None = stamp("next_attempt_at_ms")
    last_error: str | None
    created_at: Instant = stamp("created_at_ms")
    updated_at: Instant = stamp("updated_at_ms")


class DeliveryPage(Shown):
    items: list[DeliveryShown]
    page: PageShown


class EventShown(Shown):
    id: str
    name: str
    schema_version: int
    workspace_id: str
    aggregate_type: str
    aggregate_id: str
    aggregate_version: int
    actor: str
    correlation_id: str
    causation_id: str | None
    hop: int
    payload_digest: str
    occurred_at: Instant = stamp("occurred_at_ms")
    payload: dict[str, Any]

    @staticmethod
    def shown(event: Event) -> "EventShown":
        names = (name for name in EventShown.model_fields if not name.startswith("aggregate_"))
        about = {f"aggregate_{name}": getattr(event.aggregate, name) for name in ("type", "id", "version")}
        flat = {name: getattr(event, name, None) for name in names}
        return EventShown.of({**flat, **about, "id": event.event_id, "occurred_at_ms": event.occurred_at_ms})


class DeliveryDetailShown(Shown):
    delivery: DeliveryShown
    event: EventShown
    generations: list[DeliveryShown]

    @staticmethod
    def shown(detail: DeliveryDetail) -> "DeliveryDetailShown":
        return DeliveryDetailShown(
            delivery=DeliveryShown.of(detail.delivery),
            event=EventShown.shown(detail.event),
            generations=[DeliveryShown.of(view) for view in detail.generations],
        )


class SteeringAsked(Asked):
    """A range of one consumer's deliveries. Without `expected` it is only counted; with the number, it is done."""

    consumer: Annotated[str, Field(min_length=1, max_length=100)]
    reason: Annotated[str, Field(min_length=1, max_length=LONGEST_REASON)]
    states: _Usual = frozenset({DeliveryState.DEAD, DeliveryState.UNKNOWN})
    event: EventName | None = None
    occurred_after: GivenInstant | None = None
    occurred_before: GivenInstant | None = None
    event_ids: Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=MOST_AT_ONCE)] = []  # noqa: RUF012  (entrypoints: pydantic copies defaults; until 2028-01-01)
    expected: Annotated[int, Field(ge=0, le=MOST_AT_ONCE)] | None = None

    def order(self) -> Order:
        wanted = DeliveryFilter(
            event=self.event, occurred_after=self.occurred_after, occurred_before=self.occurred_before
        )
        return Order(Range(self.consumer, self.states, wanted, tuple(self.event_ids)), self.reason, self.expected)


class SteeredShown(Shown):
    number: int
    done: bool
    """False where it was only counted."""


class DepthShown(Shown):
    state: DeliveryState
    number: int
    oldest_at: Instant = stamp("oldest_at_ms")


class ConsumerShown(Shown):
    name: str
    required: bool
    """Events are kept until it is done with them."""
    held: bool
    known_since: Instant = stamp("known_since_ms")
    depths: list[DepthShown]

    @staticmethod
    def shown(view: ConsumerView) -> "ConsumerShown":
        return ConsumerShown.of({**asdict(view.consumer), "depths": view.depths})


class ConsumerList(Shown):
    items: list[ConsumerShown]


class SwitchAsked(Asked):
    reason: Annotated[str, Field(min_length=1, max_length=LONGEST_REASON)]
