"""A worker tells what it sees, in batches; what it tells twice is kept once.

The events of a lease are numbered from 1 without gaps. Those up to the last one kept are dropped, those behind a gap
are left to be sent again, and only a report whose last event is kept moves counts and state: an old report never takes
the counts back. Progress of many shards becomes one event of the run with the sums.
"""

from collections.abc import Mapping

from postroad.kernel.tables import canonical_json
from postroad.kernel.uow import UnitOfWork
from postroad.modules.runs.commands.change import PROGRESS, RunChange, counts_json
from postroad.modules.runs.commands.shards import LeasedWork
from postroad.modules.runs.model import WORKED_ON, Shard, reported
from postroad.modules.runs.parts.exchange import MOST_EVENTS, ReportAck, ReportedEvent, ShardReport
from postroad.modules.runs.ports import RunSurroundings
from postroad.vocabulary.refusals import ValidationFailed
from postroad.vocabulary.transitions import RunState

MOST_PAYLOAD_BYTES = 8_192
SEVERITIES = frozenset({"INFO", "WARNING", "ERROR"})


def report(uow: UnitOfWork, said: ShardReport, around: RunSurroundings) -> ReportAck:
    """Raises LeaseExpired, ValidationFailed for a batch that is none, AccountingBroken for impossible counts."""
    _check(said)
    work = LeasedWork(uow, around, said.fence)
    work.lease.require(said.fence, uow.now_ms)
    fresh = _following_on(said, work.lease.event_sequence)
    if not fresh:
        return ReportAck(work.lease.event_sequence)
    work.save_lease(event_sequence=fresh[-1].sequence)
    change = work.change
    for event in fresh:
        if event.type != PROGRESS:
            change.note(
                event.type,
                {**event.payload, "shard": work.shard.number},
                severity=event.severity,
                at_ms=event.occurred_at_ms,
            )
    if fresh[-1].sequence == said.events[-1].sequence:
        _take_standing(work, said)
        change.note(PROGRESS, progress_json(change, work.shards), at_ms=fresh[-1].occurred_at_ms)
    change.save()
    return ReportAck(fresh[-1].sequence)


def progress_json(change: RunChange, shards: list[Shard]) -> Mapping[str, object]:
    run = change.run
    working = [shard.live for shard in shards if shard.state in WORKED_ON]
    return {
        "runId": run.id,
        "state": run.state.value,
        **counts_json(run.counts),
        "inFlight": sum(live.in_flight for live in working),
        "parked": sum(live.parked for live in working),
        "perSecond": round(sum(live.per_second for live in working), 3),
        "concurrency": sum(live.concurrency for live in working),
        "waiting": run.waiting.reason,
        "waitingUntilMs": run.waiting.until_ms,
    }


def _check(said: ShardReport) -> None:
    if not 1 <= len(said.events) <= MOST_EVENTS:
        raise ValidationFailed.of(
            "events", "OUT_OF_RANGE", f"a report has 1..{MOST_EVENTS} events, not {len(said.events)}"
        )
    for event, after in zip(said.events, said.events[1:], strict=False):
        if after.sequence != event.sequence + 1:
            raise ValidationFailed.of("events", "GAP", "the events of a report are numbered without gaps")
    for event in said.events:
        if event.severity not in SEVERITIES or len(canonical_json(dict(event.payload))) > MOST_PAYLOAD_BYTES:
            raise ValidationFailed.of(
                "events", "INVALID", f"an event is INFO, WARNING or ERROR and has at most {MOST_PAYLOAD_BYTES} bytes"
            )


def _following_on(said: ShardReport, kept: int) -> list[ReportedEvent]:
    if said.events[0].sequence > kept + 1:
        return []
    return [event for event in said.events if event.sequence > kept]


def _take_standing(work: LeasedWork, said: ShardReport) -> None:
    shard, run = work.shard, work.change.run
    said.counts.check_progress(shard.total, f"shard {shard.number} of run {run.id}")
    events = reported(shard, said.state)
    if _resumed_by_itself(work, shard, said.state):
        work.change.set(wants_pause=False)
    work.move_shard(events, counts=said.counts, live=said.live)
    work.change.follow(work.shards)


def _resumed_by_itself(work: LeasedWork, shard: Shard, said: RunState) -> bool:
    """Whether the longest pause was over: no command of ours is on its way that would explain it."""
    run = work.change.run
    asleep = shard.state is RunState.PAUSED and said is RunState.RUNNING
    return asleep and run.wants_pause and work.lease.command_sequence == run.command_sequence
