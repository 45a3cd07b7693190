"""A linked new run to those of an ended one who failed, are unsent or unknown.

Everything comes from the source's snapshot: its message, account and policies as they were, and the part of its
audience that came to the chosen outcomes. Whoever runs it cuts that part out of the source's results. An UNKNOWN item
carries the idempotency key of the source's item, so that a remote that took the first copy drops the second; the others
have keys of their own. How many there are is shown first, and confirmed.
"""

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from typing import Any

from postroad.engine import split_into_shards
from postroad.flows.sending.beginning import StartedRun, repeated, require_reason, require_standing, started_of
from postroad.flows.sending.confirmations import Bound, Token
from postroad.flows.sending.ports import SendingNeeds
from postroad.kernel import idempotency
from postroad.kernel.authz import Action, Principal, Resource
from postroad.kernel.idempotency import IdempotencyKey, request_digest
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules import accounts, runs, workspaces
from postroad.modules.accounts import AccountStatus
from postroad.modules.runs import AUDIENCE, FROZEN, ORIGINS, RESULTS, NewRun, Run, RunPlan, SourceRun, secrets_named
from postroad.spi import capabilities_of
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.outcomes import Outcome
from postroad.vocabulary.refusals import ArtifactNotReady, RunStateConflict, StateConflict, ValidationFailed

MAY_BE_SENT_AGAIN = frozenset({Outcome.FAILED, Outcome.UNKNOWN, Outcome.UNSENT})
PURPOSE = "resend"
ACTION = "runs.resend"


@dataclass(frozen=True, slots=True)
class ResendAsk:
    workspace_id: str
    run_id: str
    outcomes: frozenset[Outcome]


@dataclass(frozen=True, slots=True)
class ResendStart:
    what: ResendAsk
    idempotency_key: str | None
    confirmation_token: str | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ResendConfirmation:
    source: Run
    counts: dict[Outcome, int]
    """How many came to each of the chosen outcomes."""
    total: int
    message_name: str
    message_revision: int
    account_name: str
    carries_keys: bool
    """Whether the remote drops a second copy of an UNKNOWN message that it took. Otherwise some may get it twice."""
    warnings: tuple[str, ...]
    token: Token


def confirm_resend(principal: Principal, ask: ResendAsk, needs: SendingNeeds) -> ResendConfirmation:
    """Shows whom a re-send would reach. Raises ResourceNotFound, RunStateConflict before the end, ValidationFailed."""
    return needs.database.read(principal, lambda reading: _shown(reading, ask, needs))


def start_resend(uow: UnitOfWork, ask: ResendStart, needs: SendingNeeds) -> StartedRun:
    """One transaction, as `starting.start_run`. Raises as it does, and ArtifactNotReady where the results are gone."""
    what = ask.what
    uow.authorize(Action.RUNS_RESEND, Resource(what.workspace_id, "run", what.run_id))
    key = IdempotencyKey(what.workspace_id, ACTION, ask.idempotency_key)
    asked = {"run": what.run_id, "outcomes": sorted(what.outcomes), "token": ask.confirmation_token}
    digest = request_digest({**asked, "reason": ask.reason})
    kept = idempotency.once(uow, key, digest)
    if kept is not None:
        return repeated(uow, what.workspace_id, kept)
    _check_outcomes(what.outcomes)
    require_reason(ask.reason)
    workspaces.require_active(uow, what.workspace_id)
    source = runs.run_to_refer_to(uow, what.workspace_id, what.run_id)
    counts = _counts(source, what.outcomes)
    if not ask.confirmation_token:
        said = "ask for a confirmation of the re-send, show it, and send its token"
        raise ValidationFailed.of("confirmationToken", "REQUIRED", said)
    confirmation_id = needs.key.open(ask.confirmation_token, _bound(what, source, counts, uow.principal), uow.now_ms)
    plan = _plan(uow, source, counts, needs)
    _may_begin(uow, plan, needs)
    run = runs.add_run(uow, NewRun(plan, ask.reason, confirmation_id=confirmation_id), needs.runs)
    outcomes = {outcome.value: number for outcome, number in counts.items()}
    uow.audit(
        "run.resend",
        Resource(run.workspace_id, "run", run.id),
        details={"sourceRunId": source.id, "total": plan.total, "outcomes": outcomes, "hash": plan.hash},
    )
    started = started_of(run)
    idempotency.keep(uow, key, digest, status=202, body=asdict(started), resource_id=run.id)
    return started


