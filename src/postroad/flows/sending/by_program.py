"""A program starts a job: no confirmation, therefore only jobs that a person marked for it, up to the marked number.

A token acts in one workspace, so the job alone is named. A job that is not there and one that is not marked get the
same answer: a token that may only run jobs looks around nowhere.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from postroad.flows.sending.beginning import StartedRun, repeated, require_reason
from postroad.flows.sending.ports import SendingNeeds
from postroad.flows.sending.starting import TrustedStart, start_trusted
from postroad.kernel import idempotency
from postroad.kernel.authz import Action, Resource
from postroad.kernel.idempotency import IdempotencyKey, request_digest
from postroad.kernel.uow import UnitOfWork
from postroad.modules import jobs
from postroad.vocabulary.refusals import ResourceNotFound

ACTION = "jobs.run"


@dataclass(frozen=True, slots=True)
class ProgramStart:
    job_id: str
    idempotency_key: str | None
    dry_run: bool = False
    overrides: Mapping[str, Any] | None = None
    reason: str = ""


def start_by_program(uow: UnitOfWork, ask: ProgramStart, needs: SendingNeeds) -> StartedRun:
    """One transaction, repeated under its key as `start_run`.

    Raises ResourceNotFound for a job that programs may not start, QuotaExceeded over its recipient cap, and as
    `start_run`.
    """
    workspace_id = next(iter(uow.principal.roles), "")
    if not workspace_id:
        raise _no_such_job()
    uow.authorize(Action.JOBS_RUN, Resource(workspace_id, "job", ask.job_id))
    key = IdempotencyKey(workspace_id, ACTION, ask.idempotency_key)
    digest = request_digest({name: value for name, value in asdict(ask).items() if name != "idempotency_key"})
    kept = idempotency.once(uow, key, digest)
    if kept is not None:
        return repeated(uow, workspace_id, kept)
    require_reason(ask.reason)
    most = require_open(uow, workspace_id, ask.job_id)
    start = TrustedStart(
        workspace_id,
        ask.job_id,
        ask.reason or "open API",
        dry_run=ask.dry_run,
        overrides=ask.overrides,
        most_recipients=most,
    )
    started = start_trusted(uow, start, needs)
    idempotency.keep(uow, key, digest, status=202, body=asdict(started), resource_id=started.id)
    return started


def require_open(uow: UnitOfWork, workspace_id: str, job_id: str) -> int:
    """How many recipients a program may reach with the job, which is held. Raises ResourceNotFound."""
    job = jobs.job_to_refer_to(uow, workspace_id, job_id)
    if job is None or not job.open_api.enabled:
        raise _no_such_job()
    return job.open_api.recipient_cap


def _no_such_job() -> ResourceNotFound:
    return ResourceNotFound("there is no job with this id that programs may start; mark it for the open API first")
