"""What can be done to a job."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Literal

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import Aggregate, UnitOfWork
from postroad.kernel.versions import Expected, expect
from postroad.modules.jobs import store
from postroad.modules.jobs.model import (
    UNMARKED,
    Job,
    JobStatus,
    OpenApiMark,
    Sending,
    checked_policies,
    default_policies,
)
from postroad.modules.jobs.parts.finding import get, locked
from postroad.modules.jobs.parts.fitting import check_sending
from postroad.modules.jobs.ports import JobNeeds
from postroad.vocabulary.events import EventName
from postroad.vocabulary.names import copy_names, resource_name
from postroad.vocabulary.refusals import StateConflict, ValidationFailed


class Keep(Enum):
    """Says "leave it as it is" where None has a meaning of its own."""

    IT = 0


KEEP: Literal[Keep.IT] = Keep.IT


@dataclass(frozen=True, slots=True)
class NewJob:
    workspace_id: str
    name: str
    sending: Sending
    policies: Mapping[str, Any] | None = None
    """As a job file says them; None takes the defaults."""
    open_api: OpenApiMark = UNMARKED


@dataclass(frozen=True, slots=True)
class JobChange:
    """None leaves a part as it is; so does KEEP for the pinned revision, where None unpins it."""

    workspace_id: str
    job_id: str
    expected: Expected
    name: str | None = None
    account_id: str | None = None
    message_id: str | None = None
    message_revision: int | Literal[Keep.IT] | None = KEEP
    audience_id: str | None = None
    policies: Mapping[str, Any] | None = None
    open_api: OpenApiMark | None = None
    status: JobStatus | None = None
    """ACTIVE or DISABLED."""


def create_job(uow: UnitOfWork, ask: NewJob, needs: JobNeeds) -> Job:
    """Raises ValidationFailed (references that do not hold, policies, a name that is taken), ProviderConfigInvalid
    where account and message do not fit, ProviderNotAvailable."""
    uow.authorize(Action.JOBS_WRITE, Resource(ask.workspace_id, "job"))
    policies = default_policies() if ask.policies is None else checked_policies(ask.policies)
    _check_mark(ask.open_api)
    check_sending(uow, ask.workspace_id, ask.sending, needs)
    return _created(uow, ask, policies)


def change_job(uow: UnitOfWork, ask: JobChange, needs: JobNeeds) -> Job:
    """The job after the change; itself, with its version, where nothing differs.

    Another message drops a pinned revision unless one is given. Raises as `create_job`, and ResourceNotFound,
    VersionConflict, StateConflict for an archived one.
    """
    uow.authorize(Action.JOBS_WRITE, Resource(ask.workspace_id, "job", ask.job_id))
    before = locked(uow, ask.workspace_id, ask.job_id)
    expect(before.version, ask.expected, {"name": before.name, "updatedAtMs": before.updated_at_ms})
    wanted = _wanted(before, ask)
    fields = tuple(
        field
        for field in ("name", "sending", "policies", "open_api", "status")
        if getattr(wanted, field) != getattr(before, field)
    )
    if not fields:
        return before
    if "sending" in fields or wanted.status is JobStatus.ACTIVE is not before.status:
        check_sending(uow, ask.workspace_id, wanted.sending, needs)
    after = before.changed(uow.now_ms, **{field: getattr(wanted, field) for field in fields})
    store.save(uow, after)
    _tell(uow, after, "CHANGED", fields)
    return after


def copy_job(uow: UnitOfWork, workspace_id: str, job_id: str, name: str | None, needs: JobNeeds) -> Job:
    """A job of its own that says the same, not marked for the open API. None takes the first free `… (copy)`.

    Raises as `create_job`, and ResourceNotFound.
    """
    uow.authorize(Action.JOBS_WRITE, Resource(workspace_id, "job", job_id))
    source = get(uow, workspace_id, job_id)
    check_sending(uow, workspace_id, source.sending, needs)
    if name is None:
        proposed = copy_names(source.name)
        name = next(one for one in proposed if store.lock_by_name(uow, workspace_id, one) is None)
    return _created(uow, NewJob(workspace_id, name, source.sending), source.policies)


def archive_job(uow: UnitOfWork, workspace_id: str, job_id: str, expected: Expected, needs: JobNeeds) -> Job:
    """Puts it away for good and frees its name. An archived one stays as it is.

    Raises ResourceNotFound, VersionConflict, and StateConflict with the schedules and runs that still need it.
    """
    uow.authorize(Action.JOBS_WRITE, Resource(workspace_id, "job", job_id))
    before = locked(uow, workspace_id, job_id)
    expect(before.version, expected, {"name": before.name, "updatedAtMs": before.updated_at_ms})
    if before.status is JobStatus.ARCHIVED:
        return before
    uses = needs.uses.of_job(uow, workspace_id, job_id)
    if uses:
        told = ", ".join(f"{one.kind} {one.name!r}" for one in uses[:5])
        raise StateConflict(f"the job {before.name!r} is still used by {told}; end or disable these first")
    after = before.changed(uow.now_ms, status=JobStatus.ARCHIVED, open_api=UNMARKED)
    store.save(uow, after)
    _tell(uow, after, "ARCHIVED", ("status",))
    return after


def _wanted(before: Job, ask: JobChange) -> Job:
    if ask.status is JobStatus.ARCHIVED:
        raise ValidationFailed.of("status", "INVALID", "status: must be ACTIVE or DISABLED; to archive it, delete it")
    kept = before.sending
    message_id = ask.message_id or kept.message_id
    pinned = kept.message_revision if message_id == kept.message_id else None
    if ask.message_revision is not KEEP:
        pinned = ask.message_revision
    if ask.open_api is not None:
        _check_mark(ask.open_api)
    return replace(
        before,
        name=before.name if ask.name is None else resource_name(ask.name),
        sending=Sending(ask.account_id or kept.account_id, message_id, pinned, ask.audience_id or kept.audience_id),
        policies=before.policies if ask.policies is None else checked_policies(ask.policies),
        open_api=ask.open_api or before.open_api,
        status=ask.status or before.status,
    )


def _check_mark(mark: OpenApiMark) -> None:
    if problems := mark.problems():
        raise ValidationFailed(f"{problems[0].path}: {problems[0].message}", problems=problems)


def _created(uow: UnitOfWork, ask: NewJob, policies: Mapping[str, Any]) -> Job:
    job = Job(
        id=uow.new_id(),
        workspace_id=ask.workspace_id,
        name=resource_name(ask.name),
        sending=ask.sending,
        policies=policies,
        open_api=ask.open_api,
        status=JobStatus.ACTIVE,
        version=1,
        created_at_ms=uow.now_ms,
        updated_at_ms=uow.now_ms,
    )
    store.add(uow, job)
    _tell(uow, job, "CREATED", ())
    return job


def _tell(uow: UnitOfWork, job: Job, change: str, fields: tuple[str, ...]) -> None:
    sending = job.sending
    uow.emit(
        EventName.JOB_CHANGED,
        Aggregate("job", job.id, job.version),
        {
            "jobId": job.id,
            "change": change,
            "fields": list(fields),
            "status": job.status.value,
            "accountId": sending.account_id,
            "messageId": sending.message_id,
            "audienceId": sending.audience_id,
        },
        workspace_id=job.workspace_id,
    )
    resource = Resource(job.workspace_id, "job", job.id)
    uow.audit(f"job.{change.lower()}", resource, details={"name": job.name, "fields": list(fields)})
