"""Events, items and files of a run on the wire."""

from typing import Any

from pydantic import Field

from postroad.entrypoints.http.conventions import Asked, Instant, PageShown, Shown, stamp
from postroad.flows.run_results import ExportAsk, ItemFilter, RunItems
from postroad.modules.runs import EventPortion
from postroad.recipients import ItemRow
from postroad.vocabulary.outcomes import Outcome
from postroad.vocabulary.values import FileRef


class RunEventShown(Shown):
    sequence: int
    type: str
    severity: str
    payload: dict[str, Any]
    occurred_at: Instant = stamp("occurred_at_ms")


class RunEventsShown(Shown):
    """Events in order. Go on with `after` = `reached`."""

    items: list[RunEventShown]
    reached: int
    has_more: bool
    has_gap: bool
    """Events behind `after` were removed by retention; load the run anew."""
    is_last: bool
    """The run has ended, and these are its last events."""


class ItemShown(Shown):
    """What became of one recipient."""

    sequence: int
    row: int
    """The number of the spreadsheet's row."""
    item_id: str | None
    outcome: Outcome
    category: str
    code: str
    request_id: str
    attempts: int
    latency_ms: int
    finished_at: Instant | None
    """null where nothing was sent."""
    summary: str
    fields: dict[str, str | int | float | bool | None]


class ItemPageShown(Shown):
    items: list[ItemShown]
    page: PageShown
    is_complete: bool
    """False while the run goes on: only what is known so far is here."""


class ExportAsked(Asked):
    """Which items; nothing given is all of them."""

    outcomes: frozenset[Outcome] = Field(default_factory=frozenset)
    text: str = Field(default="", max_length=200)
    first: int = Field(default=0, ge=0)
    end: int | None = Field(default=None, ge=1)

    def ask(self, workspace_id: str, run_id: str) -> ExportAsk:
        return ExportAsk(workspace_id, run_id, ItemFilter(self.outcomes, self.text, self.first, self.end))


class ExportShown(Shown):
    artifact_id: str
    size_bytes: int
    sha256: str
    links: dict[str, str]


def shown_events(portion: EventPortion, after: int) -> RunEventsShown:
    reached = portion.events[-1].sequence if portion.events else after
    return RunEventsShown(
        items=[RunEventShown.of(event) for event in portion.events],
        reached=reached,
        has_more=portion.has_more,
        has_gap=portion.has_gap,
        is_last=portion.is_last,
    )


def shown_items(found: RunItems) -> ItemPageShown:
    return ItemPageShown(
        items=[_item(row) for row in found.page.items],
        page=PageShown.of(found.page),
        is_complete=found.is_complete,
    )


def _item(row: ItemRow) -> ItemShown:
    return ItemShown(
        sequence=row.sequence,
        row=row.row,
        item_id=row.item_id,
        outcome=row.outcome,
        category=row.category,
        code=row.code,
        request_id=row.request_id,
        attempts=row.attempts,
        latency_ms=row.latency_ms,
        finished_at=row.finished_at_ms or None,
        summary=row.summary,
        fields={name: value.path if isinstance(value, FileRef) else value for name, value in row.fields.items()},
    )
