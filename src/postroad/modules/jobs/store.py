"""The statements of the table `jobs`."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, insert, select, update

from postroad.kernel import named
from postroad.kernel.named import fitting, names_are_unique, of_name, one_row
from postroad.kernel.pages import Listing, Page
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.jobs._tables import jobs
from postroad.modules.jobs.model import Job, JobFilter, JobStatus, OpenApiMark, Sending
from postroad.vocabulary.names import name_key

_J = jobs.c
SHOWN_REFERRERS = 5


def add(uow: UnitOfWork, job: Job) -> None:
    """Raises ValidationFailed where the name is taken."""
    with names_are_unique("job"):
        uow.connection.execute(insert(jobs).values(id=job.id, **_values(job)))


def save(uow: UnitOfWork, job: Job) -> None:
    """Replaces what `lock` returned. Raises ValidationFailed where the name is taken."""
    with names_are_unique("job"):
        uow.connection.execute(update(jobs).where(_J.id == job.id).values(**_values(job)))


def find(reading: Reading, workspace_id: str, job_id: str) -> Job | None:
    row = reading.connection.execute(select(jobs).where(*one_row(jobs, workspace_id, job_id))).mappings().first()
    return _job(row) if row else None


def lock(uow: UnitOfWork, workspace_id: str, job_id: str, *, to_change: bool = True) -> Job | None:
    """The job, held until the end of the transaction: alone to change it, together with others to refer to it."""
    statement = select(jobs).where(*one_row(jobs, workspace_id, job_id)).with_for_update(read=not to_change)
    row = uow.connection.execute(statement).mappings().first()
    return _job(row) if row else None


def lock_by_name(uow: UnitOfWork, workspace_id: str, name: str) -> Job | None:
    """The job of this name that is not archived, held alone until the end of the transaction."""
    row = (
        uow.connection.execute(select(jobs).where(*of_name(jobs, workspace_id, name)).with_for_update())
        .mappings()
        .first()
    )
    return _job(row) if row else None


def first_referring(reading: Reading, workspace_id: str, column: str, referred_id: str) -> list[tuple[str, str]]:
    """(id, name) of the first jobs that are not archived and whose `column` (such as `account_id`) names this."""
    referring = (_J.workspace_id == workspace_id, jobs.c[column] == referred_id, _J.status != JobStatus.ARCHIVED)
    statement = select(_J.id, _J.name).where(*referring).order_by(_J.created_at_ms).limit(SHOWN_REFERRERS)
    return [(row[0], row[1]) for row in reading.connection.execute(statement)]


def page(reading: Reading, listing: Listing, workspace_id: str, wanted: JobFilter) -> Page[Job]:
    """Newest first."""
    statement = select(jobs).where(*_wanted(workspace_id, wanted))
    if wanted.status:
        statement = statement.where(_J.status == wanted.status)
    rows = reading.connection.execute(listing.newest_first(statement, jobs)).mappings().all()
    return listing.page([_job(row) for row in rows], lambda one: (one.created_at_ms, one.id))


def count_by_status(reading: Reading, workspace_id: str, wanted: JobFilter) -> dict[str, int]:
    """How many fit all of the filter but its status, by status."""
    return named.count_by_status(reading, jobs, _wanted(workspace_id, wanted))


def _wanted(workspace_id: str, wanted: JobFilter) -> list[ColumnElement[bool]]:
    conditions = fitting(jobs, workspace_id, wanted)
    for column, referred_id in (
        (_J.account_id, wanted.account_id),
        (_J.message_id, wanted.message_id),
        (_J.audience_id, wanted.audience_id),
    ):
        if referred_id:
            conditions.append(column == referred_id)
    return conditions


def _values(job: Job) -> Mapping[str, Any]:
    return {
        "workspace_id": job.workspace_id,
        "name": job.name,
        "name_key": name_key(job.name),
        "account_id": job.sending.account_id,
        "message_id": job.sending.message_id,
        "message_revision": job.sending.message_revision,
        "audience_id": job.sending.audience_id,
        "policies": dict(job.policies),
        "open_api_enabled": job.open_api.enabled,
        "open_api_recipient_cap": job.open_api.recipient_cap,
        "status": job.status.value,
        "version": job.version,
        "created_at_ms": job.created_at_ms,
        "updated_at_ms": job.updated_at_ms,
    }


def _job(row: RowMapping) -> Job:
    return Job(
        id=row["id"],
        workspace_id=row["workspace_id"],
        name=row["name"],
        sending=Sending(row["account_id"], row["message_id"], row["message_revision"], row["audience_id"]),
        policies=row["policies"],
        open_api=OpenApiMark(row["open_api_enabled"], row["open_api_recipient_cap"]),
        status=JobStatus(row["status"]),
        version=row["version"],
        created_at_ms=row["created_at_ms"],
        updated_at_ms=row["updated_at_ms"],
    )
