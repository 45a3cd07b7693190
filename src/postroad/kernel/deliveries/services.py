"""The background services of deliveries: a dispatcher for each consumer, sweeps, clean-up, counts.

They run in every instance. A dispatcher has a thread of its own, so one that is slow or fails holds up nobody else;
hints let it look at once, and it looks by itself twice a second.
"""

from collections.abc import Callable
from dataclasses import dataclass

from postroad.kernel.authz import Principal
from postroad.kernel.consumers import Consumer
from postroad.kernel.database import Database
from postroad.kernel.deliveries import cleaning, sweeping
from postroad.kernel.deliveries.depth import Depth, depths
from postroad.kernel.deliveries.dispatching import Dispatcher, DispatcherParts
from postroad.kernel.service import BackgroundService
from postroad.kernel.uow import UnitOfWork
from postroad.vocabulary.clock import Clock

ME = Principal.system("deliveries")
_LOOK_S, _LEASES_S, _MISSING_S, _CLEAN_S, _COUNT_S = 0.5, 5.0, 300.0, 600.0, 15.0


@dataclass(frozen=True, slots=True)
class DeliveryServices:
    database: Database
    clock: Clock
    dispatching: DispatcherParts
    keep_s: float
    """How long events are kept at least; a replay can reach back as far."""
    show: Callable[[tuple[Depth, ...]], None]

    def all(self) -> list[BackgroundService]:
        consumers = self.database.consumers.all
        return [
            *(self._dispatcher(consumer) for consumer in consumers),
            BackgroundService("delivery-leases", _LEASES_S, self.sweep),
            BackgroundService("delivery-gaps", _MISSING_S, self.fill_gaps),
            BackgroundService("event-clean-up", _CLEAN_S, self.clean),
            BackgroundService("delivery-depths", _COUNT_S, self.count),
        ]

    def begin(self) -> None:
        """Notes the consumers. Once at the start, before events are emitted."""
        self.database.write(ME, lambda uow: sweeping.register(uow, self.database.consumers))

    def sweep(self) -> bool:
        def swept(consumer: Consumer) -> Callable[[UnitOfWork], int]:
            return lambda uow: max(sweeping.take_back_lost(uow, consumer), sweeping.release_held(uow, consumer))

        return self._for_each(swept)

    def fill_gaps(self) -> bool:
        def filled(consumer: Consumer) -> Callable[[UnitOfWork], int]:
            return lambda uow: sweeping.add_missing(uow, consumer)

        return self._for_each(filled)

    def clean(self) -> bool:
        before_ms = self.clock.now_ms() - round(self.keep_s * 1000)
        return self.database.write(ME, lambda uow: cleaning.clean(uow, before_ms, sweeping.SLICE)) >= sweeping.SLICE

    def count(self) -> bool:
        self.show(self.database.read(ME, depths))
        return False

    def _dispatcher(self, consumer: Consumer) -> BackgroundService:
        dispatcher = Dispatcher(consumer, self.dispatching)
        return BackgroundService(f"consumer-{consumer.name}", _LOOK_S, dispatcher.tick, (consumer.topic,))

    def _for_each(self, work_of: Callable[[Consumer], Callable[[UnitOfWork], int]]) -> bool:
        """True where a slice of some consumer was full."""
        full = False
        for consumer in self.database.consumers.all:
            number = self.database.write(ME, work_of(consumer))
            full = full or number >= sweeping.SLICE
            if number:
                self.database.wakeups.notify(consumer.topic)
        return full
