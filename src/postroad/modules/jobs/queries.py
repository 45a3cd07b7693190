"""What can be asked about jobs."""

from dataclasses import dataclass

from postroad.kernel.authz import Action, Resource
from postroad.kernel.pages import Listing, Page, PageRequest
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.jobs import store
from postroad.modules.jobs.model import Job, JobFilter
from postroad.modules.jobs.parts.finding import get


@dataclass(frozen=True, slots=True)
class JobList:
    page: Page[Job]
    counters: dict[str, int]
    """Status → how many fit the other filters."""


def get_job(reading: Reading, workspace_id: str, job_id: str) -> Job:
    """Raises ResourceNotFound."""
    reading.authorize(Action.JOBS_READ, Resource(workspace_id, "job", job_id))
    return get(reading, workspace_id, job_id)


def list_jobs(reading: Reading, workspace_id: str, request: PageRequest, wanted: JobFilter) -> JobList:
    """Newest first. Raises ValidationFailed for a cursor of another list."""
    resource = Resource(workspace_id, "job")
    reading.authorize(Action.JOBS_READ, resource)
    listing = Listing.open(reading.cursors, request, resource, wanted.as_filters())
    page = store.page(reading, listing, workspace_id, wanted)
    return JobList(page, store.count_by_status(reading, workspace_id, wanted))


def job_to_refer_to(uow: UnitOfWork, workspace_id: str, job_id: str) -> Job | None:
    """Held until the end of the transaction, so that nobody archives it meanwhile; whoever asks has authorized."""
    return store.lock(uow, workspace_id, job_id, to_change=False)


def find_job(reading: Reading, workspace_id: str, job_id: str) -> Job | None:
    """For flows, which have authorized what they do with it."""
    return store.find(reading, workspace_id, job_id)


def lock_job_named(uow: UnitOfWork, workspace_id: str, name: str) -> Job | None:
    """The job of this name that is not archived. For flows, which have authorized what they do with it."""
    return store.lock_by_name(uow, workspace_id, name)


def jobs_with_account(reading: Reading, workspace_id: str, account_id: str) -> list[tuple[str, str]]:
    """(id, name) of the first jobs that are not archived and send with this account."""
    return store.first_referring(reading, workspace_id, "account_id", account_id)


def jobs_with_message(reading: Reading, workspace_id: str, message_id: str) -> list[tuple[str, str]]:
    """(id, name) of the first jobs that are not archived and send this message."""
    return store.first_referring(reading, workspace_id, "message_id", message_id)


def jobs_with_audience(reading: Reading, workspace_id: str, audience_id: str) -> list[tuple[str, str]]:
    """(id, name) of the first jobs that are not archived and send to this audience."""
    return store.first_referring(reading, workspace_id, "audience_id", audience_id)
