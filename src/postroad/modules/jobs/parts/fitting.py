"""Whether account, message and audience of a job are there, can be used, and fit each other.

What is missing, disabled or of another provider is a problem of the field that names it. That the message can be made
with this account is the provider's word: a header that the account sets itself, for one, is found only here.
"""

from collections.abc import Iterator

from postroad.kernel.uow import UnitOfWork
from postroad.modules.jobs.model import Sending
from postroad.modules.jobs.ports import AccountRef, AudienceRef, JobNeeds, MessageRef, Providers
from postroad.vocabulary.refusals import FieldProblem, ProviderConfigInvalid, ValidationFailed

_ACTIVE = "ACTIVE"
_ARCHIVED = "ARCHIVED"


def check_sending(uow: UnitOfWork, workspace_id: str, sending: Sending, needs: JobNeeds) -> None:
    """Raises ValidationFailed with every reference that does not hold, ProviderNotAvailable, ProviderConfigInvalid
    where account and message do not fit."""
    found = needs.references
    account = found.account(uow, workspace_id, sending.account_id)
    message = found.message(uow, workspace_id, sending.message_id, sending.message_revision)
    audience = found.audience(uow, workspace_id, sending.audience_id)
    problems = (*_of_account(account), *_of_message(message, sending, account), *_of_audience(audience))
    if problems:
        raise ValidationFailed(f"{problems[0].path}: {problems[0].message}", problems=problems)
    assert account is not None
    assert message is not None
    _must_fit(account, message, needs.providers)


def _of_account(account: AccountRef | None) -> Iterator[FieldProblem]:
    if account is None:
        yield FieldProblem("accountId", "NOT_FOUND", "there is no such account in this workspace")
    elif account.status != _ACTIVE:
        said = f"the account {account.name!r} is {account.status.lower()}; a job needs an active one"
        yield FieldProblem("accountId", "NOT_ACTIVE", said)


def _of_message(message: MessageRef | None, sending: Sending, account: AccountRef | None) -> Iterator[FieldProblem]:
    if message is None:
        yield FieldProblem("messageId", "NOT_FOUND", "there is no such message in this workspace")
        return
    if message.status != _ACTIVE:
        yield FieldProblem("messageId", "NOT_ACTIVE", f"the message {message.name!r} is archived; copy it")
    if message.document is None:
        said = f"the message {message.name!r} has no revision {sending.message_revision}"
        yield FieldProblem("messageRevision", "NOT_FOUND", said)
    if account is not None and message.provider_id != account.provider_id:
        said = f"is a message of {message.provider_id}, and the account is one of {account.provider_id}"
        yield FieldProblem("messageId", "OTHER_PROVIDER", said)


def _of_audience(audience: AudienceRef | None) -> Iterator[FieldProblem]:
    if audience is None:
        yield FieldProblem("audienceId", "NOT_FOUND", "there is no such audience in this workspace")
    elif audience.status == _ARCHIVED:
        yield FieldProblem("audienceId", "NOT_ACTIVE", f"the audience {audience.name!r} is archived")


def _must_fit(account: AccountRef, message: MessageRef, providers: Providers) -> None:
    assert message.document is not None
    problems = providers.factory(account.provider_id).validate_message(account.document, message.document)
    if problems:
        found = tuple(FieldProblem(f"message.{one.field}", one.code, one.message) for one in problems)
        said = f"the message {message.name!r} cannot be sent with the account {account.name!r}: {problems[0].message}"
        raise ProviderConfigInvalid(said, problems=found)
