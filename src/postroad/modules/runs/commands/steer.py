"""A person commands a run. The command is kept and answered at once; workers hear of it with their next renewal.

What the state machine forbids is kept as REJECTED, so that whoever repeats the request gets the same answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from postroad.kernel.uow import UnitOfWork
from postroad.modules.runs.commands.change import RunChange
from postroad.modules.runs.commands.orders import note_command, settle_applied, settle_at_end
from postroad.modules.runs.commands.shards import settle
from postroad.modules.runs.model import WORKED_ON, CommandKind, CommandState, Run, Shard, WantsEnd
from postroad.modules.runs.ports import COMMANDS_TOPIC, RunSurroundings
from postroad.modules.runs.store import record_rows, run_rows
from postroad.modules.runs.store.record_rows import CommandRow
from postroad.vocabulary.events import EventName
from postroad.vocabulary.refusals import ValidationFailed
from postroad.vocabulary.transitions import RunEvent, next_run_state


@dataclass(frozen=True, slots=True)
class CommandAsk:
    """`payload`: `target` of concurrency, `key` and `rate` of a rate, `reason` of a cancel."""

    workspace_id: str
    run_id: str
    kind: CommandKind
    payload: Mapping[str, str | int] = field(default_factory=dict)


def command_run(uow: UnitOfWork, ask: CommandAsk, around: RunSurroundings) -> CommandRow:
    """Accepted, applied or rejected, it is kept. Raises ValidationFailed for a target outside the run's range.

    Whoever calls it has authorised it.
    """
    run = run_rows.lock_run(uow.connection, ask.run_id, ask.workspace_id)
    shards = run_rows.list_shards(uow.connection, run.id)
    if ask.kind is CommandKind.CONCURRENCY:
        _check_target(run, ask.payload.get("target"))
    change = RunChange(uow, around, run)
    refusal = _refusal(run, ask.kind)
    command = CommandRow(
        id=uow.new_id(),
        workspace_id=run.workspace_id,
        run_id=run.id,
        sequence=run.command_sequence + 1,
        kind=ask.kind,
        payload=ask.payload,
        created_by=uow.principal.actor,
        created_at_ms=uow.now_ms,
        state=CommandState.REJECTED if refusal else CommandState.ACCEPTED,
        message=refusal,
        settled_at_ms=uow.now_ms if refusal else None,
    )
    record_rows.add_command(uow.connection, command)
    note_command(change, command)
    change.set(command_sequence=command.sequence)
    if not refusal:
        _wish(change, command)
        _obey(uow, around, change, shards)
        uow.after_commit(lambda: around.hint(COMMANDS_TOPIC, run.id))
    change.save()
    told = {"commandId": command.id, "kind": command.kind.value, "sequence": command.sequence}
    change.emit(EventName.RUN_COMMAND, {**told, "state": command.state.value})
    return record_rows.get_command(uow.connection, command.id)


def _check_target(run: Run, target: object) -> None:
    low, high = run.concurrency_min, run.concurrency_max
    if not isinstance(target, int) or isinstance(target, bool) or not low <= target <= high:
        raise ValidationFailed.of("target", "OUT_OF_RANGE", f"the concurrency of this run is {low}..{high}")


def _refusal(run: Run, kind: CommandKind) -> str:
    said_again = kind is CommandKind.PAUSE and run.wants_pause and next_run_state(run.state, RunEvent.PAUSE) is not None
    if run.allows(kind) or said_again:
        return ""
    allowed = ", ".join(run.allowed_commands) or "nothing"
    return f"the run is {run.state.value}{_on_its_way(run)}: {kind.value} is not possible; {allowed} is"


def _on_its_way(run: Run) -> str:
    return " and to end" if run.wants_end is not WantsEnd.NO and not run.is_final else ""


def _wish(change: RunChange, command: CommandRow) -> None:
    """What holds from now on, also for workers that come later."""
    payload = command.payload
    match command.kind:
        case CommandKind.PAUSE:
            change.set(wants_pause=True)
        case CommandKind.RESUME:
            change.set(wants_pause=False)
        case CommandKind.CANCEL:
            reason = str(payload.get("reason", ""))
            change.set(wants_end=WantsEnd.CANCEL, wants_pause=False, end_reason=reason or "cancelled")
        case CommandKind.CONCURRENCY:
            change.set(concurrency=int(payload["target"]))
        case CommandKind.RATE:
            change.set(rates={**change.run.rates, str(payload["key"]): str(payload["rate"])})


def _obey(uow: UnitOfWork, around: RunSurroundings, change: RunChange, shards: list[Shard]) -> None:
    """What happens without a worker. A run that is worked on becomes CANCELLING; nobody can take that back."""
    run = change.run
    is_worked_on = any(shard.begun and shard.state in WORKED_ON for shard in shards)
    if run.wants_end is WantsEnd.CANCEL and is_worked_on:
        change.move((RunEvent.CANCEL,), run.end_reason)
    settle(uow, around, change, shards)
    if change.run.is_final:
        settle_at_end(uow, change)
    else:
        settle_applied(uow, change)
