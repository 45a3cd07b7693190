"""One run being changed in one transaction, under its lock.

A transition is a compare-and-set on state and version with its event row and its outbox event; other changes are
gathered and written with the next transition, or by `save`. Event sequences are given under the run's lock, so they
have no gaps and a reader may go on from the last one it saw.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from postroad.kernel.uow import Aggregate, UnitOfWork
from postroad.modules.runs.model import Run, Shard, Waiting, following
from postroad.modules.runs.ports import RUNS_TOPIC, RunSurroundings
from postroad.modules.runs.store import record_rows, run_rows
from postroad.modules.runs.store.record_rows import RunEventRow
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.events import EventName
from postroad.vocabulary.transitions import RunEvent, RunState

STATE, PROGRESS, COMMAND, SHARD, WAITING = "state", "progress", "command", "shard", "waiting"
"""The types of a run's own events; workers add theirs."""


class RunChange:
    def __init__(self, uow: UnitOfWork, around: RunSurroundings, locked: Run) -> None:
        self._uow = uow
        self._around = around
        self._kept = locked
        self._rows: list[RunEventRow] = []
        self.run = locked

    def set(self, **changes: Any) -> None:
        """Fields of `Run`, written with the next transition or by `save`."""
        self.run = replace(self.run, **changes)

    def note(self, type_: str, payload: Mapping[str, Any], *, severity: str = "INFO", at_ms: int | None = None) -> None:
        sequence = self.run.event_sequence + 1
        self.run = replace(self.run, event_sequence=sequence)
        at = self._uow.now_ms if at_ms is None else at_ms
        self._rows.append(RunEventRow(self.run.id, self.run.workspace_id, sequence, type_, severity, payload, at))

    def move(self, events: Iterable[RunEvent], reason: str = "") -> None:
        """Raises RunStateConflict where the table has no such cell, VersionConflict where somebody was quicker."""
        for event in events:
            came_from = self.run.state
            moved = self.run.moved(event, self._uow.now_ms, reason)
            if moved.state is came_from:
                continue
            self.run = moved
            self.note(STATE, {"from": came_from.value, "to": self.run.state.value, "reason": reason})
            self.save()
            self._tell(came_from)

    def follow(self, shards: Sequence[Shard], reason: str = "") -> None:
        """Brings the run to what its shards say, sums included."""
        before = self.run.waiting
        self.run = self.run.folded(shards)
        self.move(following(self.run, shards), reason)
        self.note_waiting(before)

    def note_waiting(self, before: Waiting) -> None:
        """An event where the reason for waiting is another one than before."""
        waiting = self.run.waiting
        if waiting.reason != before.reason and not self.run.is_final:
            self.note(WAITING, {"reason": waiting.reason, "untilMs": waiting.until_ms})

    def save(self) -> Run:
        """Writes what was changed since; nothing where nothing was."""
        if self.run != self._kept:
            connection = self._uow.connection
            self._kept = self.run = run_rows.save_run(connection, self._kept, self.run, self._uow.now_ms)
            record_rows.add_events(connection, self._rows)
            self._rows = []
            run_id = self.run.id
            self._uow.after_commit(lambda: self._around.hint(RUNS_TOPIC, run_id))
        return self.run

    def emit(self, name: EventName, payload: Mapping[str, object]) -> None:
        """Tells others, as of the version that was saved last."""
        run = self.run
        about = Aggregate("run", run.id, run.version)
        self._uow.emit(name, about, {"runId": run.id, "jobId": run.job_id, **payload}, workspace_id=run.workspace_id)

    def _tell(self, came_from: RunState) -> None:
        run = self.run
        moved = {"from": came_from.value, "to": run.state.value, "reason": run.state_reason}
        self.emit(EventName.RUN_STATE_CHANGED, moved)
        if run.state is RunState.PAUSED:
            self.emit(EventName.RUN_PAUSED, {"counts": counts_json(run.counts)})
        if not run.is_final:
            return
        self.emit(EventName.RUN_FAILED if run.state is RunState.FAILED else EventName.RUN_COMPLETED, ended_json(run))
        outcomes = {name: number for name, number in counts_json(run.counts).items() if name in OUTCOMES}
        self._uow.after_commit(lambda: self._around.meters.run_ended(run.state.value, run.provider_id, outcomes))


OUTCOMES = ("succeeded", "failed", "unknown", "unsent", "skipped")


def counts_json(counts: Counts) -> dict[str, int]:
    return {
        "total": counts.total,
        "succeeded": counts.succeeded,
        "failed": counts.failed,
        "unknown": counts.unknown,
        "unsent": counts.unsent,
        "skipped": counts.skipped,
        "retried": counts.retried,
        "maybeDoubled": counts.maybe_doubled,
    }


def ended_json(run: Run) -> dict[str, object]:
    return {
        "state": run.state.value,
        "reason": run.state_reason,
        "providerId": run.provider_id,
        "dryRun": run.dry_run,
        "sourceRunId": run.source_run_id,
        "counts": counts_json(run.counts),
        "artifacts": {name: dict(fact) for name, fact in run.artifacts.items()},
        "startedAtMs": run.started_at_ms,
        "endedAtMs": run.ended_at_ms,
    }
