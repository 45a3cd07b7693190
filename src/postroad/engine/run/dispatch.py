"""The hot path: who goes next.

`pump` runs at most once per turn of the loop, when something has changed: an answer came, a moment is due, recipients
arrived, a line became durable. It admits items while there are permits, in this order: due retries and holds, open
lanes, fresh recipients. Permit and all tokens are taken together by a try that never waits; what must wait is parked
and holds neither. All lines of the turn (the results since the last one, the INTENTs of this one) share one write, and
only then are flights handed to the workers.

When a wide bucket (run, account) refuses, nothing can go: the gate stays shut until it is due and nobody is moved. When
a narrow one refuses, only that item is moved to the lane behind it. A full parking stops the source.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from postroad.engine.clock import RunClock
from postroad.engine.items.item import Item
from postroad.engine.items.ledger import NO_LIMIT, Flight, Ledger
from postroad.engine.items.parking import Lane, Parking
from postroad.engine.items.settle import Fate, Settler
from postroad.engine.items.soundness import sound_rendering
from postroad.engine.pacing.pacer import Pacer, Wait
from postroad.engine.ports import Gatekeeper, Hold, Skip
from postroad.engine.reporting.counters import Counters
from postroad.engine.reporting.events import Waiting
from postroad.engine.run.workers import Workforce
from postroad.spi import Recipient, Rendered, Renderer, RenderError
from postroad.vocabulary.errors import JournalBroken
from postroad.vocabulary.outcomes import Category, Outcome
from postroad.vocabulary.transitions import WaitReason

LOW_WATER = 500
_FOREIGN_PER_VISIT = 32
_TURNS_PER_LANE = 16


class Dispatcher:
    """The coordinator opens and closes it (`is_open`), and hears of its end by `drained` and of errors by `broken`."""

    def __init__(
        self,
        *,
        clock: RunClock,
        renderer: Renderer,
        pacer: Pacer,
        parking: Parking,
        ledger: Ledger,
        settler: Settler,
        counters: Counters,
        gatekeeper: Gatekeeper | None,
        batch_size: int,
        drained: Callable[[], None],
        broken: Callable[[Exception], None],
        is_full: Callable[[], bool],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._clock = clock
        self._render = renderer.render
        self._pacer, self._parking, self._ledger, self._settler = pacer, parking, ledger, settler
        self._counters = counters
        self._gatekeeper = gatekeeper
        self._batch_size = batch_size
        self._drained, self._broken, self._sinks_full = drained, broken, is_full
        self.workforce: Workforce | None = None
        self.fresh: deque[Recipient] = deque()
        self.careful_below = 0
        """First attempts below this sequence were left over by an earlier process."""
        self.is_open = False
        self.is_exhausted = False
        self.is_over = False
        self.limit = 1
        self.in_flight = 0
        self._tick: list[Flight] = []
        self._groups: dict[str, Flight] = {}
        self._batches = 0
        self._gate: Wait | None = None
        self._scheduled = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        """Kept here: a handle of uvloop does not know when it is due once it is overdue."""
        self._low = asyncio.Event()

    def schedule(self) -> None:
        if not self._scheduled and not self.is_over:
            self._scheduled = True
            self._loop.call_soon(self.pump)

    def landed(self) -> None:
        """A flight is back; its result is appended and will be written before its permit is used again."""
        self.in_flight -= 1
        self.schedule()

    def deliver(self, batch: Sequence[Recipient]) -> None:
        self.fresh.extend(batch)
        self.schedule()

    async def low_water(self) -> None:
        """Returns when the source may be read again."""
        while len(self.fresh) >= LOW_WATER:
            self._low.clear()
            await self._low.wait()

    def reopen(self, key: str = "") -> None:
        """A rate has changed, or tokens came: whoever waits for them asks again now."""
        self._gate = None
        if key:
            self._parking.reopen(key)
        self.schedule()

    def pump(self) -> None:
        self._scheduled = False
        if self.is_over:
            return
        try:
            self._turn()
        except Exception as error:  # a bug of ours or a port's: the run must end and say so, not stand still  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
            self._broken(error)

    def _turn(self) -> None:
        now_ms = self._clock.now_ms()
        if self.is_open and not self._sinks_full():
            self._admit(now_ms)
        flights, self._tick = self._tick, []
        try:
            self._ledger.commit()
        except JournalBroken as error:
            flights = self._mend(error, flights, int(now_ms))
        if self._ledger.has_waiting:
            flights.extend(self._ledger.durable_flights())
        if flights and self.workforce is not None:
            self.workforce.offer(flights)
        if len(self.fresh) < LOW_WATER:
            self._low.set()
        self._rest(now_ms)

    def _mend(self, error: JournalBroken, flights: list[Flight], now_ms: int) -> list[Flight]:
        """Recovers the journal and makes the INTENTs of this turn again; gives the flights that may go now.

        Where it cannot be recovered the run ends, and this turn's items were certainly never sent.
        """
        admitted = flights + self._ledger.uncommitted()
        if self._ledger.has_failed:
            self._withdraw(admitted, now_ms)
            return []
        try:
            self._ledger.recover()
            ahead = [flight for flight in admitted if self._ledger.intend(flight, now_ms)]
            self._ledger.commit()
        except JournalBroken:
            self._ledger.has_failed = True
            self._withdraw(admitted, now_ms)
            self._broken(error)
            return []
        return ahead

    def _withdraw(self, flights: list[Flight], now_ms: int) -> None:
        for flight in flights:
            self.in_flight -= 1
            for item in flight:
                self._settler.left_over(item, intended=False, keep=True, now_ms=now_ms)

    def _admit(self, now_ms: float) -> None:
        gate = self._gate
        if gate is not None:
            if gate.until_ms > now_ms:
                return
            self._gate = None
        parking = self._parking
        if parking.size:
            self._admit_due(now_ms)
            if self._gate is None:
                self._admit_lanes(now_ms)
        if self._gate is None and self.fresh:
            self._ledger.make_room(self.fresh[0].sequence)
            self._admit_fresh(now_ms)
        if self._groups:
            for flight in self._groups.values():
                self._depart(flight, int(now_ms))
            self._groups.clear()

    def _admit_due(self, now_ms: float) -> None:
        while self.in_flight < self.limit and self._gate is None:
            item = self._parking.pop_due(now_ms)
            if item is None:
                return
            if not self._passes(item, now_ms):
                continue
            wait = self._pacer.try_take(item.keys, item.cost, now_ms)
            if wait is None:
                self._board_parked(item, now_ms)
            elif wait.key in item.keys:
                self._parking.behind(item, wait.key, wait.until_ms)
            else:
                self._gate = wait
                self._parking.until(item, now_ms)

    def _passes(self, item: Item, now_ms: float) -> bool:
        """Asks the gatekeeper again about an item that waited for its first attempt, and renders one that never was.

        False where the item found its end or another place to wait.
        """
        verdict = item.attempt > 1 or self._verdict(item.recipient, now_ms)
        if isinstance(verdict, Hold):
            self._parking.until(item, verdict.until_ms)
            return False
        if verdict and item.cost == 0:
            rendered = self._rendered(item.recipient, now_ms)
            if rendered is None:
                return False
            item.rendered, item.keys, item.cost = rendered, rendered.keys, rendered.cost
        return verdict

    def _admit_lanes(self, now_ms: float) -> None:
        parking = self._parking
        while self.in_flight < self.limit and self._gate is None:
            lane = parking.next_lane(now_ms)
            if lane is None:
                return
            self._serve(lane, now_ms)

    def _serve(self, lane: Lane, now_ms: float) -> None:
        """Lets the head of a lane go until its bucket refuses; a lane is left early so that others have their turn."""
        parking, served, foreign = self._parking, 0, 0
        while lane.items and self.in_flight < self.limit:
            item = lane.items[0]
            verdict = item.attempt > 1 or self._verdict(item.recipient, now_ms)
            if verdict is not True:
                parking.pop_from(lane)
                if isinstance(verdict, Hold):
                    parking.until(item, verdict.until_ms)
                continue
            wait = self._pacer.try_take(item.keys, item.cost, now_ms)
            if wait is None:
                self._board_parked(parking.pop_from(lane), now_ms)
                served += 1
                if served >= _TURNS_PER_LANE:
                    break
            elif wait.key == lane.key:
                parking.close(lane, wait.until_ms)
                return
            elif wait.key not in item.keys:
                self._gate = wait
                break
            else:
                parking.behind(parking.pop_from(lane), wait.key, wait.until_ms)
                foreign += 1
                if foreign >= _FOREIGN_PER_VISIT and lane.items:
                    parking.close(lane, wait.until_ms)
                    return
        if lane.items:
            parking.rotate(lane)
        else:
            parking.drop(lane)

    def _board_parked(self, item: Item, now_ms: float) -> None:
        if item.rendered is None:
            rendered = self._rendered(item.recipient, now_ms)
            if rendered is None:
                return
            item.rendered = rendered
        item.careful = True
        if item.attempt > 1:
            self._counters.retried += 1
        self._board(item, now_ms)

    def _admit_fresh(self, now_ms: float) -> None:
        """Nobody new goes while the parking is full: whoever goes may come back and want a place."""
        fresh, gatekeeper, parking = self.fresh, self._gatekeeper, self._parking
        render, try_take, board = self._render, self._pacer.try_take, self._board
        high, careful_below = self._ledger.high, self.careful_below
        while fresh and parking.size < parking.capacity and (self.in_flight < self.limit or self._groups):
            recipient = fresh[0]
            if recipient.sequence >= high:
                return
            if gatekeeper is not None:
                verdict = self._verdict(recipient, now_ms)
                if verdict is not True:
                    fresh.popleft()
                    if isinstance(verdict, Hold):
                        parking.until(Item(recipient, None, (), 0, careful=True), verdict.until_ms)
                    continue
            try:
                rendered = sound_rendering(render(recipient))
            except Exception as error:  # one bad item never ends its neighbours  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
                fresh.popleft()
                self._refuse(recipient, error, now_ms)
                continue
            if self.in_flight >= self.limit and rendered.batch_key not in self._groups:
                return
            wait = try_take(rendered.keys, rendered.cost, now_ms)
            if wait is None:
                fresh.popleft()
                careful = recipient.sequence < careful_below
                board(Item(recipient, rendered, rendered.keys, rendered.cost, careful), now_ms)
            elif wait.key in rendered.keys:
                fresh.popleft()
                parking.behind(
                    Item(recipient, None, rendered.keys, rendered.cost, careful=True), wait.key, wait.until_ms
                )
            else:
                self._gate = wait
                return

    def _board(self, item: Item, now_ms: float) -> None:
        """Gives the item a permit, or a seat in an open batch."""
        rendered = item.rendered
        if self._batch_size == 1 or rendered is None or not rendered.batch_key:
            self.in_flight += 1
            self._depart([item], int(now_ms))
            return
        group = self._groups.get(rendered.batch_key)
        if group is None:
            self.in_flight += 1
            self._groups[rendered.batch_key] = [item]
            return
        group.append(item)
        if len(group) >= self._batch_size:
            self._depart(self._groups.pop(rendered.batch_key), int(now_ms))

    def _depart(self, flight: Flight, now_ms: int) -> None:
        batch = ""
        if len(flight) > 1:
            self._batches += 1
            batch = f"b{self._batches}"
        if self._ledger.intend(flight, now_ms, batch):
            self._tick.append(flight)

    def _verdict(self, recipient: Recipient, now_ms: float) -> Hold | bool:
        """True: may go. False: settled here and now. A Hold: ask again when it is over."""
        if self._gatekeeper is None:
            return True
        try:
            verdict = self._gatekeeper.check(recipient, int(now_ms))
        except Exception as error:  # one bad item never ends its neighbours  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
            self._refuse(recipient, error, now_ms)
            return False
        if isinstance(verdict, Skip):
            self._settler.without_attempt(recipient, Fate(Outcome.SKIPPED, "", verdict.reason), now_ms)
            return False
        return verdict if verdict is not None and verdict.until_ms > now_ms else True

    def _rendered(self, recipient: Recipient, now_ms: float) -> Rendered | None:
        try:
            return sound_rendering(self._render(recipient))
        except Exception as error:  # one bad item never ends its neighbours  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
            self._refuse(recipient, error, now_ms)
            return None

    def _refuse(self, recipient: Recipient, error: Exception, now_ms: float) -> None:
        if isinstance(error, RenderError):
            category, code, text = Category.RECIPIENT_INVALID, error.field, error.message
        else:
            category, code, text = Category.INTERNAL, type(error).__name__, f"{type(error).__name__} before the send"
        self._settler.without_attempt(recipient, Fate(Outcome.FAILED, category.value, code, text), now_ms)

    def _rest(self, now_ms: float) -> None:
        """Nothing more can be done this turn: is it the end, and if not, when is the next thing due?"""
        if self.in_flight == 0 and (self.is_done or not self.is_open):
            self._drained()
            return
        if not self.is_open or self.in_flight >= self.limit:
            return
        if self._gate is not None:
            self._wake_at(self._gate.until_ms)
            return
        due = self._parking.next_due()
        if due is not None:
            self._wake_at(max(due[0], now_ms))

    @property
    def is_done(self) -> bool:
        return self.is_exhausted and not self.fresh and not self._parking.size

    def _wake_at(self, at_ms: float) -> None:
        when = self._clock.loop_time_of(at_ms) + 0.0005
        if self._timer is not None:
            if self._timer_at <= when:
                return
            self._timer.cancel()
        self._timer, self._timer_at = self._loop.call_at(when, self._due), when

    def _due(self) -> None:
        self._timer = None
        self.schedule()

    def waiting(self, now_ms: float) -> Waiting | None:
        """What keeps an open run from sending just now; None while anything is in flight or about to be."""
        if self.in_flight or not self.is_open:
            return None
        if self._gate is not None:
            return Waiting(WaitReason.RATE, int(self._gate.until_ms), self._gate.key)
        if self.fresh and self.fresh[0].sequence >= self._ledger.high != NO_LIMIT:
            return Waiting(WaitReason.WINDOW, int(now_ms))
        due = self._parking.next_due()
        if due is None:
            return None
        return Waiting(WaitReason.RATE if due[1] else WaitReason.RETRY, int(due[0]), due[1])

    def stop(self) -> None:
        """Nothing is dispatched any more, not even a timer."""
        self.is_open = False
        self.is_over = True
        if self._timer is not None:
            self._timer.cancel()
