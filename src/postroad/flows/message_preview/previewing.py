"""One preview: whose words, with whose account, for whom."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from postroad.flows.message_preview.ports import PreviewNeeds, RowReader
from postroad.kernel.authz import Action, Principal, Resource
from postroad.kernel.uow import Reading
from postroad.modules import messages
from postroad.modules.messages import Content, Sample
from postroad.spi import ConfigDocument, ProviderFactory, Recipient
from postroad.vocabulary.refusals import ResourceNotFound, ValidationFailed
from postroad.vocabulary.values import RecipientValue

MOST_ROWS = 20


@dataclass(frozen=True, slots=True)
class SavedMessage:
    message_id: str
    revision: int | None = None
    """None takes the current one."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A content that nobody keeps."""

    provider_id: str
    content: Content


@dataclass(frozen=True, slots=True)
class People:
    """Made-up recipients, as fields."""

    fields: Sequence[Mapping[str, RecipientValue]]


@dataclass(frozen=True, slots=True)
class FromAudience:
    audience_id: str
    rows: tuple[int, ...] = ()
    """As the spreadsheet counts; none takes the first `limit`."""
    limit: int = 3


@dataclass(frozen=True, slots=True)
class PreviewAsk:
    workspace_id: str
    what: SavedMessage | Draft
    whom: People | FromAudience
    account_id: str | None = None
    """None takes the example of the provider's schema."""


@dataclass(frozen=True, slots=True)
class PreviewResult:
    provider_id: str
    revision: int | None
    """None for a draft."""
    stands_in: bool
    """Whether an example stood in for an account."""
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class _Prepared:
    factory: ProviderFactory
    account: ConfigDocument
    message: ConfigDocument
    revision: int | None
    reader: RowReader | None


def preview_message(principal: Principal, ask: PreviewAsk, needs: PreviewNeeds) -> PreviewResult:
    """The message as each of them gets it, or why it cannot be made for one.

    Raises ResourceNotFound, AccessDenied, ValidationFailed, ProviderNotAvailable, ProviderConfigInvalid.
    """
    _check(ask.whom)
    prepared = needs.database.read(principal, lambda reading: _prepare(reading, ask, needs))
    renderer = prepared.factory.compile(prepared.account, prepared.message)
    samples = tuple(messages.sample(renderer, recipient) for recipient in _recipients(ask.whom, prepared))
    provider_id = prepared.factory.descriptor.provider_id
    return PreviewResult(provider_id, prepared.revision, ask.account_id is None, samples)


def _prepare(reading: Reading, ask: PreviewAsk, needs: PreviewNeeds) -> _Prepared:
    workspace_id = ask.workspace_id
    factory, content, revision = _content(reading, ask, needs)
    if ask.account_id is not None:
        reading.authorize(Action.ACCOUNTS_READ, Resource(workspace_id, "account", ask.account_id))
    account = messages.account_for(reading, workspace_id, factory, ask.account_id, needs.messages)
    document = messages.checked_document(factory, account, content)
    reader = None
    if isinstance(ask.whom, FromAudience):
        reading.authorize(Action.AUDIENCES_READ, Resource(workspace_id, "audience", ask.whom.audience_id))
        reader = needs.audiences.reader(reading, workspace_id, ask.whom.audience_id)
    return _Prepared(factory, account, document, revision, reader)


def _content(reading: Reading, ask: PreviewAsk, needs: PreviewNeeds) -> tuple[ProviderFactory, Content, int | None]:
    if isinstance(ask.what, Draft):
        reading.authorize(Action.MESSAGES_WRITE, Resource(ask.workspace_id, "message"))
        return needs.messages.providers.factory(ask.what.provider_id), ask.what.content, None
    reading.authorize(Action.MESSAGES_READ, Resource(ask.workspace_id, "message", ask.what.message_id))
    message = messages.find_message(reading, ask.workspace_id, ask.what.message_id)
    if message is None:
        raise ResourceNotFound("there is no such message in this workspace")
    number = ask.what.revision or message.current_revision
    found = messages.find_revision(reading, ask.workspace_id, message.id, number)
    if found is None:
        raise ResourceNotFound(f"the message {message.name!r} has no revision {number}")
    return needs.messages.providers.factory(message.provider_id), found.content, number


def _recipients(whom: People | FromAudience, prepared: _Prepared) -> Sequence[Recipient]:
    if isinstance(whom, People):
        return [Recipient(number, dict(fields)) for number, fields in enumerate(whom.fields)]
    assert prepared.reader is not None
    return prepared.reader(whom.rows, whom.limit)


def _check(whom: People | FromAudience) -> None:
    if isinstance(whom, People):
        number, path = len(whom.fields), "recipients"
    else:
        number, path = (len(whom.rows), "audience.rows") if whom.rows else (whom.limit, "audience.limit")
    if not 1 <= number <= MOST_ROWS:
        raise ValidationFailed.of(path, "OUT_OF_RANGE", f"{path}: look at 1 to {MOST_ROWS} at once, not {number}")
