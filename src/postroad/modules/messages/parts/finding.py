"""One message or one revision, or the refusal that there is none."""

from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.messages import store
from postroad.modules.messages.model import Message, Revision
from postroad.vocabulary.refusals import ResourceNotFound


def get(reading: Reading, workspace_id: str, message_id: str) -> Message:
    """Raises ResourceNotFound."""
    return _there(store.find(reading, workspace_id, message_id))


def locked(uow: UnitOfWork, workspace_id: str, message_id: str) -> Message:
    """Held alone until the end of the transaction. Raises ResourceNotFound."""
    return _there(store.lock(uow, workspace_id, message_id))


def get_revision(reading: Reading, message: Message, revision: int) -> Revision:
    """Raises ResourceNotFound."""
    found = store.find_revision(reading, message.workspace_id, message.id, revision)
    if found is None:
        raise ResourceNotFound(
            f"the message {message.name!r} has no revision {revision}; the latest is {message.current_revision}"
        )
    return found


def _there(found: Message | None) -> Message:
    if found is None:
        raise ResourceNotFound("there is no such message in this workspace")
    return found
