"""Schedules: which jobs they may start, and what starts and refreshes at their times."""

from dataclasses import dataclass
from functools import cached_property

from postroad.app.areas.audiences import AudiencesArea
from postroad.kernel.database import Database
from postroad.kernel.service import BackgroundService
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules import audiences, jobs, workspaces
from postroad.modules.audiences import QuerySource, ReadingRules
from postroad.modules.jobs import Job, JobStatus
from postroad.modules.schedules import Firer, RefreshOutcome, ScheduledJobs, Scheduler, ScheduleView
from postroad.vocabulary.refusals import FieldProblem, ValidationFailed

_TICK_S = 1.0


class SchedulesArea(AudiencesArea):
    @cached_property
    def scheduled_jobs(self) -> ScheduledJobs:
        return JobsOfSchedules()

    def scheduler_over(self, database: Database, firer: Firer) -> Scheduler:
        """What fires when it ticks; nothing is started."""
        return Scheduler(database, InActiveWorkspaces(firer), AudiencesOfSchedules(self.reading_rules))

    def firer(self) -> Firer | None:
        """Makes runs of firings. The area that sends overrides it; without one nothing fires."""
        return None

    def background_services(self) -> list[BackgroundService]:
        firer = self.firer()
        if firer is None:
            return super().background_services()
        scheduler = self.scheduler_over(self.background_database, firer)
        alone = self.alone("scheduler")

        def tick() -> bool:
            return alone.hold() and scheduler.tick(self.clock.now_ms())

        return [*super().background_services(), BackgroundService("scheduler", _TICK_S, tick)]


class JobsOfSchedules:
    """`schedules.ScheduledJobs` over the room of jobs."""

    def require_schedulable(self, reading: Reading, workspace_id: str, job_id: str, *, refresh_audience: bool) -> None:
        job = _job(reading, workspace_id, job_id)
        if job is None:
            raise ValidationFailed.of("jobId", "NOT_FOUND", "there is no such job in this workspace")
        problems = []
        if job.status is not JobStatus.ACTIVE:
            said = f"the job {job.name!r} is {job.status.lower()}; a schedule needs an active one"
            problems.append(FieldProblem("jobId", "NOT_ACTIVE", said))
        if refresh_audience and not self._can_be_read_again(reading, job):
            said = "the audience of the job does not come from a query, so it cannot be read again"
            problems.append(FieldProblem("refreshAudience", "NO_QUERY", said))
        if problems:
            raise ValidationFailed(problems[0].message, problems=problems)

    def _can_be_read_again(self, reading: Reading, job: Job) -> bool:
        audience = audiences.find_audience(reading, job.workspace_id, job.sending.audience_id)
        return audience is not None and isinstance(audience.source, QuerySource)


@dataclass(frozen=True, slots=True)
class InActiveWorkspaces:
    """`schedules.Firer`: starts nothing in an archived workspace, which the service itself would be let to."""

    firer: Firer

    def fire(self, uow: UnitOfWork, schedule: ScheduleView, fire_at_ms: int) -> str:
        workspaces.require_active(uow, schedule.workspace_id)
        return self.firer.fire(uow, schedule, fire_at_ms)


@dataclass(frozen=True, slots=True)
class AudiencesOfSchedules:
    """`schedules.AudienceRefreshes` over the rooms of jobs and audiences."""

    rules: ReadingRules

    def begin(self, uow: UnitOfWork, schedule: ScheduleView) -> str:
        workspaces.require_active(uow, schedule.workspace_id)
        job = _job(uow, schedule.workspace_id, schedule.job_id)
        if job is None:
            raise ValidationFailed.of("jobId", "NOT_FOUND", "there is no such job any more")
        return audiences.refresh_audience(uow, schedule.workspace_id, job.sending.audience_id, self.rules).id

    def outcome(self, reading: Reading, workspace_id: str, import_id: str) -> RefreshOutcome:
        state = audiences.refresh_state(reading, workspace_id, import_id)
        return RefreshOutcome(state.is_over, state.reason)


def _job(reading: Reading, workspace_id: str, job_id: str) -> Job | None:
    """Held where it is to be referred to, so that nobody archives it meanwhile."""
    if isinstance(reading, UnitOfWork):
        return jobs.job_to_refer_to(reading, workspace_id, job_id)
    return jobs.find_job(reading, workspace_id, job_id)
