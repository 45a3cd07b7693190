"""What a run would be made of: the job and everything it refers to, read or held, and whether it fits together.

Held in the lock order job → account → message → audience, each against archiving and change until the end of the
transaction. What does not fit is refused here, at the confirmation and again at the start.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from postroad.engine import split_into_shards
from postroad.flows.sending.narrowing import narrowed
from postroad.flows.sending.ports import SendableAudience, SendingNeeds
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules import accounts, jobs, messages, workspaces
from postroad.modules.accounts import Account, AccountStatus
from postroad.modules.jobs import Job, JobStatus
from postroad.modules.messages import Message, MessageStatus, Revision
from postroad.modules.runs import PlannedAccount, PlannedAudience, PlannedMessage, RunPlan, confirmation_hash
from postroad.spi import ConfigDocument, ProviderFactory
from postroad.spi.secret_references import references_in
from postroad.vocabulary.refusals import FieldProblem, ProviderConfigInvalid, ResourceNotFound, StateConflict


@dataclass(frozen=True, slots=True)
class Ingredients:
    job: Job
    account: Account
    message: Message
    revision: Revision
    audience: SendableAudience
    factory: ProviderFactory
    policies: Mapping[str, Any]
    """Canonical, with the overrides of this run."""

    @property
    def account_document(self) -> ConfigDocument:
        return self.account.document

    @property
    def hash(self) -> str:
        descriptor = self.factory.descriptor
        return confirmation_hash(
            audience_sha256=self.audience.sha256,
            message=self.revision.document,
            account=self.account.document,
            provider=(descriptor.provider_id, descriptor.version),
            policies=self.policies,
        )

    @property
    def secret_references(self) -> tuple[str, ...]:
        return references_in([self.account.config, self.revision.content])


def read_ingredients(
    reading: Reading, workspace_id: str, job_id: str, overrides: Mapping[str, Any] | None, needs: SendingNeeds
) -> Ingredients:
    """Raises ResourceNotFound, and what `_together` raises."""
    workspaces.require_active(reading, workspace_id)
    job = jobs.find_job(reading, workspace_id, job_id)
    if job is None:
        raise ResourceNotFound("there is no such job in this workspace")
    account = accounts.find_account(reading, workspace_id, job.sending.account_id)
    message = messages.find_message(reading, workspace_id, job.sending.message_id)
    audience = needs.audiences.find(reading, workspace_id, job.sending.audience_id)
    return _together(reading, _Found(job, account, message, audience), overrides, needs)


def hold_ingredients(
    uow: UnitOfWork, workspace_id: str, job_id: str, overrides: Mapping[str, Any] | None, needs: SendingNeeds
) -> Ingredients:
    """As `read_ingredients`, unchanged until the end of the transaction."""
    workspaces.require_active(uow, workspace_id)
    job = jobs.job_to_refer_to(uow, workspace_id, job_id)
    if job is None:
        raise ResourceNotFound("there is no such job in this workspace")
    account = accounts.account_to_refer_to(uow, workspace_id, job.sending.account_id)
    message = messages.message_to_refer_to(uow, workspace_id, job.sending.message_id)
    audience = needs.audiences.hold(uow, workspace_id, job.sending.audience_id)
    return _together(uow, _Found(job, account, message, audience), overrides, needs)


def make_plan(uow: UnitOfWork, parts: Ingredients, needs: SendingNeeds, *, dry_run: bool) -> RunPlan:
    descriptor, audience = parts.factory.descriptor, parts.audience
    return RunPlan(
        snapshot_id=uow.new_id(),
        run_id=uow.new_id(),
        workspace_id=parts.job.workspace_id,
        job_id=parts.job.id,
        job_name=parts.job.name,
        job_version=parts.job.version,
        provider_id=descriptor.provider_id,
        provider_version=descriptor.version,
        engine_version=needs.engine_version,
        account=PlannedAccount(parts.account.id, parts.account.version, parts.account.name, parts.account.document),
        message=PlannedMessage(parts.message.id, parts.revision.revision, parts.message.name, parts.revision.document),
        audience=PlannedAudience(
            audience_id=audience.audience_id,
            snapshot_id=audience.snapshot_id,
            revision=audience.revision,
            artifact_id=audience.artifact_id,
            sha256=audience.sha256,
            count=audience.record_count,
            rows=audience.record_count,
        ),
        policies=parts.policies,
        shards=split_into_shards(audience.record_count, needs.shards.parts(audience.record_count)),
        dry_run=dry_run,
        frozen_at_ms=uow.now_ms,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    job: Job
    account: Account | None
    message: Message | None
    audience: SendableAudience


def _together(reading: Reading, found: _Found, overrides: Mapping[str, Any] | None, needs: SendingNeeds) -> Ingredients:
    job, account, message, audience = found.job, found.account, found.message, found.audience
    if job.status is not JobStatus.ACTIVE:
        raise StateConflict(f"the job {job.name!r} is {job.status.value}; only an ACTIVE one can be started")
    if account is None or account.status is not AccountStatus.ACTIVE:
        status = account.status.value if account else "gone"
        raise StateConflict(f"the account of the job is {status}; activate it or give the job another one")
    if message is None or message.status is not MessageStatus.ACTIVE:
        raise StateConflict("the message of the job is archived or gone; give the job another one")
    if account.provider_id != message.provider_id:
        raise StateConflict(
            f"the account is one of {account.provider_id} and the message one of {message.provider_id}; mend the job"
        )
    if audience.record_count < 1:
        raise StateConflict(f"the audience {audience.name!r} has no recipients")
    number = job.sending.message_revision or message.current_revision
    revision = messages.find_revision(reading, job.workspace_id, message.id, number)
    if revision is None:
        raise StateConflict(f"the message {message.name!r} has no revision {number}; pin another one or none")
    factory = needs.providers.factory(account.provider_id)
    _check_documents(factory, account, revision)
    policies = narrowed(job.policies, overrides, factory.descriptor)
    return Ingredients(job, account, message, revision, audience, factory, policies)


def _check_documents(factory: ProviderFactory, account: Account, revision: Revision) -> None:
    """A provider may have been updated since they were kept. Raises ProviderConfigInvalid."""
    problems = tuple(
        FieldProblem(f"account.{one.field}" if one.field else "account", one.code, one.message)
        for one in factory.validate_account(account.document)
    )
    if problems:
        raise ProviderConfigInvalid(f"{problems[0].path}: {problems[0].message}", problems=problems)
    messages.checked_document(factory, account.document, revision.content)
