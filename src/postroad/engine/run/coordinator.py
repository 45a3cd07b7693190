"""The life of one run: begin, steer, end.

A run is RUNNING from `begin` on. It ends when everybody is settled, or when it is stopped: by a person (CANCELLING,
CANCELLED), by an error of the run (FAILED), by its deadline (PARTIAL), or hard (LOST, for a resume). A stop takes back
what no worker has begun, waits for what is in flight at most until its deadline, and settles the rest. The sums are
checked before a final state is said.
"""

import asyncio
from functools import partial
from typing import get_args

from postroad.engine.clock import RunClock
from postroad.engine.commands import CommandResult, RunCommand
from postroad.engine.items.classify import NEVER, Rules, even_jitter
from postroad.engine.items.item import Item
from postroad.engine.items.ledger import Ledger
from postroad.engine.items.parking import Parking
from postroad.engine.items.settle import Settler
from postroad.engine.pacing import spent_by
from postroad.engine.reporting.counters import Counters
from postroad.engine.reporting.delivery import EventDelivery, ResultDelivery
from postroad.engine.reporting.events import EngineEvent, EventKind, Progress
from postroad.engine.run.control import Control
from postroad.engine.run.dispatch import Dispatcher
from postroad.engine.run.ending import Ending, finish
from postroad.engine.run.feeding import Feeder
from postroad.engine.run.heart import Heart
from postroad.engine.run.startup import Prepared
from postroad.engine.run.workers import Workforce
from postroad.engine.summary import RunSummary
from postroad.spi import ConcurrencyMode, Rate, SendRequest, SendResult
from postroad.vocabulary.errors import JournalBroken, PostroadError
from postroad.vocabulary.transitions import RunEvent, RunState, next_run_state


