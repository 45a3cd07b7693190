"""Makes a record of a text: the one place where something is sealed, so the version always is the sealed one."""

from dataclasses import replace

from postroad.foundation.envelope import seal
from postroad.foundation.keyring import KeyRing
from postroad.kernel.authz import Resource
from postroad.kernel.uow import UnitOfWork
from postroad.modules.secrets import store
from postroad.modules.secrets.model import SecretRecord, SecretType, place_of
from postroad.vocabulary.events import Aggregate, EventName
from postroad.vocabulary.refusals import VersionConflict


def write_text(
    uow: UnitOfWork, ring: KeyRing, before: SecretRecord | None, at: tuple[str, str, str], text: bytes
) -> SecretRecord:
    """Adds or replaces the secret at (workspace, namespace, name).

    Raises VersionConflict where somebody else added it at the same time.
    """
    workspace_id, namespace, name = at
    if before is None:
        secret_id, version, created = uow.new_id(), 1, uow.now_ms
    else:
        secret_id, version, created = before.id, before.version + 1, before.created_at_ms
    sealed = seal(ring, place_of(workspace_id, secret_id, SecretType.TEXT, version), text)
    record = SecretRecord(
        secret_id, workspace_id, namespace, name, SecretType.TEXT, version, sealed, created, uow.now_ms
    )
    if before is not None:
        store.save(uow, record)
    elif not store.add(uow, record):
        raise VersionConflict(f"{namespace}/{name} was set by somebody else at the same time; read it again", head={})
    tell(uow, record, "REPLACED")
    return record


def remove(uow: UnitOfWork, record: SecretRecord) -> None:
    store.remove(uow, record.id)
    tell(uow, replace(record, version=record.version + 1), "DELETED")


def tell(uow: UnitOfWork, record: SecretRecord, operation: str) -> None:
    """The event and the audit row of a change: names, never the text or anything computed from it."""
    payload = {"namespace": record.namespace, "name": record.name, "operation": operation}
    aggregate = Aggregate("secret", record.id, record.version)
    uow.emit(EventName.SECRET_CHANGED, aggregate, payload, workspace_id=record.workspace_id)
    details = {"namespace": record.namespace, "name": record.name, "version": record.version}
    uow.audit(f"secret.{operation.lower()}", Resource(record.workspace_id, "secret", record.id), details=details)
