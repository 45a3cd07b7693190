"""One job, or the refusal that there is none."""

from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.jobs import store
from postroad.modules.jobs.model import Job
from postroad.vocabulary.refusals import ResourceNotFound


def get(reading: Reading, workspace_id: str, job_id: str) -> Job:
    """Raises ResourceNotFound."""
    return _there(store.find(reading, workspace_id, job_id))


def locked(uow: UnitOfWork, workspace_id: str, job_id: str) -> Job:
    """Held alone until the end of the transaction. Raises ResourceNotFound."""
    return _there(store.lock(uow, workspace_id, job_id))


def _there(found: Job | None) -> Job:
    if found is None:
        raise ResourceNotFound("there is no such job in this workspace")
    return found
