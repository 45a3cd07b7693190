"""Whether a content may be kept: its schema, its templates, and how it fits an account.

A provider can only read a message together with an account. Where none was named, the example of the account's schema
stands in: it finds whatever is wrong with the message itself. What fails with one account alone is found when a job
brings the two together.
"""

from collections.abc import Iterable

from postroad.kernel.uow import Reading
from postroad.modules.messages.model import Content, message_document
from postroad.modules.messages.ports import MessageNeeds
from postroad.providerkit.nesting import MOST_LEVELS, is_too_deep
from postroad.spi import ConfigDocument, Problem, ProviderFactory
from postroad.vocabulary.refusals import FieldProblem, ProviderConfigInvalid, ValidationFailed


def account_for(
    reading: Reading, workspace_id: str, factory: ProviderFactory, account_id: str | None, needs: MessageNeeds
) -> ConfigDocument:
    """The account named, or the one that stands in. Raises ValidationFailed where it is gone or of another provider."""
    if account_id is None:
        return stand_in(factory)
    found = needs.accounts.document(reading, workspace_id, account_id)
    if found is None:
        said = "there is no such account in this workspace, or it is archived"
        raise ValidationFailed.of("accountId", "NOT_FOUND", f"accountId: {said}")
    provider_id, document = found
    if provider_id != factory.descriptor.provider_id:
        said = f"accountId: is an account of {provider_id}, and the message is one of {factory.descriptor.provider_id}"
        raise ValidationFailed.of("accountId", "OTHER_PROVIDER", said)
    return document


def stand_in(factory: ProviderFactory) -> ConfigDocument:
    """The example of the account's schema. Every provider that comes with the program has one."""
    descriptor = factory.descriptor
    example: Content = next(iter(descriptor.account_schema.get("examples", ())), {})
    return ConfigDocument.of(f"{descriptor.provider_id}/account", descriptor.schema_version, example)


def checked_document(factory: ProviderFactory, account: ConfigDocument, content: Content) -> ConfigDocument:
    """Raises ValidationFailed for what JSON cannot say, ProviderConfigInvalid with all that is wrong, each at its path
    below `content`; a template's fault says the line."""
    descriptor = factory.descriptor
    if is_too_deep(content):
        said = f"content: lists and objects lie more than {MOST_LEVELS} deep in one another"
        raise ValidationFailed.of("content", "TOO_DEEP", said)
    try:
        document = message_document(descriptor.provider_id, descriptor.schema_version, content)
    except ValueError:
        said = "content: holds something that is no JSON: NaN, an infinity or half a character"
        raise ValidationFailed.of("content", "NOT_JSON", said) from None
    refuse(factory.validate_message(account, document))
    return document


def refuse(problems: Iterable[Problem]) -> None:
    found = tuple(_below_content(problem) for problem in problems)
    if found:
        raise ProviderConfigInvalid(f"{found[0].path}: {found[0].message}", problems=found)


def _below_content(problem: Problem) -> FieldProblem:
    path = f"content.{problem.field}" if problem.field else "content"
    return FieldProblem(path, problem.code, problem.message.removeprefix(f"{problem.field}: "))
