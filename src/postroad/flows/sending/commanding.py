"""A person tells a run what to do. Repeated under its key it is told once, and refused ones are answered again too."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from postroad.jobfile import describe_rate, parse_rate
from postroad.kernel import idempotency
from postroad.kernel.authz import Action, Resource
from postroad.kernel.idempotency import IdempotencyKey, request_digest
from postroad.kernel.uow import UnitOfWork
from postroad.modules import runs
from postroad.modules.runs import CommandAsk, CommandKind, CommandRow, CommandState, RunSurroundings
from postroad.spi import RateScope
from postroad.vocabulary.refusals import ValidationFailed

ACTION = "runs.command"
ACCEPTED, REFUSED = 202, 409
MOST_REASON = 500
_SCOPES = frozenset(scope.value for scope in RateScope)


@dataclass(frozen=True, slots=True)
class SteerAsk:
    """`payload`: `target` of concurrency; `key` (`run` without one) and `rate` of a rate; `reason` of a cancel."""

    workspace_id: str
    run_id: str
    kind: CommandKind
    idempotency_key: str | None
    payload: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommandAnswered:
    """A command as it was when it was given. `status` 202 was taken, 409 was refused by the state of the run."""

    id: str
    run_id: str
    sequence: int
    kind: str
    payload: Mapping[str, Any]
    state: str
    message: str
    created_at_ms: int
    status: int = ACCEPTED
    is_repeat: bool = False


def steer_run(uow: UnitOfWork, ask: SteerAsk, around: RunSurroundings) -> CommandAnswered:
    """Raises ResourceNotFound, IdempotencyConflict, ValidationFailed for a payload out of range."""
    about = Resource(ask.workspace_id, "run", ask.run_id)
    uow.authorize(Action.RUNS_COMMAND, about)
    key = IdempotencyKey(ask.workspace_id, ACTION, ask.idempotency_key)
    digest = request_digest({"run": ask.run_id, "kind": ask.kind.value, "payload": dict(ask.payload)})
    kept = idempotency.once(uow, key, digest)
    if kept is not None:
        return _repeated(uow, kept)
    command = runs.command_run(uow, CommandAsk(ask.workspace_id, ask.run_id, ask.kind, _payload(ask)), around)
    refused = command.state is CommandState.REJECTED
    uow.audit(
        f"run.{ask.kind.value}",
        about,
        result="FAILED" if refused else "OK",
        details={"commandId": command.id, "payload": dict(command.payload)},
    )
    answered = _answered(command)
    idempotency.keep(uow, key, digest, status=answered.status, body=asdict(answered), resource_id=command.id)
    return answered


def _payload(ask: SteerAsk) -> dict[str, str | int]:
    match ask.kind:
        case CommandKind.PAUSE | CommandKind.RESUME:
            return {}
        case CommandKind.CANCEL:
            reason = str(ask.payload.get("reason") or "")
            if len(reason) > MOST_REASON:
                raise ValidationFailed.of("reason", "TOO_LONG", f"a reason has at most {MOST_REASON} characters")
            return {"reason": reason}
        case CommandKind.CONCURRENCY:
            return {"target": ask.payload.get("target", 0)}
        case CommandKind.RATE:
            return _rate(ask.payload)


def _rate(payload: Mapping[str, Any]) -> dict[str, str | int]:
    key = str(payload.get("key") or "run")
    scope, colon, name = key.partition(":")
    if scope not in _SCOPES or (colon and not name):
        said = f"is not a budget; known are {', '.join(sorted(_SCOPES))} and one by name: domain:gmail.com"
        raise ValidationFailed.of("key", "UNKNOWN", f"key: {said}")
    try:
        rate = parse_rate(payload.get("rate"))
    except ValueError as error:
        raise ValidationFailed.of("rate", "INVALID", f"rate: {error}") from None
    return {"key": f"{scope}:{name.lower()}" if scope == "domain" and colon else key, "rate": describe_rate(rate)}


def _answered(command: CommandRow) -> CommandAnswered:
    return CommandAnswered(
        id=command.id,
        run_id=command.run_id,
        sequence=command.sequence,
        kind=command.kind.value,
        payload=dict(command.payload),
        state=command.state.value,
        message=command.message,
        created_at_ms=command.created_at_ms,
        status=REFUSED if command.state is CommandState.REJECTED else ACCEPTED,
    )


def _repeated(uow: UnitOfWork, kept: idempotency.KeptAnswer) -> CommandAnswered:
    """The kept answer; after a day what the command is now."""
    body = kept.body if kept.body is not None else asdict(_answered(runs.get_command(uow, kept.resource_id)))
    return CommandAnswered(**{**body, "is_repeat": True})
