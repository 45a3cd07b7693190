"""Schedules: when a job starts by itself.

Tables: `schedules`, `schedule_firings`.

A schedule is a cron expression in an IANA zone, or one instant, within optional bounds. `parts.fire_times` tells when
that is, over changes of clocks too; `parts.due` tells what becomes of fire times nobody was there for;
`parts.scheduler` makes runs of those that fire.

Invariants: a fire time of a schedule has at most one firing and at most one run, whoever races; a firing that has
ended never changes; an ENABLED schedule has a next fire time, any other has none; firing changes no version, so that
people who edit a schedule never collide with it.

Events: `schedule.changed` with each version, `schedule.fired` once for each firing when it has ended.
"""

from postroad.modules.schedules.commands.plan_schedule import change_schedule, create_schedule
from postroad.modules.schedules.commands.switch_schedule import archive_schedule, disable_schedule, enable_schedule
from postroad.modules.schedules.model import (
    FireTime,
    FiringState,
    FiringView,
    Misfire,
    MisfirePolicy,
    ScheduleAsk,
    ScheduleFilter,
    ScheduleStatus,
    ScheduleView,
    When,
)
from postroad.modules.schedules.parts.scheduler import Scheduler, tick
from postroad.modules.schedules.parts.zones import zone_names
from postroad.modules.schedules.ports import AudienceRefreshes, Firer, RefreshOutcome, ScheduledJobs
from postroad.modules.schedules.queries import (
    get_schedule,
    list_firings,
    list_schedules,
    preview_fire_times,
    schedules_of_job,
    upcoming_fire_times,
)

__all__ = [
    "AudienceRefreshes",
    "FireTime",
    "Firer",
    "FiringState",
    "FiringView",
    "Misfire",
    "MisfirePolicy",
    "RefreshOutcome",
    "ScheduleAsk",
    "ScheduleFilter",
    "ScheduleStatus",
    "ScheduleView",
    "ScheduledJobs",
    "Scheduler",
    "When",
    "archive_schedule",
    "change_schedule",
    "create_schedule",
    "disable_schedule",
    "enable_schedule",
    "get_schedule",
    "list_firings",
    "list_schedules",
    "preview_fire_times",
    "schedules_of_job",
    "tick",
    "upcoming_fire_times",
    "zone_names",
]
