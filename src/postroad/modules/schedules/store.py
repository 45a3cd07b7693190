"""The statements of the tables of schedules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, exists, insert, select, tuple_, update

from postroad.kernel.named import fitting, one_row
from postroad.kernel.pages import Listing, Page
from postroad.kernel.tables import insert_for
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.schedules._tables import schedule_firings, schedules
from postroad.modules.schedules.model import (
    FiringState,
    FiringView,
    Misfire,
    MisfirePolicy,
    ScheduleFilter,
    ScheduleStatus,
    ScheduleView,
)
from postroad.vocabulary.names import name_key

_S = schedules.c
_F = schedule_firings.c


@dataclass(frozen=True, slots=True)
class Due:
    """A place in the line of schedules whose time has come."""

    next_fire_at_ms: int
    schedule_id: str


def add(uow: UnitOfWork, schedule: ScheduleView) -> None:
    uow.connection.execute(insert(schedules).values(id=schedule.id, **_values(schedule)))


def save(uow: UnitOfWork, schedule: ScheduleView) -> None:
    """Replaces what `lock` or `claim_due` returned."""
    uow.connection.execute(update(schedules).where(_S.id == schedule.id).values(**_values(schedule)))


def find(reading: Reading, workspace_id: str, schedule_id: str) -> ScheduleView | None:
    row = (
        reading.connection.execute(select(schedules).where(*one_row(schedules, workspace_id, schedule_id)))
        .mappings()
        .first()
    )
    return _schedule(row) if row else None


def lock(uow: UnitOfWork, workspace_id: str, schedule_id: str) -> ScheduleView | None:
    """The schedule, held alone until the end of the transaction."""
    statement = select(schedules).where(*one_row(schedules, workspace_id, schedule_id)).with_for_update()
    row = uow.connection.execute(statement).mappings().first()
    return _schedule(row) if row else None


def page(reading: Reading, listing: Listing, workspace_id: str, wanted: ScheduleFilter) -> Page[ScheduleView]:
    """Newest first."""
    statement = select(schedules).where(*_wanted(workspace_id, wanted))
    rows = reading.connection.execute(listing.newest_first(statement, schedules)).mappings().all()
    return listing.page([_schedule(row) for row in rows], lambda one: (one.created_at_ms, one.id))


def of_job(reading: Reading, workspace_id: str, job_id: str, most: int) -> tuple[ScheduleView, ...]:
    """The schedules of a job that are not archived."""
    statement = (
        select(schedules)
        .where(_S.workspace_id == workspace_id, _S.job_id == job_id, _S.status != ScheduleStatus.ARCHIVED)
        .order_by(_S.id)
        .limit(most)
    )
    return tuple(_schedule(row) for row in reading.connection.execute(statement).mappings())


def list_due(reading: Reading, now_ms: int, after: Due | None, limit: int) -> tuple[Due, ...]:
    """Whose time has come, the longest waiting first, from behind `after`."""
    statement = select(_S.next_fire_at_ms, _S.id).where(*_is_due(now_ms))
    if after is not None:
        statement = statement.where(tuple_(_S.next_fire_at_ms, _S.id) > (after.next_fire_at_ms, after.schedule_id))
    statement = statement.order_by(_S.next_fire_at_ms, _S.id).limit(limit)
    return tuple(Due(row[0], row[1]) for row in reading.connection.execute(statement))


def claim_due(uow: UnitOfWork, schedule_id: str, now_ms: int) -> ScheduleView | None:
    """The schedule if its time has come, held alone. None where it has not, or where another scheduler holds it."""
    statement = select(schedules).where(_S.id == schedule_id, *_is_due(now_ms)).with_for_update(skip_locked=True)
    row = uow.connection.execute(statement).mappings().first()
    return _schedule(row) if row else None


def add_firing(uow: UnitOfWork, workspace_id: str, firing: FiringView) -> bool:
    """False where this fire time has its firing already; nothing is changed then."""
    statement = insert_for(uow.dialect_name, schedule_firings).values(
        id=firing.id,
        workspace_id=workspace_id,
        schedule_id=firing.schedule_id,
        fire_at_ms=firing.fire_at_ms,
        state=firing.state.value,
        reason=firing.reason,
        run_id=firing.run_id,
        import_id=firing.import_id,
        created_at_ms=firing.created_at_ms,
        updated_at_ms=firing.updated_at_ms,
    )
    return uow.connection.execute(statement.on_conflict_do_nothing()).rowcount == 1


def has_firing(reading: Reading, schedule_id: str, fire_at_ms: int) -> bool:
    same = exists().where(_F.schedule_id == schedule_id, _F.fire_at_ms == fire_at_ms)
    return bool(reading.connection.execute(select(same)).scalar())


def save_firing(uow: UnitOfWork, firing: FiringView) -> None:
    """Replaces state, reason and run of what `claim_firing` returned."""
    uow.connection.execute(
        update(schedule_firings)
        .where(_F.id == firing.id)
        .values(
            state=firing.state.value, reason=firing.reason, run_id=firing.run_id, updated_at_ms=firing.updated_at_ms
        )
    )


def list_waiting(reading: Reading, after: str, limit: int) -> tuple[tuple[str, str], ...]:
    """(schedule, firing) of the DUE firings behind the id `after`, in the order of their ids."""
    statement = (
        select(_F.schedule_id, _F.id).where(_F.state == FiringState.DUE, _F.id > after).order_by(_F.id).limit(limit)
    )
    return tuple((row[0], row[1]) for row in reading.connection.execute(statement))


def claim_firing(uow: UnitOfWork, schedule_id: str, firing_id: str) -> tuple[ScheduleView, FiringView] | None:
    """A DUE firing and its schedule, both held alone; None where another scheduler has them or it is DUE no longer."""
    chosen = select(schedules).where(_S.id == schedule_id).with_for_update(skip_locked=True)
    schedule = uow.connection.execute(chosen).mappings().first()
    waiting = select(schedule_firings).where(_F.id == firing_id, _F.state == FiringState.DUE).with_for_update()
    firing = uow.connection.execute(waiting).mappings().first() if schedule else None
    return (_schedule(schedule), _firing(firing)) if schedule and firing else None


def page_of_firings(reading: Reading, listing: Listing, schedule_id: str, state: str | None) -> Page[FiringView]:
    """By fire time, newest first."""
    statement = select(schedule_firings).where(_F.schedule_id == schedule_id)
    if state:
        statement = statement.where(_F.state == state)
    if listing.position is not None:
        statement = statement.where(_F.fire_at_ms < listing.position[0])
    statement = statement.order_by(_F.fire_at_ms.desc()).limit(listing.rows_wanted)
    rows = reading.connection.execute(statement).mappings().all()
    return listing.page([_firing(row) for row in rows], lambda one: (one.fire_at_ms,))


def _is_due(now_ms: int) -> tuple[ColumnElement[bool], ...]:
    return (_S.status == ScheduleStatus.ENABLED, _S.next_fire_at_ms <= now_ms)


def _wanted(workspace_id: str, wanted: ScheduleFilter) -> list[ColumnElement[bool]]:
    conditions = fitting(schedules, workspace_id, wanted)
    if wanted.job_id:
        conditions.append(_S.job_id == wanted.job_id)
    conditions.append(_S.status == wanted.status if wanted.status else _S.status != ScheduleStatus.ARCHIVED)
    return conditions


def _values(schedule: ScheduleView) -> Mapping[str, Any]:
    return {
        "workspace_id": schedule.workspace_id,
        "name": schedule.name,
        "name_key": name_key(schedule.name),
        "job_id": schedule.job_id,
        "cron": schedule.cron,
        "at_ms": schedule.at_ms,
        "timezone": schedule.timezone,
        "misfire_policy": schedule.misfire.policy.value,
        "catch_up_limit": schedule.misfire.limit,
        "start_at_ms": schedule.start_at_ms,
        "end_at_ms": schedule.end_at_ms,
        "refresh_audience": schedule.refresh_audience,
        "status": schedule.status.value,
        "next_fire_at_ms": schedule.next_fire_at_ms,
        "last_fire_at_ms": schedule.last_fire_at_ms,
        "created_by": schedule.created_by,
        "version": schedule.version,
        "created_at_ms": schedule.created_at_ms,
        "updated_at_ms": schedule.updated_at_ms,
    }


def _schedule(row: RowMapping) -> ScheduleView:
    return ScheduleView(
        id=row["id"],
        workspace_id=row["workspace_id"],
        name=row["name"],
        job_id=row["job_id"],
        cron=row["cron"],
        at_ms=row["at_ms"],
        timezone=row["timezone"],
        misfire=Misfire(MisfirePolicy(row["misfire_policy"]), row["catch_up_limit"]),
        start_at_ms=row["start_at_ms"],
        end_at_ms=row["end_at_ms"],
        refresh_audience=row["refresh_audience"],
        status=ScheduleStatus(row["status"]),
        next_fire_at_ms=row["next_fire_at_ms"],
        last_fire_at_ms=row["last_fire_at_ms"],
        created_by=row["created_by"],
        version=row["version"],
        created_at_ms=row["created_at_ms"],
        updated_at_ms=row["updated_at_ms"],
    )


def _firing(row: RowMapping) -> FiringView:
    return FiringView(
        id=row["id"],
        schedule_id=row["schedule_id"],
        fire_at_ms=row["fire_at_ms"],
        state=FiringState(row["state"]),
        reason=row["reason"],
        run_id=row["run_id"],
        import_id=row["import_id"],
        created_at_ms=row["created_at_ms"],
        updated_at_ms=row["updated_at_ms"],
    )
