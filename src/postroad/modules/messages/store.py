"""The statements of the tables `messages` and `message_revisions`. A revision is added and never touched again."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, insert, select, update

from postroad.kernel import named
from postroad.kernel.named import fitting, names_are_unique, of_name, one_row
from postroad.kernel.pages import Listing, Page
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.messages._tables import message_revisions, messages
from postroad.modules.messages.model import Message, MessageFilter, MessageStatus, Revision, content_of
from postroad.vocabulary.names import name_key

_M = messages.c
_R = message_revisions.c


def add(uow: UnitOfWork, message: Message) -> None:
    """Raises ValidationFailed where the name is taken."""
    with names_are_unique("message"):
        uow.connection.execute(insert(messages).values(id=message.id, **_values(message)))


def save(uow: UnitOfWork, message: Message) -> None:
    """Replaces what `lock` returned. Raises ValidationFailed where the name is taken."""
    with names_are_unique("message"):
        uow.connection.execute(update(messages).where(_M.id == message.id).values(**_values(message)))


def add_revision(uow: UnitOfWork, workspace_id: str, revision: Revision) -> None:
    uow.connection.execute(
        insert(message_revisions).values(
            id=uow.new_id(),
            workspace_id=workspace_id,
            message_id=revision.message_id,
            revision=revision.revision,
            provider_id=revision.provider_id,
            schema_version=revision.schema_version,
            content=revision.document.canonical.decode(),
            content_hash=revision.content_hash,
            created_by=revision.created_by,
            created_at_ms=revision.created_at_ms,
        )
    )


def find(reading: Reading, workspace_id: str, message_id: str) -> Message | None:
    row = (
        reading.connection.execute(select(messages).where(*one_row(messages, workspace_id, message_id)))
        .mappings()
        .first()
    )
    return _message(row) if row else None


def lock(uow: UnitOfWork, workspace_id: str, message_id: str, *, to_change: bool = True) -> Message | None:
    """The message, held until the end of the transaction: alone to change it, together with others to refer to it."""
    statement = select(messages).where(*one_row(messages, workspace_id, message_id)).with_for_update(read=not to_change)
    row = uow.connection.execute(statement).mappings().first()
    return _message(row) if row else None


def lock_by_name(uow: UnitOfWork, workspace_id: str, name: str) -> Message | None:
    """The message of this name that is not archived, held alone until the end of the transaction."""
    row = (
        uow.connection.execute(select(messages).where(*of_name(messages, workspace_id, name)).with_for_update())
        .mappings()
        .first()
    )
    return _message(row) if row else None


def find_revision(reading: Reading, workspace_id: str, message_id: str, revision: int) -> Revision | None:
    wanted = (_R.workspace_id == workspace_id, _R.message_id == message_id, _R.revision == revision)
    row = reading.connection.execute(select(message_revisions).where(*wanted)).mappings().first()
    return _revision(row) if row else None


def page(reading: Reading, listing: Listing, workspace_id: str, wanted: MessageFilter) -> Page[Message]:
    """Newest first."""
    statement = select(messages).where(*_wanted(workspace_id, wanted))
    if wanted.status:
        statement = statement.where(_M.status == wanted.status)
    rows = reading.connection.execute(listing.newest_first(statement, messages)).mappings().all()
    return listing.page([_message(row) for row in rows], lambda one: (one.created_at_ms, one.id))


def count_by_status(reading: Reading, workspace_id: str, wanted: MessageFilter) -> dict[str, int]:
    """How many fit all of the filter but its status, by status."""
    return named.count_by_status(reading, messages, _wanted(workspace_id, wanted))


def page_of_revisions(reading: Reading, listing: Listing, workspace_id: str, message_id: str) -> Page[Revision]:
    """Latest first."""
    statement = select(message_revisions).where(_R.workspace_id == workspace_id, _R.message_id == message_id)
    if listing.position is not None:
        statement = statement.where(_R.revision < listing.position[0])
    statement = statement.order_by(_R.revision.desc()).limit(listing.rows_wanted)
    rows = reading.connection.execute(statement).mappings().all()
    return listing.page([_revision(row) for row in rows], lambda one: (one.revision,))


def _wanted(workspace_id: str, wanted: MessageFilter) -> list[ColumnElement[bool]]:
    conditions = fitting(messages, workspace_id, wanted)
    if wanted.provider_id:
        conditions.append(_M.provider_id == wanted.provider_id)
    return conditions


def _values(message: Message) -> Mapping[str, Any]:
    return {
        "workspace_id": message.workspace_id,
        "provider_id": message.provider_id,
        "name": message.name,
        "name_key": name_key(message.name),
        "current_revision": message.current_revision,
        "status": message.status.value,
        "version": message.version,
        "created_at_ms": message.created_at_ms,
        "updated_at_ms": message.updated_at_ms,
    }


def _message(row: RowMapping) -> Message:
    return Message(
        id=row["id"],
        workspace_id=row["workspace_id"],
        provider_id=row["provider_id"],
        name=row["name"],
        current_revision=row["current_revision"],
        status=MessageStatus(row["status"]),
        version=row["version"],
        created_at_ms=row["created_at_ms"],
        updated_at_ms=row["updated_at_ms"],
    )


def _revision(row: RowMapping) -> Revision:
    return Revision(
        message_id=row["message_id"],
        revision=row["revision"],
        provider_id=row["provider_id"],
        schema_version=row["schema_version"],
        content=content_of(row["content"]),
        content_hash=row["content_hash"],
        created_at_ms=row["created_at_ms"],
        created_by=row["created_by"],
    )
