"""What the scheduler needs from others; what it fires is a row in the same database, so that it rolls back."""

from dataclasses import dataclass, field

from sqlalchemy import BigInteger, Column, MetaData, Table, Text, UniqueConstraint, insert, select
from tests.builders.databases import WORKSPACE, Databases

from postroad.kernel.authz import Principal
from postroad.kernel.pages import PageRequest
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.kernel.versions import Expected
from postroad.modules.schedules import (
    FiringView,
    Misfire,
    RefreshOutcome,
    ScheduleAsk,
    Scheduler,
    ScheduleView,
    When,
    create_schedule,
    get_schedule,
    list_firings,
)
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.roles import Role

_OWN = MetaData()
trial_runs = Table(
    "trial_runs",
    _OWN,
    Column("id", Text, primary_key=True),
    Column("schedule_id", Text, nullable=False),
    Column("fire_at_ms", BigInteger, nullable=False),
    UniqueConstraint("schedule_id", "fire_at_ms"),
)


class AnyJob:
    def __init__(self) -> None:
        self.refusal: PostroadError | None = None

    def require_schedulable(self, reading: Reading, workspace_id: str, job_id: str, *, refresh_audience: bool) -> None:
        if self.refusal is not None:
            raise self.refusal


class TrialFirer:
    """Makes a row for each run. `refuse` is raised after the row was written."""

    def __init__(self) -> None:
        self.refuse: Exception | None = None
        self.refused_jobs: set[str] = set()

    def fire(self, uow: UnitOfWork, schedule: ScheduleView, fire_at_ms: int) -> str:
        run_id = uow.new_id()
        uow.connection.execute(insert(trial_runs).values(id=run_id, schedule_id=schedule.id, fire_at_ms=fire_at_ms))
        if self.refuse is not None and (not self.refused_jobs or schedule.job_id in self.refused_jobs):
            raise self.refuse
        return run_id


class TrialRefreshes:
    def __init__(self) -> None:
        self.outcomes: dict[str, RefreshOutcome] = {}
        self.begun: list[str] = []

    def begin(self, uow: UnitOfWork, schedule: ScheduleView) -> str:
        import_id = f"import of {schedule.id} {len(self.begun)}"
        self.begun.append(import_id)
        return import_id

    def outcome(self, reading: Reading, workspace_id: str, import_id: str) -> RefreshOutcome:
        return self.outcomes.get(import_id, RefreshOutcome(is_over=False))


@dataclass(slots=True)
class Office:
    """A database, a scheduler on it, and an operator who works with it."""

    databases: Databases
    firer: TrialFirer = field(default_factory=TrialFirer)
    refreshes: TrialRefreshes = field(default_factory=TrialRefreshes)
    jobs: AnyJob = field(default_factory=AnyJob)

    def __post_init__(self) -> None:
        self.databases.database.write(self.operator, lambda uow: _OWN.create_all(uow.connection))

    @property
    def operator(self) -> Principal:
        return self.databases.member(Role.OPERATOR)

    @property
    def scheduler(self) -> Scheduler:
        return Scheduler(self.databases.database, self.firer, self.refreshes)

    def tick(self) -> bool:
        return self.scheduler.tick(self.databases.clock.now_ms())

    def planned(self, cron: str | None = "0 * * * *", **ask: object) -> ScheduleView:
        when = When(str(ask.pop("timezone", "UTC")), cron, ask.pop("at", None), end_at_ms=ask.pop("end", None))  # type: ignore[arg-type]
        asked = ScheduleAsk(
            name=str(ask.pop("name", "Every hour")),
            job_id=str(ask.pop("job_id", "job-1")),
            when=when,
            misfire=ask.pop("misfire", Misfire()),  # type: ignore[arg-type]
            refresh_audience=bool(ask.pop("refresh", False)),
            enabled=bool(ask.pop("enabled", True)),
        )
        return self.databases.database.write(
            self.operator, lambda uow: create_schedule(uow, WORKSPACE, asked, self.jobs)
        )

    def schedule(self, schedule_id: str) -> ScheduleView:
        return self.databases.database.read(self.operator, lambda r: get_schedule(r, WORKSPACE, schedule_id))

    def firings(self, schedule_id: str) -> list[FiringView]:
        """Oldest first."""
        found = self.databases.database.read(
            self.operator, lambda r: list_firings(r, WORKSPACE, schedule_id, PageRequest(100))
        )
        return list(reversed(found.items))

    def runs(self) -> list[tuple[str, int]]:
        def all_runs(reading: Reading) -> list[tuple[str, int]]:
            rows = reading.connection.execute(select(trial_runs.c.schedule_id, trial_runs.c.fire_at_ms))
            return sorted((row[0], row[1]) for row in rows)

        return self.databases.database.read(self.operator, all_runs)


def at_version(version: int) -> Expected:
    return Expected(version)
