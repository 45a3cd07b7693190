"""Confirmations, starts, re-sends and commands on the wire."""

from typing import Annotated, Any

from pydantic import Field

from postroad.entrypoints.http.conventions import Asked, Instant, Shown, stamp
from postroad.flows.sending import ConfirmAsk, Confirmation, ResendAsk, ResendConfirmation, ResendStart
from postroad.flows.sending import StartAsk as StartRunAsk
from postroad.flows.sending import StartedRun as StartedView
from postroad.vocabulary.outcomes import Outcome

Overrides = Annotated[
    dict[str, Any] | None,
    Field(description="A part of the policies, as a job file writes them; only more careful than the job's."),
]


class ConfirmationAsked(Asked):
    policy_overrides: Overrides = None

    def ask(self, workspace_id: str, job_id: str) -> ConfirmAsk:
        return ConfirmAsk(workspace_id, job_id, self.policy_overrides)


class SampleShown(Shown):
    """The message as one of the first recipients gets it, or why it cannot be made."""

    row: int
    headline: str
    parts: dict[str, str]
    warnings: list[str]
    problem_field: str
    problem: str
    missing_fields: list[str]


class EarlierShown(Shown):
    id: str
    state: str
    created_at: Instant = stamp("created_at_ms")


class ConfirmationShown(Shown):
    """What would be sent, and the token that says: this, and nothing else. Show it before anything is started."""

    job_id: str
    job_name: str
    job_version: int
    provider_id: str
    provider_title: str
    provider_version: str
    account_id: str
    account_name: str
    account_version: int
    message_id: str
    message_name: str
    message_revision: int
    audience_id: str
    audience_name: str
    audience_snapshot_id: str
    audience_revision: int
    recipients: int
    policies: dict[str, Any]
    concurrency: int
    rates: dict[str, str]
    default_rate_used: bool
    estimated_parts: int
    estimated_seconds: float | None
    """By the rates alone; null where nothing limits them."""
    estimated_price: float | None
    currency: str
    samples: list[SampleShown]
    warnings: list[str]
    same_as: EarlierShown | None
    """The newest run that said the same to the same people in the same way."""
    hash: str
    confirmation_token: str
    expires_at: Instant = stamp("expires_at_ms")


class RunAsked(Asked):
    dry_run: bool = False
    """Renders for everybody and sends nothing; needs no confirmation."""
    policy_overrides: Overrides = None
    reason: str = Field(default="", max_length=500)
    confirmation_token: str | None = Field(default=None, max_length=8192)

    def ask(self, workspace_id: str, job_id: str, key: str | None) -> StartRunAsk:
        return StartRunAsk(
            workspace_id, job_id, key, self.confirmation_token, self.dry_run, self.policy_overrides, self.reason
        )


class StartedShown(Shown):
    """Taken; follow it at `links`. Source: spec wepush §24.2."""

    id: str
    state: str
    job_id: str
    total: int
    dry_run: bool
    source_run_id: str | None
    created_at: Instant = stamp("created_at_ms")
    links: dict[str, str]


class ResendConfirmationAsked(Asked):
    outcomes: frozenset[Outcome] = Field(min_length=1)
    """FAILED, UNKNOWN and UNSENT can be sent to again."""

    def ask(self, workspace_id: str, run_id: str) -> ResendAsk:
        return ResendAsk(workspace_id, run_id, self.outcomes)


class ResendConfirmationShown(Shown):
    """Who would be sent to again, and the token for it."""

    source_run_id: str
    counts: dict[str, int]
    recipients: int
    message_name: str
    message_revision: int
    account_name: str
    carries_keys: bool
    """Whether the remote drops a second copy of an UNKNOWN message that it took."""
    warnings: list[str]
    confirmation_token: str
    expires_at: Instant = stamp("expires_at_ms")


class ResendAsked(ResendConfirmationAsked):
    confirmation_token: str | None = Field(default=None, max_length=8192)
    reason: str = Field(default="", max_length=500)

    def start(self, workspace_id: str, run_id: str, key: str | None) -> ResendStart:
        return ResendStart(self.ask(workspace_id, run_id), key, self.confirmation_token, self.reason)


class CancelAsked(Asked):
    reason: str = Field(default="", max_length=500)


class ConcurrencyAsked(Asked):
    target: int


class RateAsked(Asked):
    rate: str = Field(max_length=100)
    """As a job file writes it: `100/s`, `20/min`, `unlimited`."""
    key: str = Field(default="run", max_length=300)
    """The budget: `run`, `account`, `domain`, `domain:gmail.com`, …"""


def shown_confirmation(found: Confirmation) -> ConfirmationShown:
    parts, estimate = found.parts, found.estimate
    descriptor = parts.factory.descriptor
    samples = [
        {
            "row": sample.row,
            "headline": sample.preview.headline if sample.preview else "",
            "parts": dict(sample.preview.parts) if sample.preview else {},
            "warnings": list(sample.preview.warnings) if sample.preview else [],
            "problem_field": sample.problem_field,
            "problem": sample.problem,
            "missing_fields": list(sample.missing_fields),
        }
        for sample in estimate.samples
    ]
    return ConfirmationShown.of(
        {
            "job_id": parts.job.id,
            "job_name": parts.job.name,
            "job_version": parts.job.version,
            "provider_id": descriptor.provider_id,
            "provider_title": descriptor.title,
            "provider_version": descriptor.version,
            "account_id": parts.account.id,
            "account_name": parts.account.name,
            "account_version": parts.account.version,
            "message_id": parts.message.id,
            "message_name": parts.message.name,
            "message_revision": parts.revision.revision,
            "audience_id": parts.audience.audience_id,
            "audience_name": parts.audience.name,
            "audience_snapshot_id": parts.audience.snapshot_id,
            "audience_revision": parts.audience.revision,
            "recipients": found.total,
            "policies": dict(parts.policies),
            "concurrency": estimate.concurrency,
            "rates": dict(estimate.rates),
            "default_rate_used": estimate.default_rate_used,
            "estimated_parts": estimate.parts,
            "estimated_seconds": estimate.seconds,
            "estimated_price": estimate.price,
            "currency": estimate.currency,
            "samples": samples,
            "warnings": list(found.warnings),
            "same_as": found.same_as,
            "hash": found.hash,
            "confirmation_token": found.token.text,
            "expires_at_ms": found.token.expires_at_ms,
        }
    )


def shown_resend(found: ResendConfirmation) -> ResendConfirmationShown:
    return ResendConfirmationShown.of(
        {
            "source_run_id": found.source.id,
            "counts": {outcome.value: number for outcome, number in found.counts.items()},
            "recipients": found.total,
            "message_name": found.message_name,
            "message_revision": found.message_revision,
            "account_name": found.account_name,
            "carries_keys": found.carries_keys,
            "warnings": list(found.warnings),
            "confirmation_token": found.token.text,
            "expires_at_ms": found.token.expires_at_ms,
        }
    )


def shown_start(started: StartedView) -> StartedShown:
    url = f"/api/v1/workspaces/{started.workspace_id}/runs/{started.id}"
    names = ("id", "state", "job_id", "total", "dry_run", "source_run_id", "created_at_ms")
    return StartedShown.of(
        {name: getattr(started, name) for name in names} | {"links": {"self": url, "events": f"{url}/events"}}
    )
