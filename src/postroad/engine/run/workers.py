"""Fixed workers: each calls the provider for one flight after another, and nothing ever waits inside one but a send.

A worker starts the provider's coroutine itself. A send that never suspends costs no trip through the loop, and the same
worker goes on with the next flight; the first one that does suspend wakes as many others as there are flights.
One sweeper looks at deadlines now and then, instead of a timer per send: the transport keeps the exact one, the sweeper
only catches a provider that does not. It cancels the send (in doubt); a provider that swallows even that is abandoned,
its worker with it.
"""

import asyncio
import types
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from typing import Any

from postroad.engine.items.item import Item
from postroad.engine.items.ledger import Flight
from postroad.engine.items.soundness import crashed, sound_result
from postroad.spi import ProviderSession, SendRequest, SendResult, Verdict
from postroad.vocabulary.outcomes import Category

GRACE_S = 1.0
"""How far past its deadline a send may be before it is cancelled, and then before its worker is abandoned."""

TIMED_OUT_CODE = "SEND_TIMEOUT"


def _timed_out() -> SendResult:
    return SendResult(Verdict.IN_DOUBT, Category.TIMEOUT, TIMED_OUT_CODE, summary="no answer within the send timeout")


@types.coroutine
def _rest(started: Coroutine[Any, Any, SendResult], pending: object) -> Generator[object, None, SendResult]:
    """Goes on with a coroutine that has been started and waits for `pending`."""
    result: SendResult
    while True:
        try:
            yield pending
        except BaseException as error:  # thrown into the coroutine, which decides  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
            try:
                pending = started.throw(error)
            except StopIteration as done:
                result = done.value
                return result
        else:
            try:
                pending = started.send(None)
            except StopIteration as done:
                result = done.value
                return result


class Slot:
    __slots__ = ("deadline", "expired", "flight", "lost", "session", "task", "waiter")

    def __init__(self, session: ProviderSession | None) -> None:
        self.session = session
        self.flight: Flight | None = None
        self.deadline = 0.0
        self.expired = False
        self.lost = False
        self.waiter: asyncio.Future[None] | None = None
        self.task: asyncio.Task[None] | None = None