class Run:
    """Everything of one run. Made in the loop that runs it; `begin` starts it."""

    def __init__(self, prepared: Prepared) -> None:
        self.spec = prepared.spec
        self.parts = prepared
        self.state = RunState.RUNNING
        self.ending: Ending = ""
        self.reason = ""
        self.errors = prepared.errors
        self._loop = asyncio.get_running_loop()
        self.clock = RunClock(prepared.clock, self._loop)
        self.started_ms = int(self.clock.now_ms())
        policies, capabilities = self.spec.policies, prepared.descriptor.capabilities
        self._send_s = policies.timeout.send_s or prepared.descriptor.timeouts.send_s
        run_s = policies.timeout.run_s
        kept_ms = capabilities.idempotency_kept_for_s * 1000.0 if capabilities.idempotency else 0.0
        deadline_ms = NEVER if run_s is None else self.started_ms + run_s * 1000.0
        item_s = policies.timeout.item_s
        item_ms = NEVER if item_s is None else item_s * 1000.0
        self.rules = Rules(policies.retry, even_jitter(self.spec.run_id), kept_ms, deadline_ms, item_ms)
        self.counters = Counters()
        self.parking = Parking()
        self.events = self._event_delivery()
        self.results = self._result_delivery()
        batch_size = max(1, capabilities.batch_size)
        end = self.spec.shard.end if self.spec.shard is not None else self.spec.total
        self.ledger = Ledger(prepared.journal, self._wake, prepared.window, end)
        self.settler = Settler(
            spec=self.spec,
            rules=self.rules,
            counters=self.counters,
            ledger=self.ledger,
            pacer=prepared.pacer,
            parking=self.parking,
            results=self.results,
            stop=partial(self.stop, "fail"),
        )
        self.dispatcher = self._make_dispatcher(batch_size)
        self.workforce = self.dispatcher.workforce = self._make_workforce()
        past = None if prepared.journal is None else prepared.journal.state
        self.feeder = Feeder(
            prepared.source,
            self.dispatcher,
            self.settler,
            parking=self.parking,
            counters=self.counters,
            shard=self.spec.shard,
            total=self.spec.total,
            past=past,
            failed=self._failed,
        )
        self.heart = Heart(self, self._send_s)
        self.feeding: asyncio.Task[None] | None = None
        self._key_prefix = f"{self.spec.run_id}:"
        self._control = Control(self)
        self._paused_at = 0.0
        self._pause_timer: asyncio.TimerHandle | None = None
        self._ended = asyncio.Event()
        self._life: asyncio.Task[RunSummary] | None = None

    def _event_delivery(self) -> EventDelivery | None:
        if self.parts.event_sink is None:
            return None
        noted = partial(self.errors.add, "event sink")
        return EventDelivery(self.parts.event_sink, room=self._room, failed=noted)

    def _result_delivery(self) -> ResultDelivery | None:
        if self.parts.result_sink is None:
            return None
        failed = partial(self._failed, "result sink")
        size = self.spec.policies.result.batch_size
        return ResultDelivery(self.parts.result_sink, size, room=self._room, failed=failed)

    def _make_dispatcher(self, batch_size: int) -> Dispatcher:
        dispatcher = Dispatcher(
            clock=self.clock,
            renderer=self.parts.renderer,
            pacer=self.parts.pacer,
            parking=self.parking,
            ledger=self.ledger,
            settler=self.settler,
            counters=self.counters,
            gatekeeper=self.parts.gatekeeper,
            batch_size=batch_size,
            drained=self._drained,
            broken=self._broken,
            is_full=self._sinks_are_full,
        )
        dispatcher.limit = min(self.spec.policies.concurrency.target, self.parts.most)
        self.parts.pacer.wake = dispatcher.reopen
        return dispatcher

    def _make_workforce(self) -> Workforce:
        own = self.parts.descriptor.concurrency_mode is ConcurrencyMode.SESSION_PER_WORKER
        workforce = Workforce(
            self.parts.first_session,
            self.parts.open_session if own else None,
            request=self._request,
            answered=self._answered,
            landed=self.dispatcher.landed,
            lost=self._lost_worker,
        )
        workforce.grow(self.dispatcher.limit)
        return workforce

    @property
    def is_resumable(self) -> bool:
        return self.parts.journal is not None

    @property
    def is_over(self) -> bool:
        return self._life is not None and self._life.done()

    def begin(self) -> None:
        self.publish(EventKind.RUN_STARTED)
        self._life = self._loop.create_task(self._live())

    async def completion(self) -> RunSummary:
        assert self._life is not None
        return await asyncio.shield(self._life)

    async def _live(self) -> RunSummary:
        try:
            self.feeder.settle_past(self.ledger, self.clock.now_ms())
            if self.parts.journal is not None:
                self.parts.pacer.rebuild(spent_by(self.parts.journal.state.bucket_times, self.started_ms))
            self.feeding = self._loop.create_task(self.feeder.run())
        except JournalBroken as error:
            self._failed("journal", error)
        self.dispatcher.is_open = self.state is RunState.RUNNING and not self.ending
        self.heart.start()
        self.dispatcher.schedule()
        await self._ended.wait()
        return await finish(self)

    def _wake(self) -> None:
        """Called by the journal's sync thread as well."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.dispatcher.schedule)

    def _room(self) -> None:
        self.dispatcher.schedule()

    def _sinks_are_full(self) -> bool:
        results, events = self.results, self.events
        return (results is not None and results.is_full) or (events is not None and events.is_full)

    def _request(self, item: Item, now_s: float) -> SendRequest:
        item.started_ms = self.clock.at(now_s)
        assert item.rendered is not None
        spec = self.spec
        given = spec.key_for(item.sequence) if spec.key_for is not None else None
        key = given or self._key_prefix + str(item.sequence)
        timeout_s = self._send_s
        if spec.policies.timeout.item_s is not None:
            history = item.history
            left_ms = NEVER if history is None else history.deadline_ms - item.started_ms + self.settler.paused_ms
            timeout_s = max(0.001, min(timeout_s, spec.policies.timeout.item_s, left_ms / 1000.0))
        if self.rules.run_deadline_ms != NEVER:
            timeout_s = max(0.001, min(timeout_s, (self.rules.run_deadline_ms - item.started_ms) / 1000.0))
        return SendRequest(item.sequence, item.attempt, item.rendered, key, timeout_s)

    def _answered(self, item: Item, result: SendResult) -> None:
        self.settler.answered(item, result, self.clock.now_ms())

    def _lost_worker(self, why: str, error: BaseException | None) -> None:
        self.errors.add("worker", error or RuntimeError(why))
        self.publish(EventKind.ERROR, why)
        self.dispatcher.limit = min(self.dispatcher.limit, self.workforce.size)
        if self.workforce.size == 0 or (error is not None and why == "a worker broke"):
            self.stop("fail", f"WORKER: {why}")

    def _failed(self, what: str, error: Exception) -> None:
        code = error.code if isinstance(error, PostroadError) else type(error).__name__
        self.errors.add(what, error)
        self.stop("fail", f"{what.upper().replace(' ', '_')}: {code}: {error}"[:300])

    def _broken(self, error: Exception) -> None:
        """The dispatch cannot go on. A second time, while the run ends already, it cannot even drain."""
        if self.ending in ("fail", "abort"):
            self._ended.set()
        self._failed("journal" if isinstance(error, JournalBroken) else "dispatch", error)

    def _drained(self) -> None:
        if self.ending or (self.state is RunState.RUNNING and self.dispatcher.is_done):
            self._ended.set()

    def stop(self, ending: Ending, reason: str) -> None:
        """Begins the end. An error outranks a cancel, a hard stop everything; otherwise the first one counts."""
        rank = get_args(Ending)
        if rank.index(ending) <= rank.index(self.ending) or self._ended.is_set():
            return
        first = not self.ending
        self.ending, self.reason = ending, reason
        self.rules.stopping = True
        self.rules.keeps_unsent = self.keeps_open
        self.dispatcher.is_open = False
        self._cancel_pause_timer()
        if ending == "abort":
            self._ended.set()
            return
        if ending == "fail":
            self.publish(EventKind.ERROR, reason)
        if ending == "cancel":
            self.parts.token.is_cancelled = True
        if first:
            self.take_back()
        self.dispatcher.schedule()

    def take_back(self) -> None:
        """Settles what has its INTENT written and no worker has begun."""
        now_ms = self.clock.now_ms()
        for flight in self.workforce.take_back() + self.ledger.drop_waiting():
            self.dispatcher.in_flight -= 1
            for item in flight:
                self.settler.left_over(item, intended=True, keep=self.keeps_open, now_ms=now_ms)

    @property
    def keeps_open(self) -> bool:
        """Whether what was never sent stays open in the journal, for a resume."""
        return self.ending in ("fail", "abort")

    def abort(self, reason: str) -> None:
        self.stop("abort", reason)

    def submit(self, command: RunCommand) -> CommandResult:
        return self._control.submit(command)

    def _moves(self, event: RunEvent, wish: str) -> str:
        """Moves the state, or says why not."""
        after = None if self._ended.is_set() else next_run_state(self.state, event)
        if after is None or (self.ending and event is not RunEvent.CANCEL):
            return (
                f"the run is {self.state}{' and ends' if self.ending or self._ended.is_set() else ''}: it cannot {wish}"
            )
        self.state = after
        return ""

    def pause(self) -> str:
        if self.state is RunState.PAUSED and not self.ending:
            return ""
        refusal = self._moves(RunEvent.PAUSE, "be paused")
        if not refusal:
            self.dispatcher.is_open = False
            self.workforce.hold()
            self._paused_at = self.clock.now_ms()
            longest_s = self.spec.policies.max_pause_s
            if longest_s is not None:
                self._pause_timer = self._loop.call_later(longest_s, self._paused_too_long)
            self.publish(EventKind.PAUSED)
        return refusal

    def resume(self) -> str:
        if self.state is RunState.RUNNING and not self.ending:
            return ""
        refusal = self._moves(RunEvent.RESUME, "be resumed")
        if not refusal:
            self._cancel_pause_timer()
            self.settler.paused_ms += self.clock.now_ms() - self._paused_at
            self.dispatcher.is_open = True
            self.workforce.release()
            self.dispatcher.schedule()
            self.publish(EventKind.RESUMED)
        return refusal

    def _paused_too_long(self) -> None:
        if self.spec.policies.on_max_pause == "resume":
            self.resume()
        else:
            self.cancel("MAX_PAUSE")

    def _cancel_pause_timer(self) -> None:
        if self._pause_timer is not None:
            self._pause_timer.cancel()
            self._pause_timer = None

    def cancel(self, reason: str) -> str:
        refusal = self._moves(RunEvent.CANCEL, "be cancelled")
        if not refusal and not self.ending:
            self.publish(EventKind.CANCELLING, reason)
            self.stop("cancel", reason or "CANCELLED")
        return refusal

    def change_concurrency(self, target: int) -> str:
        most = self.parts.most
        least = min(self.spec.policies.concurrency.min, most)
        if not least <= target <= most:
            return f"target is {target}: allowed are {least} to {most}"
        if self.ending or self._ended.is_set():
            return f"the run is {self.state} and ends: its concurrency cannot change"
        before, self.dispatcher.limit = self.dispatcher.limit, target
        self.workforce.grow(target)
        self.dispatcher.schedule()
        self.publish(EventKind.CONCURRENCY_CHANGED, before=before, target=target)
        return ""

    def change_rate(self, key: str, rate: Rate) -> str:
        if rate.count < 0 or rate.per_s <= 0:
            return (
                f"rate for {key} is {rate.count} per {rate.per_s} s: give 0 or more (0: unlimited) per a time above 0"
            )
        if self.ending or self._ended.is_set():
            return f"the run is {self.state} and ends: its rate cannot change"
        self.parts.pacer.set_rate(key, rate, self.clock.now_ms())
        self.dispatcher.reopen(key)
        self.publish(EventKind.RATE_CHANGED, key=key, count=rate.count, per_s=rate.per_s)
        return ""

    def watch(self) -> None:
        self.clock.catch_up()
        self.workforce.sweep()
        if self.results is not None and not self.results.is_full:
            self.results.cut()
        if self.clock.now_ms() >= self.rules.run_deadline_ms and not self.ending:
            self.stop("deadline", "RUN_TIMEOUT")

    def progress(self) -> Progress:
        counters = self.counters
        running = self.state is RunState.RUNNING and not self.ending
        total = self.spec.total
        if total is None and self.dispatcher.is_exhausted:
            total = counters.read
        return Progress(
            state=self.state,
            total=total,
            succeeded=counters.succeeded,
            failed=counters.failed,
            unknown=counters.unknown,
            unsent=counters.unsent,
            skipped=counters.skipped,
            retried=counters.retried,
            maybe_doubled=counters.maybe_doubled,
            in_flight=self.dispatcher.in_flight,
            parked=self.parking.size,
            concurrency=self.dispatcher.limit,
            per_s=self.heart.per_s,
            waiting=self.dispatcher.waiting(self.clock.now_ms()) if running else None,
        )

    def publish(self, kind: EventKind, reason: str = "", **data: str | int | float) -> None:
        if self.events is not None:
            at_ms = int(self.clock.now_ms())
            self.events.publish(EngineEvent(self.spec.run_id, kind, at_ms, self.progress(), reason, data))
