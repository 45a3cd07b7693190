"""What parent and worker say to each other: one JSON object a line, over the worker's standard input and output.

    parent → worker   {"order": …, "secrets": …} first, then {"command": …}, {"lent": …}, {"close": true}
    worker → parent   {"event": …}, {"want": …}, {"slow": …}, and at last {"end": …} or {"refused": …}

The first line carries secrets; it is written to the pipe and nowhere else.
"""

import json
from collections.abc import Mapping
from typing import Any

from postroad.engine import (
    CancelRun,
    ChangeConcurrency,
    ChangeRate,
    EngineEvent,
    EventKind,
    Lease,
    PauseRun,
    Progress,
    ResumeRun,
    Waiting,
)
from postroad.flows.local_runs.running.board import AbortRun, BoardCommand, DrainRun
from postroad.spi import Rate
from postroad.vocabulary import errors
from postroad.vocabulary.errors import Kind, PostroadError
from postroad.vocabulary.transitions import RunState, WaitReason

MAX_LINE = 64 * 1024 * 1024

_PLAIN: dict[str, type[PauseRun] | type[ResumeRun] | type[AbortRun]] = {
    "pause": PauseRun,
    "resume": ResumeRun,
    "abort": AbortRun,
}


def line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def command_json(command: BoardCommand) -> dict[str, Any]:
    said: dict[str, Any] = {"id": command.command_id}
    match command:
        case CancelRun():
            return said | {"do": "cancel", "reason": command.reason}
        case ChangeConcurrency():
            return said | {"do": "concurrency", "target": command.target}
        case ChangeRate():
            return said | {"do": "rate", "key": command.key, "count": command.rate.count, "per": command.rate.per_s}
        case PauseRun():
            return said | {"do": "pause"}
        case ResumeRun():
            return said | {"do": "resume"}
        case AbortRun():
            return said | {"do": "abort"}
        case DrainRun():
            return said | {"do": "drain", "within": command.within_s}


def command_of(said: Mapping[str, Any]) -> BoardCommand:
    match said["do"]:
        case "cancel":
            return CancelRun(said["id"], said["reason"])
        case "concurrency":
            return ChangeConcurrency(said["id"], said["target"])
        case "rate":
            return ChangeRate(said["id"], said["key"], Rate(said["count"], said["per"]))
        case "drain":
            return DrainRun(said["id"], said["within"])
    return _PLAIN[said["do"]](said["id"])


def lease_json(lease: Lease) -> dict[str, Any]:
    return {
        "tokens": lease.tokens,
        "expires": lease.expires_at_ms,
        "retry": lease.retry_at_ms,
        "unlimited": lease.unlimited,
    }


def lease_of(said: Mapping[str, Any]) -> Lease:
    return Lease(said["tokens"], said["expires"], said["retry"], said["unlimited"])


def event_json(event: EngineEvent) -> dict[str, Any]:
    progress = event.progress
    told = {name: getattr(progress, name) for name in Progress.__slots__ if name not in ("state", "waiting")}
    waiting = progress.waiting
    return {
        "kind": event.kind.value,
        "at": event.at_ms,
        "reason": event.reason,
        "data": dict(event.data),
        "progress": told | {"state": progress.state.value},
        "waiting": waiting and {"reason": waiting.reason.value, "until": waiting.until_ms, "key": waiting.key},
    }


def event_of(said: Mapping[str, Any], run_id: str) -> EngineEvent:
    waiting = said["waiting"]
    return EngineEvent(
        run_id=run_id,
        kind=EventKind(said["kind"]),
        at_ms=said["at"],
        progress=Progress(
            **(said["progress"] | {"state": RunState(said["progress"]["state"])}),
            waiting=waiting and Waiting(WaitReason(waiting["reason"]), waiting["until"], waiting["key"]),
        ),
        reason=said["reason"],
        data=said["data"],
    )


def error_json(error: PostroadError) -> dict[str, Any]:
    return {"code": error.code, "message": error.message, "field": error.field, "kind": error.kind.value}


def error_of(said: Mapping[str, Any]) -> PostroadError:
    """The same class of error again, as far as its code is one of ours."""
    for found in vars(errors).values():
        if isinstance(found, type) and issubclass(found, PostroadError) and found.code == said["code"]:
            return found(said["message"], field=said["field"])
    error = PostroadError(said["message"], field=said["field"])
    error.kind = Kind(said["kind"])
    return error
