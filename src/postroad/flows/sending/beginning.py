"""What every start ends with: may the account be used now, and what is answered, the first time and again."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from postroad.flows.sending.ports import SendingNeeds
from postroad.kernel.idempotency import KeptAnswer
from postroad.kernel.uow import UnitOfWork
from postroad.modules import runs
from postroad.modules.accounts import Account
from postroad.modules.runs import Run
from postroad.vocabulary.errors import SecretMissing
from postroad.vocabulary.refusals import StateConflict, ValidationFailed

MOST_REASON = 500


@dataclass(frozen=True, slots=True)
class StartedRun:
    """What is answered at once, and again when the request is repeated."""

    id: str
    workspace_id: str
    job_id: str
    state: str
    total: int
    dry_run: bool
    source_run_id: str | None
    created_at_ms: int
    is_repeat: bool = False


def started_of(run: Run) -> StartedRun:
    return StartedRun(
        id=run.id,
        workspace_id=run.workspace_id,
        job_id=run.job_id,
        state=run.state.value,
        total=run.counts.total,
        dry_run=run.dry_run,
        source_run_id=run.source_run_id,
        created_at_ms=run.created_at_ms,
    )


def repeated(uow: UnitOfWork, workspace_id: str, kept: KeptAnswer) -> StartedRun:
    """The kept answer; after a day what the run is now."""
    body = kept.body
    if body is None:
        body = asdict(started_of(runs.found_run(uow, workspace_id, kept.resource_id)))
    return StartedRun(**{**body, "is_repeat": True})


def require_standing(uow: UnitOfWork, account: Account, references: Sequence[str], needs: SendingNeeds) -> None:
    """Raises SecretMissing, StateConflict while the account's circuit is open."""
    missing = needs.secrets.missing(uow, account.workspace_id, account.id, references)
    if missing:
        raise SecretMissing(f"the secret {missing[0]} of the account {account.name!r} is not set; set it, start again")
    if needs.circuits.open_until(uow, account.workspace_id, account.id) is not None:
        raise StateConflict(
            f"the remote refused the credentials of the account {account.name!r} run after run; mend the account, or "
            "reset its authentication circuit"
        )


def require_reason(reason: str) -> None:
    if len(reason) > MOST_REASON:
        raise ValidationFailed.of("reason", "TOO_LONG", f"a reason has at most {MOST_REASON} characters")
