"""The first page of a workspace on the wire."""

from datetime import date

from postroad.entrypoints.http.conventions import Instant, Shown, stamp
from postroad.modules.runs import Run
from postroad.reads.overview import Overview


class RunCountersShown(Shown):
    """Of real sends; dry runs count nowhere. `problem`: somebody was not reached, or the run ended with an error."""

    total: int
    active: int
    succeeded: int
    problem: int


class RunItemsShown(Shown):
    total: int
    succeeded: int
    failed: int
    unknown: int
    unsent: int
    skipped: int


class RunLineShown(Shown):
    id: str
    job_id: str
    job_name: str
    provider_id: str
    state: str
    waiting_reason: str | None
    waiting_until: Instant | None = stamp("waiting_until_ms")
    dry_run: bool
    items: RunItemsShown
    created_at: Instant = stamp("created_at_ms")
    started_at: Instant | None = stamp("started_at_ms")
    ended_at: Instant | None = stamp("ended_at_ms")


class TrendDayShown(Shown):
    """Runs that were started on this day, and what became of their items so far."""

    day: date
    runs: int
    succeeded: int
    failed: int
    unknown: int
    unsent: int
    skipped: int


class OverviewShown(Shown):
    counters: RunCountersShown
    active: list[RunLineShown]
    recent: list[RunLineShown]
    trend: list[TrendDayShown]
    timezone: str


def overview_view(view: Overview) -> OverviewShown:
    return OverviewShown.of(
        {
            "counters": view.counters,
            "active": [_line(run) for run in view.active],
            "recent": [_line(run) for run in view.recent],
            "trend": view.trend,
            "timezone": view.timezone,
        }
    )


def _line(run: Run) -> dict[str, object]:
    return {
        "id": run.id,
        "job_id": run.job_id,
        "job_name": run.job_name,
        "provider_id": run.provider_id,
        "state": run.state.value,
        "waiting_reason": run.waiting.reason or None,
        "waiting_until_ms": run.waiting.until_ms,
        "dry_run": run.dry_run,
        "items": run.counts,
        "created_at_ms": run.created_at_ms,
        "started_at_ms": run.started_at_ms,
        "ended_at_ms": run.ended_at_ms,
    }
