"""What schedules need from others; the composition root hands it in."""

from dataclasses import dataclass
from typing import Protocol

from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.schedules.model import ScheduleView


class ScheduledJobs(Protocol):
    def require_schedulable(self, reading: Reading, workspace_id: str, job_id: str, *, refresh_audience: bool) -> None:
        """Raises ResourceNotFound or StateConflict for a job that a schedule cannot start.

        With `refresh_audience` the job's audience must come from a query.
        """
        ...


class Firer(Protocol):
    def fire(self, uow: UnitOfWork, schedule: ScheduleView, fire_at_ms: int) -> str:
        """Makes the run in this transaction and returns its id. Short: nothing large is read here.

        A PostroadError says why there can be no run: the firing failed and the schedule goes on. One of kind BUSY or
        UNAVAILABLE says that it should be tried again.
        """
        ...


@dataclass(frozen=True, slots=True)
class RefreshOutcome:
    is_over: bool
    reason: str = ""
    """Why the audience could not be read again; empty where it could."""


class AudienceRefreshes(Protocol):
    def begin(self, uow: UnitOfWork, schedule: ScheduleView) -> str:
        """Orders the audience of the schedule's job to be read again; the id of the import. Raises as `Firer.fire`."""
        ...

    def outcome(self, reading: Reading, workspace_id: str, import_id: str) -> RefreshOutcome:
        """What became of it so far. Over without a reason: the new snapshot stands."""
        ...
