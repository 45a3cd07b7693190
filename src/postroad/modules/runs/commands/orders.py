"""Commands on their way: delivered to each lease of a run, applied when all of them have said so."""

from collections.abc import Sequence
from dataclasses import replace

from postroad.kernel.uow import UnitOfWork
from postroad.modules.runs.commands.change import COMMAND, RunChange
from postroad.modules.runs.model import CommandKind, CommandState
from postroad.modules.runs.parts.exchange import CommandAnswer, CommandOrder
from postroad.modules.runs.parts.leasing import RunLease
from postroad.modules.runs.store import lease_rows, record_rows
from postroad.modules.runs.store.record_rows import CommandRow
from postroad.vocabulary.transitions import RunState

ENDED_BEFORE = "the run ended before it could be applied"


def deliver(uow: UnitOfWork, change: RunChange, lease: RunLease) -> tuple[CommandOrder, ...]:
    """Everything that this lease has not answered yet."""
    orders = []
    for command in record_rows.list_open_commands(uow.connection, change.run.id):
        if command.sequence <= lease.command_sequence:
            continue
        orders.append(CommandOrder(command.id, command.sequence, command.kind, command.payload))
        if command.state is CommandState.ACCEPTED:
            _save(uow, change, command, CommandState.DELIVERED)
    return tuple(orders)


def take_answers(uow: UnitOfWork, change: RunChange, answers: Sequence[CommandAnswer]) -> None:
    """Keeps refusals. One worker that refuses makes the command REJECTED; the others may have applied it."""
    refused = {answer.command_id: answer.message for answer in answers if not answer.applied}
    for command in record_rows.list_open_commands(uow.connection, change.run.id) if refused else ():
        if command.id in refused:
            _save(uow, change, command, CommandState.REJECTED, refused[command.id] or "refused by the worker")


def settle_applied(uow: UnitOfWork, change: RunChange) -> None:
    """APPLIED: every lease that is active has answered it, or was granted after it. Without a lease it holds at once;
    only a cancel waits then for a worker to settle what was in flight."""
    leases = lease_rows.list_active(uow.connection, change.run.id)
    answered = min((lease.command_sequence for lease in leases), default=change.run.command_sequence)
    for command in record_rows.list_open_commands(uow.connection, change.run.id):
        waits = command.kind is CommandKind.CANCEL and not leases
        if command.sequence <= answered and not waits:
            _save(uow, change, command, CommandState.APPLIED)


def settle_at_end(uow: UnitOfWork, change: RunChange) -> None:
    """What nobody answered before the run ended. A cancel is APPLIED where the run was cancelled."""
    cancelled = change.run.state is RunState.CANCELLED
    for command in record_rows.list_open_commands(uow.connection, change.run.id):
        if command.kind is CommandKind.CANCEL and cancelled:
            _save(uow, change, command, CommandState.APPLIED)
        else:
            _save(uow, change, command, CommandState.REJECTED, ENDED_BEFORE)


def note_command(change: RunChange, command: CommandRow) -> None:
    said = {"commandId": command.id, "kind": command.kind.value, "state": command.state.value}
    change.note(COMMAND, {**said, "payload": dict(command.payload), "message": command.message})


def _save(uow: UnitOfWork, change: RunChange, command: CommandRow, state: CommandState, message: str = "") -> None:
    delivered = uow.now_ms if state is CommandState.DELIVERED else command.delivered_at_ms
    settled = None if state is CommandState.DELIVERED else uow.now_ms
    after = replace(command, state=state, message=message, delivered_at_ms=delivered, settled_at_ms=settled)
    note_command(change, record_rows.save_command(uow.connection, command, after, uow.now_ms))
