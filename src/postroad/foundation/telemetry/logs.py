"""Log lines of the service: one JSON object a line, or lines for people.

Every line, ours or a library's, passes one chain: the fields bound to the request or the run are added, secrets taken
out, control characters cleaned, and the fields of spec wepush §37.1 put first. `event` is a short dotted name that a
search can rely on, `message` a sentence for people. Lines go to the standard error output; keeping, rotating and
shipping them is the system's part. A line that cannot be written is lost, never an error for the work it speaks of.
"""

import json
import logging
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, TextIO

import structlog
from structlog.typing import FilteringBoundLogger, Processor

from postroad.foundation.telemetry.redaction import redacted, redacted_text

_FIELDS = (
    "timestamp",
    "level",
    "service",
    "instanceId",
    "traceId",
    "workspaceId",
    "runId",
    "workerId",
    "leaseId",
    "providerId",
    "event",
    "message",
)
_QUIET = ("uvicorn.access", "httpx", "httpcore", "asyncio", "alembic.runtime")
_Line = MutableMapping[str, Any]


def configure_logs(
    *, level: str, form: str, instance_id: str, service: str = "postroad", to: TextIO | None = None
) -> None:
    """Takes over all logging of the process. `form` is `json`, `console`, or `auto`: by whether `to` is a terminal."""
    stream = to or sys.stderr
    as_json = form == "json" or (form == "auto" and not stream.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _origin(service, instance_id),
        structlog.processors.format_exc_info,
        _in_safe_order,
    ]
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[_named_after_its_logger, *shared],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _as_json if as_json else _for_people],
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        cache_logger_on_first_use=False,
    )


def logger(name: str) -> FilteringBoundLogger:
    """`logger(__name__).info("run.started", message="…", runId=…)`. Before `configure_logs` it writes plain lines."""
    made: FilteringBoundLogger = structlog.get_logger(name)
    return made


@contextmanager
def bound(**fields: str) -> Iterator[None]:
    """Adds fields (`traceId`, `workspaceId`, `runId` …) to every line inside, on this thread and its tasks."""
    with structlog.contextvars.bound_contextvars(**fields):
        yield


def _origin(service: str, instance_id: str) -> Processor:
    def add(_logger: object, _method: str, line: _Line) -> _Line:
        line["service"], line["instanceId"] = service, instance_id
        return line

    return add


def _named_after_its_logger(_logger: object, _method: str, line: _Line) -> _Line:
    """A library's sentence becomes the message; its logger's name stands for the event."""
    record = line.get("_record")
    line["message"], line["event"] = line["event"], record.name if record is not None else "log"
    return line


def _in_safe_order(_logger: object, _method: str, line: _Line) -> _Line:
    internal = {name: line[name] for name in ("_record", "_from_structlog") if name in line}
    known = {name: line[name] for name in _FIELDS if name in line}
    others = {name: line[name] for name in line if name not in known and name not in internal}
    safe = redacted({**known, **others})
    assert isinstance(safe, dict)
    return {**safe, **internal}


def _as_json(_logger: object, _method: str, line: _Line) -> str:
    return json.dumps(line, ensure_ascii=False, default=lambda value: redacted_text(str(value)))


def _for_people(_logger: object, _method: str, line: _Line) -> str:
    trouble = str(line.pop("exception", ""))
    head = f"{line.pop('timestamp', '')} {str(line.pop('level', '')).upper():<7} {line.pop('event', '')}"
    for name in ("service", "instanceId"):
        line.pop(name, None)
    message = str(line.pop("message", ""))
    rest = " ".join(f"{name}={json.dumps(value, ensure_ascii=False, default=str)}" for name, value in line.items())
    one_line = " ".join(part for part in (head, message, rest) if part).replace("\n", "\\n")
    return one_line + "".join(f"\n  | {row}" for row in trouble.splitlines())
