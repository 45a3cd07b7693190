"""What the engines of all shards say, as one send for an observer.

Progress of the shards is added up and shown about twice a second. A notice is told once, however many shards say it.
"""

from collections.abc import Mapping
from datetime import UTC, datetime

from postroad.engine import EngineEvent, EventKind, Progress
from postroad.flows.local_runs.ports import Observer
from postroad.flows.local_runs.views import Notice, NoticeKind, SendProgress
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.counts import Counts, add_counts
from postroad.vocabulary.transitions import RUN_FINAL, RunState

SHOWN_EVERY_S = 0.4
_LONGEST_TIME_LEFT_S = 60 * 86_400
_TOLD = {
    EventKind.PAUSED: (NoticeKind.STATE, "paused"),
    EventKind.RESUMED: (NoticeKind.STATE, "resumed"),
    EventKind.CANCELLING: (NoticeKind.STATE, "cancelling: waits for what is in flight"),
    EventKind.CONCURRENCY_CHANGED: (NoticeKind.COMMAND, "concurrency changed"),
    EventKind.RATE_CHANGED: (NoticeKind.COMMAND, "rate changed"),
    EventKind.STALLED: (NoticeKind.WARNING, "no answer has come for a long time"),
    EventKind.ERROR: (NoticeKind.WARNING, "error"),
}


class Display:
    def __init__(self, observer: Observer, totals: Mapping[int, int], clock: Clock) -> None:
        """`totals` has the number of recipients of each shard."""
        self._observer = observer
        self._totals = totals
        self._clock = clock
        self._latest: dict[int, Progress] = {}
        self._shown_at = float("-inf")
        self._last_notice: Notice | None = None

    def show(self, shard: int, event: EngineEvent) -> None:
        self._latest[shard] = event.progress
        told = _TOLD.get(event.kind)
        if told is not None:
            kind, text = told
            self.note(Notice(kind, f"{text}: {event.reason}" if event.reason else text))
        elif event.kind is EventKind.WAITING and event.progress.waiting is not None:
            waiting = event.progress.waiting
            place = f" of {waiting.key}" if waiting.key else ""
            text = f"{waiting.reason.value}{place} until {_hour(waiting.until_ms)}"
            self.note(Notice(NoticeKind.WAITING, text, waiting.until_ms))
        now = self._clock.monotonic()
        if event.kind is not EventKind.PROGRESS or now - self._shown_at >= SHOWN_EVERY_S:
            self._shown_at = now
            self._observer.progressed(self.progress())

    def note(self, notice: Notice) -> None:
        if notice != self._last_notice:
            self._last_notice = notice
            self._observer.noted(notice)

    def progress(self) -> SendProgress:
        known = list(self._latest.values())
        counts = add_counts(
            _counts(self._latest[shard], total) if shard in self._latest else Counts(total=total)
            for shard, total in self._totals.items()
        )
        live = [progress for progress in known if progress.state not in RUN_FINAL]
        waits = [progress.waiting for progress in live if progress.waiting is not None]
        all_wait = bool(live) and len(waits) == len(live)
        per_second = sum(progress.per_s for progress in live)
        return SendProgress(
            state=_state(known),
            counts=counts,
            in_flight=sum(progress.in_flight for progress in known),
            waiting_items=sum(progress.parked for progress in known),
            per_second=per_second,
            eta_s=_time_left(counts.open, per_second),
            concurrency=sum(progress.concurrency for progress in live),
            waits_for=waits[0].reason.value if all_wait else "",
            waits_until_ms=min(waiting.until_ms for waiting in waits) if all_wait else None,
            workers=max(1, len(live)),
        )


def _time_left(open_items: int, per_second: float) -> float | None:
    """None where the present rate says nothing: nearly nothing is settled now, or it would take months."""
    seconds = open_items / per_second if per_second > 0 else float("inf")
    return seconds if seconds <= _LONGEST_TIME_LEFT_S else None


def _counts(progress: Progress, total: int) -> Counts:
    return Counts(
        total=total,
        succeeded=progress.succeeded,
        failed=progress.failed,
        unknown=progress.unknown,
        unsent=progress.unsent,
        skipped=progress.skipped,
        retried=progress.retried,
        maybe_doubled=progress.maybe_doubled,
    )


def _state(known: list[Progress]) -> RunState:
    states = {progress.state for progress in known}
    for state in (RunState.CANCELLING, RunState.RUNNING, RunState.PAUSED):
        if state in states:
            return state
    return next(iter(states), RunState.PENDING) if len(states) <= 1 else RunState.PARTIAL


def _hour(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, tz=UTC).astimezone().strftime("%H:%M:%S")
