"""Schedules and their firings on the wire."""

from typing import Literal

from pydantic import Field

from postroad.entrypoints.http.conventions import Asked, GivenInstant, Instant, PageShown, Shown, stamp
from postroad.modules.schedules import Misfire, MisfirePolicy, ScheduleAsk, ScheduleView, When


class WhenAsked(Asked):
    """When it fires: a cron expression or one time, never both."""

    timezone: str = Field(max_length=100, examples=["Asia/Shanghai"])
    """An IANA time zone."""
    cron: str | None = Field(default=None, max_length=500, examples=["0 9 * * MON-FRI"])
    """Five fields: minute, hour, day of month, month, day of week."""
    at: str | None = Field(default=None, max_length=60, examples=["2026-12-24T09:00"])
    """A time of the clocks in `timezone`, or one with an offset of its own."""
    start_at: GivenInstant | None = None
    end_at: GivenInstant | None = None

    def when(self) -> When:
        return When(self.timezone, self.cron, self.at, self.start_at, self.end_at)


class ScheduleMade(WhenAsked):
    name: str = Field(max_length=500)
    job_id: str = Field(max_length=128)
    misfire_policy: Literal["SKIP", "FIRE_ONCE", "CATCH_UP_LIMITED"] = "FIRE_ONCE"
    """What becomes of times at which the service did not run."""
    catch_up_limit: int = 0
    """With CATCH_UP_LIMITED: how many late times fire at most, 1 to 100."""
    refresh_audience: bool = False
    """Reads the audience of the job again from its query before each firing."""
    enabled: bool = True

    def ask(self) -> ScheduleAsk:
        misfire = Misfire(MisfirePolicy(self.misfire_policy), self.catch_up_limit)
        return ScheduleAsk(self.name, self.job_id, self.when(), misfire, self.refresh_audience, self.enabled)


class ScheduleReplaced(ScheduleMade):
    """Everything that people decide of a schedule."""

    enabled: bool


class ScheduleShown(Shown):
    id: str
    workspace_id: str
    name: str
    job_id: str
    status: str
    timezone: str
    cron: str | None
    at: Instant | None = stamp("at_ms")
    misfire_policy: str
    catch_up_limit: int
    start_at: Instant | None = stamp("start_at_ms")
    end_at: Instant | None = stamp("end_at_ms")
    refresh_audience: bool
    next_fire_at: Instant | None = stamp("next_fire_at_ms")
    last_fire_at: Instant | None = stamp("last_fire_at_ms")
    created_by: str
    version: int
    created_at: Instant = stamp("created_at_ms")
    updated_at: Instant = stamp("updated_at_ms")


class SchedulePage(Shown):
    items: list[ScheduleShown]
    page: PageShown


class FiringShown(Shown):
    id: str
    schedule_id: str
    fire_at: Instant = stamp("fire_at_ms")
    """The time it was planned for."""
    state: str
    reason: str
    """Why it was skipped or failed."""
    run_id: str | None
    import_id: str | None
    """The import that read the audience again for it."""
    created_at: Instant = stamp("created_at_ms")
    updated_at: Instant = stamp("updated_at_ms")


class FiringPage(Shown):
    items: list[FiringShown]
    page: PageShown


class FireTimeShown(Shown):
    at: Instant = stamp("at_ms")
    local: str
    """The same time as the clocks of the zone show it, with their offset."""


class FireTimesShown(Shown):
    items: list[FireTimeShown]


class ZonesShown(Shown):
    items: list[str]


def shown_schedule(schedule: ScheduleView) -> ScheduleShown:
    names = ("id", "workspace_id", "name", "job_id", "status", "timezone", "cron", "at_ms", "start_at_ms", "end_at_ms")
    more = ("refresh_audience", "next_fire_at_ms", "last_fire_at_ms", "created_by", "version")
    found = {name: getattr(schedule, name) for name in (*names, *more, "created_at_ms", "updated_at_ms")}
    misfire = {"misfire_policy": schedule.misfire.policy.value, "catch_up_limit": schedule.misfire.limit}
    return ScheduleShown.of(found | misfire)
