"""Deliveries of events to consumers, and what is counted of them."""

from functools import cached_property

from postroad.app.areas.ground.area import Ground
from postroad.foundation.ids import uuid7
from postroad.foundation.metrics import DELIVERIES, DELIVERY_AGE, DELIVERY_DEPTH, OUTBOX_SIZE, Metrics
from postroad.kernel.deliveries.depth import Depth
from postroad.kernel.deliveries.dispatching import DispatcherParts
from postroad.kernel.deliveries.services import DeliveryServices
from postroad.kernel.service import BackgroundService
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.transitions import FINAL, DeliveryState


class DeliveriesArea(Ground):
    @cached_property
    def deliveries(self) -> DeliveryServices:
        meter = DeliveryMeter(self.metrics, self.clock)
        return DeliveryServices(
            database=self.background_database,
            clock=self.clock,
            dispatching=DispatcherParts(self.background_database, owner=uuid7(), meter=meter),
            keep_s=self.settings.retention.events_s,
            show=meter.show,
        )

    def background_services(self) -> list[BackgroundService]:
        return [*super().background_services(), *self.deliveries.all()]


class DeliveryMeter:
    """`deliveries.Meter` over the metrics of the service."""

    def __init__(self, metrics: Metrics, clock: Clock) -> None:
        self._metrics = metrics
        self._clock = clock
        self._shown: set[tuple[str, str]] = set()

    def settled(self, consumer: str, result: str, number: int) -> None:
        self._metrics.add(DELIVERIES, number, consumer=consumer, result=result)

    def show(self, found: tuple[Depth, ...]) -> None:
        """What is no longer there is shown as 0."""
        now_ms = self._clock.now_ms()
        depths = dict.fromkeys(self._shown, 0) | {(one.consumer, one.state): one.number for one in found}
        ages = {consumer: 0.0 for consumer, _ in depths}
        for one in found:
            if one.state not in FINAL | {DeliveryState.HELD}:
                ages[one.consumer] = max(ages[one.consumer], (now_ms - one.oldest_at_ms) / 1000)
        for (consumer, state), number in depths.items():
            self._metrics.set(DELIVERY_DEPTH, number, consumer=consumer, state=state)
        for consumer, age_s in ages.items():
            self._metrics.set(DELIVERY_AGE, age_s, consumer=consumer)
        self._metrics.set(OUTBOX_SIZE, sum(one.number for one in found if one.state not in FINAL))
        self._shown = set(depths)
