"""A confirmed job becomes a run: one transaction, from the first check to the kept answer.

    repeated?   the idempotency key of an earlier request gives its answer again, and nothing happens
    authorize   under the lock: a right that was taken away meanwhile is refused
    hold        job → account → message → audience, as they are now
    confirmed?  the token must name exactly these versions, and opens one run
    freeze      run snapshot, PENDING run, shards, first event
    keep        audit and the answer under its key

A crash between any two of them leaves nothing; after the commit everything, the answer to a repeat included. Whoever
starts runs without a person (a schedule, a program) enters by `start_trusted`, which needs no confirmation.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from postroad.flows.sending.beginning import StartedRun, repeated, require_reason, require_standing, started_of
from postroad.flows.sending.confirming import ConfirmAsk, bound_to
from postroad.flows.sending.ingredients import Ingredients, hold_ingredients, make_plan
from postroad.flows.sending.ports import SendingNeeds
from postroad.kernel import idempotency
from postroad.kernel.authz import Action, Resource
from postroad.kernel.idempotency import IdempotencyKey, request_digest
from postroad.kernel.uow import UnitOfWork
from postroad.modules import runs
from postroad.modules.runs import NewRun, Run, RunPlan
from postroad.vocabulary.refusals import QuotaExceeded, ValidationFailed, VersionConflict

ACTION = "runs.start"


@dataclass(frozen=True, slots=True)
class StartAsk:
    workspace_id: str
    job_id: str
    idempotency_key: str | None
    confirmation_token: str | None = None
    """Needed unless it is a dry run."""
    dry_run: bool = False
    """Renders for the whole audience and sends nothing; the run has results all the same."""
    overrides: Mapping[str, Any] | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TrustedStart:
    """A start without a person. `most_recipients` refuses larger audiences."""

    workspace_id: str
    job_id: str
    reason: str
    dry_run: bool = False
    overrides: Mapping[str, Any] | None = None
    most_recipients: int | None = None
    schedule_id: str | None = None
    fire_at_ms: int | None = None


class FiredSchedule(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def workspace_id(self) -> str: ...

    @property
    def job_id(self) -> str: ...


class ScheduledStarts:
    """Starts the jobs of schedules: the scheduler's trusted entry."""

    def __init__(self, needs: SendingNeeds) -> None:
        self._needs = needs

    def fire(self, uow: UnitOfWork, schedule: FiredSchedule, fire_at_ms: int) -> str:
        """The run of this fire time, made in this transaction or there already; its id."""
        made = runs.run_of_firing(uow, schedule.id, fire_at_ms)
        if made is not None:
            return made.id
        ask = TrustedStart(
            schedule.workspace_id, schedule.job_id, "schedule", schedule_id=schedule.id, fire_at_ms=fire_at_ms
        )
        try:
            return start_trusted(uow, ask, self._needs).id
        except VersionConflict:
            other = runs.run_of_firing(uow, schedule.id, fire_at_ms)
            if other is None:
                raise
            return other.id


def start_run(uow: UnitOfWork, ask: StartAsk, needs: SendingNeeds) -> StartedRun:
    """Raises ValidationFailed, ConfirmationStale, IdempotencyConflict, StateConflict, SecretMissing and what holding
    the parts raises."""
    about = Resource(ask.workspace_id, "job", ask.job_id)
    uow.authorize(Action.RUNS_START, about)
    key = IdempotencyKey(ask.workspace_id, ACTION, ask.idempotency_key)
    digest = request_digest({name: value for name, value in asdict(ask).items() if name != "idempotency_key"})
    kept = idempotency.once(uow, key, digest)
    if kept is not None:
        return repeated(uow, ask.workspace_id, kept)
    require_reason(ask.reason)
    parts = hold_ingredients(uow, ask.workspace_id, ask.job_id, ask.overrides, needs)
    confirmation_id = None if ask.dry_run else _confirmed(uow, ask, parts, needs)
    if not ask.dry_run:
        require_standing(uow, parts.account, parts.secret_references, needs)
    plan = make_plan(uow, parts, needs, dry_run=ask.dry_run)
    run = runs.add_run(uow, NewRun(plan, ask.reason, confirmation_id=confirmation_id), needs.runs)
    _audit(uow, run, plan)
    started = started_of(run)
    idempotency.keep(uow, key, digest, status=202, body=asdict(started), resource_id=run.id)
    return started


def start_trusted(uow: UnitOfWork, ask: TrustedStart, needs: SendingNeeds) -> StartedRun:
    """Whoever calls it has authorised it and keeps it from happening twice.

    Raises QuotaExceeded for a larger audience than allowed, and as `start_run`.
    """
    parts = hold_ingredients(uow, ask.workspace_id, ask.job_id, ask.overrides, needs)
    count = parts.audience.record_count
    if ask.most_recipients is not None and count > ask.most_recipients:
        raise QuotaExceeded(f"the audience has {count} recipients; this way reaches {ask.most_recipients} at most")
    if not ask.dry_run:
        require_standing(uow, parts.account, parts.secret_references, needs)
    plan = make_plan(uow, parts, needs, dry_run=ask.dry_run)
    run = runs.add_run(
        uow, NewRun(plan, ask.reason, schedule_id=ask.schedule_id, fire_at_ms=ask.fire_at_ms), needs.runs
    )
    _audit(uow, run, plan)
    return started_of(run)


def _confirmed(uow: UnitOfWork, ask: StartAsk, parts: Ingredients, needs: SendingNeeds) -> str:
    if not ask.confirmation_token:
        said = "ask for a confirmation of this job, show it, and send its token; a dry run needs none"
        raise ValidationFailed.of("confirmationToken", "REQUIRED", said)
    bound = bound_to(ConfirmAsk(ask.workspace_id, ask.job_id, ask.overrides), parts, uow.principal)
    return needs.key.open(ask.confirmation_token, bound, uow.now_ms)


def _audit(uow: UnitOfWork, run: Run, plan: RunPlan) -> None:
    details = {
        "jobId": run.job_id,
        "total": run.counts.total,
        "dryRun": run.dry_run,
        "hash": plan.hash,
        "scheduleId": run.schedule_id,
        "sourceRunId": run.source_run_id,
    }
    uow.audit("run.start", Resource(run.workspace_id, "run", run.id), details=details)
