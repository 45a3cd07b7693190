"""A job file becomes what the service keeps: an account, a message and a job, found again by their names.

The file is the truth for what it says: configuration, content, policies, and the latest revision in place of a pinned
one. It says nothing about whether a job is enabled or open to programs, so that stays. Everything is written in one
transaction, and pushing the same file again changes nothing, save that secrets given are set anew: nobody compares
their texts.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from postroad.flows.job_push.ports import PushNeeds
from postroad.jobfile import Job as JobFile
from postroad.jobfile import JobInvalid, job_of
from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.versions import Expected
from postroad.modules import accounts, jobs, messages
from postroad.modules.accounts import Account, AccountChange, NewAccount
from postroad.modules.jobs import Job, JobChange, NewJob, Sending
from postroad.modules.messages import MessageChange, MessageResult, NewMessage
from postroad.providerkit.nesting import MOST_LEVELS, is_too_deep
from postroad.vocabulary.refusals import FieldProblem, ProviderConfigInvalid, ValidationFailed
from postroad.vocabulary.secret import Secret


class Pushed(StrEnum):
    CREATED = "CREATED"
    CHANGED = "CHANGED"
    UNCHANGED = "UNCHANGED"


@dataclass(frozen=True, slots=True)
class PushAsk:
    workspace_id: str
    job: Mapping[str, Any]
    """What stands in the job file; its audience is not looked at, since a path means nothing here."""
    audience_id: str
    account_name: str | None = None
    """None takes the name of the job."""
    message_name: str | None = None
    """None takes the name of the job."""
    secrets: Mapping[str, Secret] | None = None
    """By the names that the account's configuration refers to."""


@dataclass(frozen=True, slots=True)
class PushResult:
    account: Account
    account_was: Pushed
    message: MessageResult
    message_was: Pushed
    job: Job
    job_was: Pushed


def push_job(uow: UnitOfWork, ask: PushAsk, needs: PushNeeds) -> PushResult:
    """Raises ValidationFailed and ProviderConfigInvalid with paths as in the file, below `job`; ProviderNotAvailable,
    AccessDenied."""
    for action, kind in _NEEDED.items():
        uow.authorize(action, Resource(ask.workspace_id, kind))
    if is_too_deep(ask.job):
        said = f"job: lists and mappings lie more than {MOST_LEVELS} deep in one another"
        raise ValidationFailed.of("job", "TOO_DEEP", said)
    try:
        file = job_of(ask.job)
    except JobInvalid as invalid:
        problems = tuple(FieldProblem(f"job.{one.field}", one.code, one.message) for one in invalid.problems)
        raise ValidationFailed(f"{problems[0].path}: {problems[0].message}", problems=problems) from invalid
    account, account_was = _push_account(uow, ask, file, needs)
    message, message_was = _push_message(uow, ask, file, account, needs)
    sending = Sending(account.id, message.message.id, None, ask.audience_id)
    job, job_was = _push_job(uow, ask, file, sending, needs)
    return PushResult(account, account_was, message, message_was, job, job_was)


def _push_account(uow: UnitOfWork, ask: PushAsk, file: JobFile, needs: PushNeeds) -> tuple[Account, Pushed]:
    name = ask.account_name or file.name
    found = accounts.lock_account_named(uow, ask.workspace_id, name)
    secrets = ask.secrets or {}
    with _paths_of_the_file():
        if found is None:
            new = NewAccount(ask.workspace_id, file.provider, name, file.account)
            return needs.accounts.create(uow, new, secrets), Pushed.CREATED
        _must_be_of(file, "account", name, found.provider_id)
        change = AccountChange(ask.workspace_id, found.id, Expected(found.version), config=file.account)
        after = needs.accounts.change(uow, change, secrets)
    return after, Pushed.UNCHANGED if after.version == found.version else Pushed.CHANGED


def _push_message(
    uow: UnitOfWork, ask: PushAsk, file: JobFile, account: Account, needs: PushNeeds
) -> tuple[MessageResult, Pushed]:
    name = ask.message_name or file.name
    found = messages.lock_message_named(uow, ask.workspace_id, name)
    with _paths_of_the_file():
        if found is None:
            new = NewMessage(ask.workspace_id, file.provider, name, file.message, account.id)
            return messages.create_message(uow, new, needs.messages), Pushed.CREATED
        _must_be_of(file, "message", name, found.provider_id)
        change = MessageChange(
            ask.workspace_id, found.id, Expected(found.version), content=file.message, account_id=account.id
        )
        result = messages.change_message(uow, change, needs.messages)
    return result, Pushed.UNCHANGED if result.outcome is messages.Outcome.UNCHANGED else Pushed.CHANGED


def _push_job(uow: UnitOfWork, ask: PushAsk, file: JobFile, sending: Sending, needs: PushNeeds) -> tuple[Job, Pushed]:
    policies = file.policies.canonical()
    found = jobs.lock_job_named(uow, ask.workspace_id, file.name)
    if found is None:
        return jobs.create_job(uow, NewJob(ask.workspace_id, file.name, sending, policies), needs.jobs), Pushed.CREATED
    change = JobChange(
        ask.workspace_id,
        found.id,
        Expected(found.version),
        account_id=sending.account_id,
        message_id=sending.message_id,
        message_revision=None,
        audience_id=sending.audience_id,
        policies=policies,
    )
    after = jobs.change_job(uow, change, needs.jobs)
    return after, Pushed.UNCHANGED if after.version == found.version else Pushed.CHANGED


def _must_be_of(file: JobFile, kind: str, name: str, provider_id: str) -> None:
    if provider_id != file.provider:
        said = f"the {kind} {name!r} is one of {provider_id}; give `{kind}Name` to push to another one"
        raise ValidationFailed.of("job.provider", "OTHER_PROVIDER", f"job.provider: {said}")


_NEEDED = {Action.ACCOUNTS_WRITE: "account", Action.MESSAGES_WRITE: "message", Action.JOBS_WRITE: "job"}
_IN_THE_FILE = {"config": "job.account", "content": "job.message"}


@contextmanager
def _paths_of_the_file() -> Iterator[None]:
    """Where the file says it, not where the service keeps it."""
    try:
        yield
    except ProviderConfigInvalid as invalid:
        problems = tuple(
            FieldProblem(_in_the_file(problem.path), problem.code, problem.message) for problem in invalid.problems
        )
        raise ProviderConfigInvalid(f"{problems[0].path}: {problems[0].message}", problems=problems) from invalid


def _in_the_file(path: str) -> str:
    head, dot, rest = path.partition(".")
    return f"{_IN_THE_FILE.get(head, head)}{dot}{rest}"
