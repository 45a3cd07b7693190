"""What still needs an account, a message, an audience or a job: jobs, schedules that are on, runs not ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Table, select

from postroad.kernel.uow import Reading
from postroad.modules.jobs._tables import jobs
from postroad.modules.runs._tables import runs
from postroad.modules.schedules._tables import schedules
from postroad.vocabulary.transitions import RUN_FINAL

_ENOUGH = 5
_FINAL = sorted(RUN_FINAL)


@dataclass(frozen=True, slots=True)
class Use:
    kind: str
    """`job`, `schedule` or `run`."""
    id: str
    name: str


def uses_of_account(reading: Reading, workspace_id: str, account_id: str) -> tuple[Use, ...]:
    """The first few jobs that are not archived and runs that have not ended."""
    running = _first(
        reading, "run", runs, runs.c.job_name, [_in(runs, workspace_id), runs.c.account_id == account_id, _going_on()]
    )
    return (*_jobs(reading, workspace_id, jobs.c.account_id == account_id), *running)


def uses_of_message(reading: Reading, workspace_id: str, message_id: str) -> tuple[Use, ...]:
    """The first few jobs that are not archived. A run has frozen what it sends and needs the message no more."""
    return _jobs(reading, workspace_id, jobs.c.message_id == message_id)


def uses_of_audience(reading: Reading, workspace_id: str, audience_id: str) -> tuple[Use, ...]:
    """The first few jobs that are not archived. The snapshot of a run is kept for itself."""
    return _jobs(reading, workspace_id, jobs.c.audience_id == audience_id)


def uses_of_job(reading: Reading, workspace_id: str, job_id: str) -> tuple[Use, ...]:
    """The first few schedules that are on and runs that have not ended."""
    on = [_in(schedules, workspace_id), schedules.c.job_id == job_id, schedules.c.status == "ENABLED"]
    running = [_in(runs, workspace_id), runs.c.job_id == job_id, _going_on()]
    return (
        *_first(reading, "schedule", schedules, schedules.c.name, on),
        *_first(reading, "run", runs, runs.c.job_name, running),
    )


def _jobs(reading: Reading, workspace_id: str, refers: ColumnElement[bool]) -> tuple[Use, ...]:
    kept = [_in(jobs, workspace_id), refers, jobs.c.status != "ARCHIVED"]
    return _first(reading, "job", jobs, jobs.c.name, kept)


def _first(
    reading: Reading, kind: str, table: Table, name: ColumnElement[Any], conditions: Sequence[ColumnElement[bool]]
) -> tuple[Use, ...]:
    statement = select(table.c.id, name).where(*conditions).order_by(table.c.created_at_ms).limit(_ENOUGH)
    return tuple(Use(kind, row[0], row[1]) for row in reading.connection.execute(statement))


def _in(table: Table, workspace_id: str) -> ColumnElement[bool]:
    return table.c.workspace_id == workspace_id


def _going_on() -> ColumnElement[bool]:
    return runs.c.state.not_in(_FINAL)
