"""What can be done to a message."""

from dataclasses import dataclass
from enum import StrEnum

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import Aggregate, UnitOfWork
from postroad.kernel.versions import Expected, expect
from postroad.modules.messages import store
from postroad.modules.messages.model import Content, Message, MessageStatus, Revision, content_hash
from postroad.modules.messages.parts.checking import account_for, checked_document
from postroad.modules.messages.parts.finding import get, get_revision, locked
from postroad.modules.messages.ports import MessageNeeds
from postroad.spi import ConfigDocument
from postroad.vocabulary.events import EventName
from postroad.vocabulary.names import copy_names, resource_name
from postroad.vocabulary.refusals import StateConflict


class Outcome(StrEnum):
    CREATED = "CREATED"
    REVISED = "REVISED"
    """The content changed: a new revision stands."""
    RENAMED = "RENAMED"
    """The content is the same; no revision was made."""
    UNCHANGED = "UNCHANGED"
    """Nothing differs: neither revision nor version was made."""


@dataclass(frozen=True, slots=True)
class NewMessage:
    workspace_id: str
    provider_id: str
    name: str
    content: Content
    account_id: str | None = None
    """Checks the content against this account; None takes the provider's example."""


@dataclass(frozen=True, slots=True)
class MessageChange:
    """None leaves a part as it is."""

    workspace_id: str
    message_id: str
    expected: Expected
    name: str | None = None
    content: Content | None = None
    account_id: str | None = None


@dataclass(frozen=True, slots=True)
class CopyAsked:
    workspace_id: str
    message_id: str
    name: str | None = None
    """None takes the first free of `… (copy)`, `… (copy 2)`."""
    revision: int | None = None
    """None takes the current one."""


@dataclass(frozen=True, slots=True)
class MessageResult:
    outcome: Outcome
    message: Message
    revision: Revision


def create_message(uow: UnitOfWork, ask: NewMessage, needs: MessageNeeds) -> MessageResult:
    """Raises ProviderNotAvailable, ProviderConfigInvalid, ValidationFailed (also for a name that is taken)."""
    uow.authorize(Action.MESSAGES_WRITE, Resource(ask.workspace_id, "message"))
    factory = needs.providers.factory(ask.provider_id)
    account = account_for(uow, ask.workspace_id, factory, ask.account_id, needs)
    document = checked_document(factory, account, ask.content)
    return _created(uow, ask.workspace_id, resource_name(ask.name), ask.provider_id, document)


def change_message(uow: UnitOfWork, ask: MessageChange, needs: MessageNeeds) -> MessageResult:
    """Another content becomes the next revision; the same content makes none and says so.

    Raises as `create_message`, and ResourceNotFound, VersionConflict, StateConflict for an archived one.
    """
    uow.authorize(Action.MESSAGES_WRITE, Resource(ask.workspace_id, "message", ask.message_id))
    before = locked(uow, ask.workspace_id, ask.message_id)
    expect(before.version, ask.expected, {"name": before.name, "currentRevision": before.current_revision})
    current = get_revision(uow, before, before.current_revision)
    name = before.name if ask.name is None else resource_name(ask.name)
    document = current.document
    if ask.content is not None:
        factory = needs.providers.factory(before.provider_id)
        account = account_for(uow, ask.workspace_id, factory, ask.account_id, needs)
        document = checked_document(factory, account, ask.content)
    is_revised = content_hash(document) != current.content_hash
    if not is_revised and name == before.name:
        return MessageResult(Outcome.UNCHANGED, before, current)
    number = before.current_revision + is_revised
    after = before.changed(uow.now_ms, name=name, current_revision=number)
    store.save(uow, after)
    _tell(uow, after, "CHANGED", (*(("name",) if name != before.name else ()), *(("content",) if is_revised else ())))
    if not is_revised:
        return MessageResult(Outcome.RENAMED, after, current)
    return MessageResult(Outcome.REVISED, after, _revised(uow, after, document))


def copy_message(uow: UnitOfWork, ask: CopyAsked) -> MessageResult:
    """A message of its own whose first revision says the same; also of an archived one. Raises ResourceNotFound."""
    uow.authorize(Action.MESSAGES_WRITE, Resource(ask.workspace_id, "message", ask.message_id))
    source = get(uow, ask.workspace_id, ask.message_id)
    revision = get_revision(uow, source, ask.revision or source.current_revision)
    if ask.name is not None:
        name = resource_name(ask.name)
    else:
        proposed = copy_names(source.name)
        name = next(one for one in proposed if store.lock_by_name(uow, ask.workspace_id, one) is None)
    return _created(uow, ask.workspace_id, name, source.provider_id, revision.document)


def archive_message(
    uow: UnitOfWork, workspace_id: str, message_id: str, expected: Expected, needs: MessageNeeds
) -> Message:
    """Puts it away for good and frees its name; its revisions stay for the runs that sent them.

    An archived one stays as it is. Raises ResourceNotFound, VersionConflict, and StateConflict with what still refers
    to it.
    """
    uow.authorize(Action.MESSAGES_WRITE, Resource(workspace_id, "message", message_id))
    before = locked(uow, workspace_id, message_id)
    expect(before.version, expected, {"name": before.name, "currentRevision": before.current_revision})
    if before.status is MessageStatus.ARCHIVED:
        return before
    referrers = needs.references.to_message(uow, workspace_id, message_id)
    if referrers:
        told = ", ".join(f"{one.kind} {one.name!r}" for one in referrers[:5])
        raise StateConflict(f"the message {before.name!r} is still used by {told}; archive or end these first")
    after = before.changed(uow.now_ms, status=MessageStatus.ARCHIVED)
    store.save(uow, after)
    _tell(uow, after, "ARCHIVED", ("status",))
    return after


def _created(
    uow: UnitOfWork, workspace_id: str, name: str, provider_id: str, document: ConfigDocument
) -> MessageResult:
    message = Message(
        id=uow.new_id(),
        workspace_id=workspace_id,
        provider_id=provider_id,
        name=name,
        current_revision=1,
        status=MessageStatus.ACTIVE,
        version=1,
        created_at_ms=uow.now_ms,
        updated_at_ms=uow.now_ms,
    )
    store.add(uow, message)
    _tell(uow, message, "CREATED", ())
    return MessageResult(Outcome.CREATED, message, _revised(uow, message, document))


def _revised(uow: UnitOfWork, message: Message, document: ConfigDocument) -> Revision:
    revision = Revision(
        message_id=message.id,
        revision=message.current_revision,
        provider_id=message.provider_id,
        schema_version=document.schema_version,
        content=document.value(),
        content_hash=content_hash(document),
        created_at_ms=uow.now_ms,
        created_by=uow.principal.actor,
    )
    store.add_revision(uow, message.workspace_id, revision)
    uow.emit(
        EventName.MESSAGE_REVISED,
        Aggregate("message", message.id, message.version),
        {"messageId": message.id, "revision": revision.revision, "contentHash": revision.content_hash},
        workspace_id=message.workspace_id,
    )
    return revision


def _tell(uow: UnitOfWork, message: Message, change: str, fields: tuple[str, ...]) -> None:
    payload = {"messageId": message.id, "providerId": message.provider_id, "change": change, "fields": list(fields)}
    uow.emit(
        EventName.MESSAGE_CHANGED,
        Aggregate("message", message.id, message.version),
        {**payload, "status": message.status.value, "revision": message.current_revision},
        workspace_id=message.workspace_id,
    )
    uow.audit(
        f"message.{change.lower()}",
        Resource(message.workspace_id, "message", message.id),
        details={"name": message.name, "fields": list(fields), "revision": message.current_revision},
    )
