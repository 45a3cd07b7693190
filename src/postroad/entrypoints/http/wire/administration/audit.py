"""The audit on the wire: pages of JSON, and exports as JSON lines or CSV.

A cell of a CSV that a spreadsheet would take for a formula gets an apostrophe before it.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from postroad.entrypoints.http.conventions import Instant, PageShown, Shown, iso, stamp
from postroad.modules.audit import AuditEvent, AuditResult

COLUMNS = (
    "id",
    "occurredAt",
    "workspaceId",
    "actorKind",
    "actorId",
    "actorName",
    "action",
    "resourceType",
    "resourceId",
    "result",
    "traceId",
    "sourceAddress",
    "details",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class AuditEventShown(Shown):
    id: str
    occurred_at: Instant = stamp("occurred_at_ms")
    workspace_id: str | None
    actor_kind: str
    actor_id: str
    actor_name: str
    action: str
    resource_type: str
    resource_id: str
    result: AuditResult
    trace_id: str
    source_address: str
    details: dict[str, Any]


class AuditPage(Shown):
    items: list[AuditEventShown]
    page: PageShown


def json_lines(events: Sequence[AuditEvent]) -> bytes:
    return b"".join(orjson.dumps(dict(zip(COLUMNS, _values(event), strict=True))) + b"\n" for event in events)


def csv_heading() -> bytes:
    return _csv([COLUMNS])


def csv_lines(events: Sequence[AuditEvent]) -> bytes:
    return _csv([_cell(value) for value in _values(event)] for event in events)


def _values(event: AuditEvent) -> tuple[object, ...]:
    return (
        event.id,
        iso(event.occurred_at_ms),
        event.workspace_id or None,
        event.actor_kind,
        event.actor_id,
        event.actor_name,
        event.action,
        event.resource_type,
        event.resource_id,
        event.result.value,
        event.trace_id,
        event.source_address,
        dict(event.details),
    )


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return f"'{text}" if text.startswith(_FORMULA) else text


def _csv(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()
