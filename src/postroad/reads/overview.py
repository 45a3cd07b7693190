"""The first page of a workspace: how its runs stand, which are under way, how the last two weeks were.

Numbers are of real sends: dry runs count nowhere, though they are shown among the runs under way. A day is one of the
asked time zone, with 23 or 25 hours where the clocks change, and a day without a run is there with zeros.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import case, func, literal, select

from postroad.kernel.authz import Action, Resource
from postroad.kernel.pages import PageRequest
from postroad.kernel.uow import Reading
from postroad.modules.runs import Run, RunFilter, list_runs
from postroad.modules.runs._tables import runs
from postroad.modules.schedules import zone_names
from postroad.vocabulary.refusals import ValidationFailed
from postroad.vocabulary.transitions import RUN_FINAL, RunState

TREND_DAYS = 14
_SHOWN = 10
_PROBLEMS = frozenset({RunState.PARTIAL, RunState.FAILED, RunState.LOST, RunState.RECOVERING})
_ACTIVE = tuple(state for state in RunState if state not in RUN_FINAL)
_ENDED = tuple(state for state in RunState if state in RUN_FINAL)
_T = runs.c


@dataclass(frozen=True, slots=True)
class RunCounters:
    total: int
    active: int
    succeeded: int
    """Ended, and everyone was reached."""
    problem: int
    """Ended with somebody not reached or with an error, or lost their worker and are looked after."""


@dataclass(frozen=True, slots=True)
class TrendDay:
    """Runs that were started on this day, and what became of their items so far."""

    day: date
    runs: int
    succeeded: int
    failed: int
    unknown: int
    unsent: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Overview:
    counters: RunCounters
    active: tuple[Run, ...]
    """The newest first, at most ten."""
    recent: tuple[Run, ...]
    """Ended ones, the newest first, at most ten."""
    trend: tuple[TrendDay, ...]
    """Fourteen days, the oldest first; the last one is today."""
    timezone: str


def get_overview(reading: Reading, workspace_id: str, timezone: str = "UTC") -> Overview:
    """Raises ValidationFailed for a time zone that is none of IANA."""
    reading.authorize(Action.RUNS_READ, Resource(workspace_id, "overview"))
    zone = _zone(timezone)
    page = PageRequest(limit=_SHOWN)
    return Overview(
        counters=_counters(reading, workspace_id),
        active=list_runs(reading, workspace_id, page, RunFilter(states=_ACTIVE)).items,
        recent=list_runs(reading, workspace_id, page, RunFilter(states=_ENDED)).items,
        trend=_trend(reading, workspace_id, _days(reading.now_ms, zone)),
        timezone=timezone,
    )


def _counters(reading: Reading, workspace_id: str) -> RunCounters:
    statement = (
        select(_T.state, func.count()).where(_T.workspace_id == workspace_id, _T.dry_run.is_(False)).group_by(_T.state)
    )
    by_state = {RunState(state): int(count) for state, count in reading.connection.execute(statement)}
    return RunCounters(
        total=sum(by_state.values()),
        active=sum(count for state, count in by_state.items() if state not in RUN_FINAL),
        succeeded=by_state.get(RunState.SUCCEEDED, 0),
        problem=sum(count for state, count in by_state.items() if state in _PROBLEMS),
    )


def _trend(reading: Reading, workspace_id: str, days: Sequence[tuple[date, int, int]]) -> tuple[TrendDay, ...]:
    place = case(*((_T.created_at_ms < literal(end), index) for index, (_, _, end) in enumerate(days)))
    outcomes = (_T.succeeded, _T.failed, _T.unknown, _T.unsent, _T.skipped)
    placed = (
        select(place.label("place"), *outcomes)
        .where(
            _T.workspace_id == workspace_id,
            _T.dry_run.is_(False),
            _T.created_at_ms >= days[0][1],
            _T.created_at_ms < days[-1][2],
        )
        .subquery()
    )
    sums = [func.sum(placed.c[column.name]) for column in outcomes]
    statement = select(placed.c.place, func.count(), *sums).group_by(placed.c.place)
    found = {row[0]: [int(value) for value in row[1:]] for row in reading.connection.execute(statement)}
    return tuple(TrendDay(day, *found.get(index, [0] * 6)) for index, (day, _, _) in enumerate(days))


def _days(now_ms: int, zone: ZoneInfo) -> list[tuple[date, int, int]]:
    """Each day with its first millisecond and the first of the day after."""
    today = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(zone).date()
    days = [today - timedelta(days=back) for back in range(TREND_DAYS - 1, -1, -1)]
    return [(day, _begins(day, zone), _begins(day + timedelta(days=1), zone)) for day in days]


def _begins(day: date, zone: ZoneInfo) -> int:
    return round(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp() * 1000)


def _zone(name: str) -> ZoneInfo:
    if name not in zone_names():
        said = f"there is no IANA time zone {name[:60]!r}; write one such as Europe/Berlin or UTC"
        raise ValidationFailed.of("timezone", "TIMEZONE_UNKNOWN", said)
    return ZoneInfo(name)
