"""What can be asked about messages and their revisions."""

from dataclasses import dataclass

from postroad.kernel.authz import Action, Resource
from postroad.kernel.pages import Listing, Page, PageRequest
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.messages import store
from postroad.modules.messages.model import Change, Message, MessageFilter, Revision, changes_between
from postroad.modules.messages.parts.finding import get
from postroad.modules.messages.parts.finding import get_revision as revision_of


@dataclass(frozen=True, slots=True)
class MessageList:
    page: Page[Message]
    counters: dict[str, int]
    """Status → how many fit the other filters."""


@dataclass(frozen=True, slots=True)
class MessageView:
    message: Message
    revision: Revision
    """The current one."""


@dataclass(frozen=True, slots=True)
class Difference:
    before: Revision
    after: Revision
    changes: tuple[Change, ...]


def get_message(reading: Reading, workspace_id: str, message_id: str) -> MessageView:
    """Raises ResourceNotFound."""
    message = _readable(reading, workspace_id, message_id)
    return MessageView(message, revision_of(reading, message, message.current_revision))


def list_messages(reading: Reading, workspace_id: str, request: PageRequest, wanted: MessageFilter) -> MessageList:
    """Newest first, without contents. Raises ValidationFailed for a cursor of another list."""
    resource = Resource(workspace_id, "message")
    reading.authorize(Action.MESSAGES_READ, resource)
    listing = Listing.open(reading.cursors, request, resource, wanted.as_filters())
    page = store.page(reading, listing, workspace_id, wanted)
    return MessageList(page, store.count_by_status(reading, workspace_id, wanted))


def get_revision(reading: Reading, workspace_id: str, message_id: str, revision: int) -> Revision:
    """Raises ResourceNotFound."""
    return revision_of(reading, _readable(reading, workspace_id, message_id), revision)


def list_revisions(reading: Reading, workspace_id: str, message_id: str, request: PageRequest) -> Page[Revision]:
    """Latest first. Raises ResourceNotFound, ValidationFailed for a cursor of another list."""
    _readable(reading, workspace_id, message_id)
    listing = Listing.open(reading.cursors, request, Resource(workspace_id, "message_revision", message_id), {})
    return store.page_of_revisions(reading, listing, workspace_id, message_id)


def difference(reading: Reading, workspace_id: str, message_id: str, before: int, after: int) -> Difference:
    """What changed from one revision to another, in either direction. Raises ResourceNotFound."""
    message = _readable(reading, workspace_id, message_id)
    first, second = revision_of(reading, message, before), revision_of(reading, message, after)
    return Difference(first, second, changes_between(first.content, second.content))


def message_to_refer_to(uow: UnitOfWork, workspace_id: str, message_id: str) -> Message | None:
    """Held until the end of the transaction, so that nobody archives it meanwhile; whoever asks has authorized."""
    return store.lock(uow, workspace_id, message_id, to_change=False)


def find_message(reading: Reading, workspace_id: str, message_id: str) -> Message | None:
    """For flows, which have authorized what they do with it."""
    return store.find(reading, workspace_id, message_id)


def find_revision(reading: Reading, workspace_id: str, message_id: str, revision: int) -> Revision | None:
    """For flows, which have authorized what they do with it."""
    return store.find_revision(reading, workspace_id, message_id, revision)


def lock_message_named(uow: UnitOfWork, workspace_id: str, name: str) -> Message | None:
    """The message of this name that is not archived. For flows, which have authorized what they do with it."""
    return store.lock_by_name(uow, workspace_id, name)


def _readable(reading: Reading, workspace_id: str, message_id: str) -> Message:
    reading.authorize(Action.MESSAGES_READ, Resource(workspace_id, "message", message_id))
    return get(reading, workspace_id, message_id)
