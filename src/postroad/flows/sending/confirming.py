"""Shows what would be sent, and makes the token that says: this, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from postroad.flows.sending.confirmations import Bound, Token
from postroad.flows.sending.estimates import LOOKED_AT, Estimate, estimate
from postroad.flows.sending.ingredients import Ingredients, read_ingredients
from postroad.flows.sending.ports import RowReader, SendingNeeds
from postroad.kernel.authz import Action, Principal, Resource
from postroad.kernel.idempotency import request_digest
from postroad.kernel.uow import Reading
from postroad.modules import runs

PURPOSE = "run"


@dataclass(frozen=True, slots=True)
class ConfirmAsk:
    workspace_id: str
    job_id: str
    overrides: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class EarlierRun:
    id: str
    state: str
    created_at_ms: int


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Source: spec wepush §24.2."""

    parts: Ingredients
    total: int
    hash: str
    estimate: Estimate
    warnings: tuple[str, ...]
    same_as: EarlierRun | None
    """The newest run that said the same to the same people in the same way."""
    token: Token


@dataclass(frozen=True, slots=True)
class _Prepared:
    parts: Ingredients
    reader: RowReader
    same_as: EarlierRun | None
    missing_secrets: tuple[str, ...]
    circuit_open_until_ms: int | None
    now_ms: int


def confirm_run(principal: Principal, ask: ConfirmAsk, needs: SendingNeeds) -> Confirmation:
    """Blocks while the first recipients are rendered; nothing is sent and nothing is kept.

    Raises ResourceNotFound, AccessDenied, StateConflict for what cannot be started as it is, ValidationFailed for
    overrides, ProviderNotAvailable, ProviderConfigInvalid, TemplateInvalid.
    """
    prepared = needs.database.read(principal, lambda reading: _prepare(reading, ask, needs))
    parts = prepared.parts
    count = parts.audience.record_count
    estimated = estimate(parts, prepared.reader(LOOKED_AT), count)
    token = needs.key.seal(bound_to(ask, parts, principal), needs.new_id(), prepared.now_ms)
    return Confirmation(
        parts=parts,
        total=count,
        hash=parts.hash,
        estimate=estimated,
        warnings=(*estimated.warnings, *_warnings(prepared)),
        same_as=prepared.same_as,
        token=token,
    )


def bound_to(ask: ConfirmAsk, parts: Ingredients, principal: Principal) -> Bound:
    """Everything that a change of must make a person look again."""
    descriptor = parts.factory.descriptor
    return Bound(
        purpose=PURPOSE,
        workspace_id=ask.workspace_id,
        subject_id=ask.job_id,
        actor=principal.actor,
        parts={
            "job": parts.job.version,
            "account": [parts.account.id, parts.account.version],
            "message": [parts.message.id, parts.revision.revision],
            "audience": parts.audience.snapshot_id,
            "policies": request_digest(dict(parts.policies)),
            "provider": [descriptor.provider_id, descriptor.version],
        },
    )


def _prepare(reading: Reading, ask: ConfirmAsk, needs: SendingNeeds) -> _Prepared:
    reading.authorize(Action.RUNS_START, Resource(ask.workspace_id, "job", ask.job_id))
    parts = read_ingredients(reading, ask.workspace_id, ask.job_id, ask.overrides, needs)
    same = runs.same_as_earlier(reading, ask.workspace_id, parts.hash)
    account_id = parts.account.id
    return _Prepared(
        parts=parts,
        reader=needs.audiences.reader(reading, ask.workspace_id, parts.audience),
        same_as=None if same is None else EarlierRun(same.id, same.state.value, same.created_at_ms),
        missing_secrets=needs.secrets.missing(reading, ask.workspace_id, account_id, parts.secret_references),
        circuit_open_until_ms=needs.circuits.open_until(reading, ask.workspace_id, account_id),
        now_ms=reading.now_ms,
    )


def _warnings(prepared: _Prepared) -> list[str]:
    said = [f"the secret {name} is not set; the run cannot start without it" for name in prepared.missing_secrets]
    if prepared.circuit_open_until_ms is not None:
        said.append("the remote refused the account's credentials run after run; mend the account before you start")
    if prepared.same_as is not None:
        said.append(f"run {prepared.same_as.id} had the same message, recipients, account and policies")
    return said