def _shown(reading: Reading, ask: ResendAsk, needs: SendingNeeds) -> ResendConfirmation:
    reading.authorize(Action.RUNS_RESEND, Resource(ask.workspace_id, "run", ask.run_id))
    _check_outcomes(ask.outcomes)
    source = runs.found_run(reading, ask.workspace_id, ask.run_id)
    counts = _counts(source, ask.outcomes)
    plan = runs.plan_of_run(reading, source.id)
    drops_copies = _drops_second_copies(plan, needs)
    warnings = []
    if counts.get(Outcome.UNKNOWN) and not drops_copies:
        unknown = counts[Outcome.UNKNOWN]
        warnings.append(f"{unknown} may have got the message already, and the remote recognises no second copy")
    return ResendConfirmation(
        source=source,
        counts=counts,
        total=sum(counts.values()),
        message_name=plan.message.name,
        message_revision=plan.message.revision,
        account_name=plan.account.name,
        carries_keys=drops_copies,
        warnings=tuple(warnings),
        token=needs.key.seal(_bound(ask, source, counts, reading.principal), needs.new_id(), reading.now_ms),
    )


def _check_outcomes(outcomes: Collection[Outcome]) -> None:
    wrong = sorted(outcome.value for outcome in outcomes if outcome not in MAY_BE_SENT_AGAIN)
    if wrong or not outcomes:
        said = f"outcomes: FAILED, UNKNOWN and UNSENT can be sent again, not {', '.join(wrong) or 'nothing'}"
        raise ValidationFailed.of("outcomes", "INVALID", said)


def _counts(source: Run, outcomes: Collection[Outcome]) -> dict[Outcome, int]:
    if not source.is_final or source.results_wanted:
        raise RunStateConflict(
            f"run {source.id} is {source.state.value}; send again when it has ended, with its results"
        )
    if source.dry_run:
        raise StateConflict("a dry run sent nothing; start the job")
    counts = {outcome: _count(source.counts, outcome) for outcome in sorted(outcomes)}
    if sum(counts.values()) == 0:
        names = " or ".join(outcome.value for outcome in sorted(outcomes))
        raise StateConflict(f"nobody of run {source.id} is {names}")
    return counts


def _count(counts: Counts, outcome: Outcome) -> int:
    number: int = getattr(counts, outcome.value.lower())
    return number


def _bound(ask: ResendAsk, source: Run, counts: dict[Outcome, int], principal: Principal) -> Bound:
    parts: dict[str, Any] = {
        "outcomes": {outcome.value: number for outcome, number in counts.items()},
        "results": source.artifacts.get(RESULTS, {}).get("sha256", ""),
    }
    return Bound(PURPOSE, ask.workspace_id, ask.run_id, principal.actor, parts)


def _plan(uow: UnitOfWork, source: Run, counts: dict[Outcome, int], needs: SendingNeeds) -> RunPlan:
    """Of a source that was a re-send itself the audience is the part that it cut out, where that was kept as a file."""
    if RESULTS not in source.artifacts:
        raise ArtifactNotReady(f"run {source.id} has no results any more, so nobody knows whom to send to again")
    before = runs.plan_of_run(uow, source.id)
    files = {name: source.artifacts[name] for name in (RESULTS, AUDIENCE, ORIGINS, FROZEN) if name in source.artifacts}
    audience = before.audience
    if AUDIENCE in files:
        file = files[AUDIENCE]
        audience = replace(audience, artifact_id=str(file["id"]), sha256=str(file["sha256"]))
    total = sum(counts.values())
    outcomes = tuple(outcome for outcome, number in counts.items() if number)
    return replace(
        before,
        snapshot_id=uow.new_id(),
        run_id=uow.new_id(),
        engine_version=needs.engine_version,
        audience=replace(audience, count=total),
        shards=split_into_shards(total, needs.shards.parts(total)),
        source=SourceRun(source.id, outcomes, {name: str(file["id"]) for name, file in files.items()}),
        frozen_at_ms=uow.now_ms,
    )


def _may_begin(uow: UnitOfWork, plan: RunPlan, needs: SendingNeeds) -> None:
    kept = plan.source.artifacts.values() if plan.source is not None else ()
    needs.runs.artifacts.require_ready(uow, plan.workspace_id, [plan.audience.artifact_id, *kept])
    account = accounts.account_to_refer_to(uow, plan.workspace_id, plan.account.account_id)
    if account is None or account.status is not AccountStatus.ACTIVE:
        raise StateConflict("the account of the run is not active any more, and its secrets may be gone")
    needs.providers.factory(plan.provider_id)
    require_standing(uow, account, secrets_named(plan), needs)


def _drops_second_copies(plan: RunPlan, needs: SendingNeeds) -> bool:
    factory = needs.providers.factory(plan.provider_id)
    return capabilities_of(factory, plan.account.config, plan.message.content).idempotency
