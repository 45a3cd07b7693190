"""Setting and deleting secrets."""

from collections.abc import Mapping

from postroad.foundation.keyring import KeyRing
from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.versions import Expected, expect
from postroad.modules.secrets import store
from postroad.modules.secrets.model import (
    MOST_IN_A_SET,
    SecretChange,
    SecretOperation,
    SecretRecord,
    SecretView,
    checked_value,
    name_problems,
    refuse_names,
)
from postroad.modules.secrets.parts.needs import SecretUses
from postroad.modules.secrets.parts.sealing import remove, write_text
from postroad.spi.secret_references import account_namespace
from postroad.vocabulary.refusals import ResourceNotFound, StateConflict, ValidationFailed
from postroad.vocabulary.secret import Secret


def put_secret(
    uow: UnitOfWork, ring: KeyRing, at: tuple[str, str, str], value: Secret, expected: Expected
) -> SecretView:
    """Sets the workspace secret at (workspace, namespace, name); a new one expects no version.

    Raises ValidationFailed, PreconditionRequired, VersionConflict, ResourceNotFound for a version of what is not there.
    """
    workspace_id, namespace, name = at
    uow.authorize(Action.SECRETS_WRITE, Resource(workspace_id, "secret"))
    refuse_names(namespace, name)
    text = checked_value(value, "value")
    before = store.lock(uow, workspace_id, namespace, name)
    if before is not None:
        expect(before.version, expected, _head(before))
    elif expected.version is not None:
        raise _missing(namespace, name)
    return write_text(uow, ring, before, at, text).view


def delete_secret(uow: UnitOfWork, uses: SecretUses, at: tuple[str, str, str], expected: Expected) -> None:
    """Forgets a workspace secret for good. Raises StateConflict with what still names it."""
    workspace_id, namespace, name = at
    uow.authorize(Action.SECRETS_WRITE, Resource(workspace_id, "secret"))
    refuse_names(namespace, name)
    record = store.lock(uow, workspace_id, namespace, name)
    if record is None:
        raise _missing(namespace, name)
    expect(record.version, expected, _head(record))
    referrers = uses.of_secret(uow, workspace_id, namespace, name)
    if referrers:
        named = ", ".join(f"{each.kind} {each.name!r}" for each in referrers[:5])
        raise StateConflict(f"{namespace}/{name} is still named by {named}; change that first")
    remove(uow, record)


def change_set(
    uow: UnitOfWork, ring: KeyRing, workspace_id: str, account_id: str, changes: Mapping[str, SecretChange]
) -> None:
    """Makes the secrets of an account those of `changes`: REPLACE sets, KEEP leaves, what is not there goes.

    Raises ValidationFailed at `secrets.<name>` for a KEEP of what was never set, and for an unfit name or value.
    """
    uow.authorize(Action.SECRETS_WRITE, Resource(workspace_id, "secret"))
    namespace = account_namespace(account_id)
    kept = store.lock_namespace(uow, workspace_id, namespace)
    texts = _texts(changes, kept)
    for name in sorted(texts):
        write_text(uow, ring, kept.get(name), (workspace_id, namespace, name), texts[name])
    for name in sorted(kept.keys() - changes.keys()):
        remove(uow, kept[name])


def delete_set(uow: UnitOfWork, workspace_id: str, account_id: str) -> None:
    """Forgets all secrets of an account."""
    uow.authorize(Action.SECRETS_WRITE, Resource(workspace_id, "secret"))
    for record in store.lock_namespace(uow, workspace_id, account_namespace(account_id)).values():
        remove(uow, record)


def _texts(changes: Mapping[str, SecretChange], kept: Mapping[str, SecretRecord]) -> dict[str, bytes]:
    if len(changes) > MOST_IN_A_SET:
        raise ValidationFailed.of("secrets", "TOO_MANY", f"secrets: at most {MOST_IN_A_SET}, not {len(changes)}")
    texts = {}
    for name, change in changes.items():
        path = f"secrets.{name}"
        unfit = name_problems(name, path)
        if unfit:
            raise ValidationFailed(unfit[0].message, problems=unfit)
        if change.operation is SecretOperation.REPLACE:
            texts[name] = checked_value(change.value, path)
        elif change.value is not None:
            raise ValidationFailed.of(path, "SECRET_VALUE_UNEXPECTED", f"{path}: KEEP takes no value; say REPLACE")
        elif name not in kept:
            raise ValidationFailed.of(path, "SECRET_NOT_SET", f"{path}: there is nothing to KEEP yet; say REPLACE")
    return texts


def _head(record: SecretRecord) -> dict[str, object]:
    return {"updatedAtMs": record.updated_at_ms}


def _missing(namespace: str, name: str) -> ResourceNotFound:
    return ResourceNotFound(f"there is no secret {namespace}/{name}")