class Workforce:
    """`request` makes a send of an item, `answered` takes its result, `landed` is called once per flight after that."""

    def __init__(
        self,
        first_session: ProviderSession,
        open_session: Callable[[], Awaitable[ProviderSession]] | None,
        *,
        request: Callable[[Item, float], SendRequest],
        answered: Callable[[Item, SendResult], None],
        landed: Callable[[], None],
        lost: Callable[[str, BaseException | None], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._first = first_session
        self._open_session = open_session
        self._request, self._answered, self._landed, self._lost = request, answered, landed, lost
        self._ready: deque[Flight] = deque()
        self._idle: list[Slot] = []
        self._slots: list[Slot] = []
        self._opened: list[ProviderSession] = []
        self._suspends = True
        self.is_held = False
        self._stopped = False

    def grow(self, size: int) -> None:
        """At least `size` workers; there is never a need for fewer."""
        while len(self._slots) < size:
            shared = self._open_session is None or not self._slots
            slot = Slot(self._first if shared else None)
            self._slots.append(slot)
            slot.task = self._loop.create_task(self._work(slot))
            slot.task.add_done_callback(self._ended)

    @property
    def size(self) -> int:
        return len(self._slots)

    def offer(self, flights: Sequence[Flight]) -> None:
        """Hands flights over, in order. Their INTENTs are written, their permits taken."""
        self._ready.extend(flights)
        self._wake(len(self._ready) if self._suspends else 1)

    def _wake(self, number: int) -> None:
        idle = self._idle
        while number > 0 and idle and not self.is_held:
            waiter = idle.pop().waiter
            if waiter is not None and not waiter.done():
                waiter.set_result(None)
                number -= 1

    def hold(self) -> None:
        """From now on nothing is handed to the provider."""
        self.is_held = True

    def release(self) -> None:
        self.is_held = False
        self._wake(len(self._ready))

    def take_back(self) -> list[Flight]:
        """The flights that no worker has begun: certainly not sent."""
        flights = list(self._ready)
        self._ready.clear()
        return flights

    def flying(self) -> list[Flight]:
        return [slot.flight for slot in self._slots if slot.flight is not None]

    async def _work(self, slot: Slot) -> None:
        session = slot.session or await self._own_session(slot)
        if session is None:
            return
        ready = self._ready
        loop_time = self._loop.time
        while True:
            if not ready or self.is_held:
                slot.waiter = self._loop.create_future()
                self._idle.append(slot)
                await slot.waiter
                continue
            flight = ready.popleft()
            slot.flight = flight
            if len(flight) > 1:
                await self._send_batch(slot, session, flight)
            else:
                item = flight[0]
                now = loop_time()
                try:
                    request = self._request(item, now)
                    slot.deadline = now + request.timeout_s + GRACE_S
                    call: Coroutine[Any, Any, SendResult] = session.send(request)
                    pending = call.send(None)
                except StopIteration as done:
                    self._suspends = False
                    result = done.value
                except Exception as error:  # one bad item never ends its neighbours  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
                    result = crashed(error)
                else:
                    result = await self._suspended(slot, call, pending)
                if slot.lost:
                    return
                slot.flight = None
                self._answered(item, sound_result(result))
            if slot.lost:
                return
            self._landed()

    async def _suspended(self, slot: Slot, call: Coroutine[Any, Any, SendResult], pending: object) -> SendResult:
        """The rest of a send that waits for its remote; what goes wrong in it becomes a result."""
        if not self._suspends:
            self._suspends = True
            self._wake(len(self._ready))
        try:
            return await _rest(call, pending)
        except asyncio.CancelledError as error:
            return self._cancelled(slot, error)
        except Exception as error:  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
            return crashed(error)

    def _cancelled(self, slot: Slot, error: asyncio.CancelledError) -> SendResult:
        """The sweeper's cancel is a time-out, the run's own ends the worker, any other is the provider's fault."""
        task = slot.task
        if task is None or not task.cancelling():
            return crashed(error)
        if self._stopped or not slot.expired:
            raise error
        task.uncancel()
        slot.expired = False
        return _timed_out()

    async def _send_batch(self, slot: Slot, session: ProviderSession, flight: Flight) -> None:
        now = self._loop.time()
        results: Sequence[SendResult]
        try:
            requests = [self._request(item, now) for item in flight]
            slot.deadline = now + min(request.timeout_s for request in requests) + GRACE_S
            results = await session.send_batch(requests)
            if len(results) != len(flight):
                results = [crashed(ValueError())] * len(flight)
        except asyncio.CancelledError as error:
            results = [self._cancelled(slot, error)] * len(flight)
        except Exception as error:  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
            results = [crashed(error)] * len(flight)
        if slot.lost:
            return
        slot.flight = None
        for item, result in zip(flight, results, strict=True):
            self._answered(item, sound_result(result))

    async def _own_session(self, slot: Slot) -> ProviderSession | None:
        assert self._open_session is not None
        try:
            slot.session = await self._open_session()
        except Exception as error:  # the other workers go on  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
            self._slots.remove(slot)
            self._lost("a session of its own did not open", error)
            return None
        self._opened.append(slot.session)
        return slot.session

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self._lost("a worker broke", task.exception())

    def sweep(self) -> None:
        """Ends what is past its deadline. Call it about once a second."""
        now = self._loop.time()
        for slot in list(self._slots):
            if slot.flight is None or now <= slot.deadline:
                continue
            if not slot.expired and slot.task is not None:
                slot.expired = True
                slot.deadline = now + GRACE_S
                slot.task.cancel()
            else:
                self._abandon(slot, slot.flight)

    def _abandon(self, slot: Slot, flight: Flight) -> None:
        slot.lost = True
        slot.flight = None
        self._slots.remove(slot)
        for item in flight:
            self._answered(item, _timed_out())
        self._lost("the provider did not come back from a cancelled send", None)
        self._landed()

    async def stop(self) -> None:
        """Ends all workers; what is in flight is not waited for."""
        self._stopped = True
        tasks = [slot.task for slot in self._slots if slot.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=5.0)

    async def close_sessions(self) -> None:
        """Closes the sessions that workers opened for themselves. Raises the first error after trying all."""
        opened, self._opened = self._opened, []
        closed = await asyncio.gather(*(session.aclose() for session in opened), return_exceptions=True)
        for error in closed:
            if isinstance(error, BaseException):
                raise error
