"""The statements of `secret_records` and `secret_versions`."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, delete, insert, inspect, select, tuple_, update

from postroad.foundation.envelope import Sealed
from postroad.kernel.pages import Listing, Page
from postroad.kernel.tables import insert_for
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.secrets._tables import secret_records, secret_versions
from postroad.modules.secrets.model import SecretFilter, SecretRecord, SecretType, SecretVersion, SecretView

_R = secret_records.c
_V = secret_versions.c
_OPEN = ~_R.namespace.contains(":")


def add(uow: UnitOfWork, record: SecretRecord) -> bool:
    """False where somebody else added this name first; the row can be locked then."""
    statement = insert_for(uow.dialect_name, secret_records).values(id=record.id, **_values(record))
    added = uow.connection.execute(statement.on_conflict_do_nothing().returning(_R.id)).first() is not None
    if added:
        _note(uow, record)
    return added


def save(uow: UnitOfWork, record: SecretRecord) -> None:
    """Replaces what `lock` returned."""
    uow.connection.execute(update(secret_records).where(_R.id == record.id).values(**_values(record)))
    _note(uow, record)


def remove(uow: UnitOfWork, secret_id: str) -> None:
    uow.connection.execute(delete(secret_versions).where(_V.secret_id == secret_id))
    uow.connection.execute(delete(secret_records).where(_R.id == secret_id))


def find(reading: Reading, workspace_id: str, namespace: str, name: str) -> SecretRecord | None:
    statement = select(secret_records).where(*_is(workspace_id, namespace, name))
    row = reading.connection.execute(statement).mappings().first()
    return _record(row) if row else None


def lock(uow: UnitOfWork, workspace_id: str, namespace: str, name: str) -> SecretRecord | None:
    """The record, held until the end of the transaction."""
    statement = select(secret_records).where(*_is(workspace_id, namespace, name)).with_for_update()
    row = uow.connection.execute(statement).mappings().first()
    return _record(row) if row else None


def lock_namespace(uow: UnitOfWork, workspace_id: str, namespace: str) -> dict[str, SecretRecord]:
    """Name → record, held until the end of the transaction, always locked in the same order."""
    statement = (
        select(secret_records)
        .where(_R.workspace_id == workspace_id, _R.namespace == namespace)
        .order_by(_R.name)
        .with_for_update()
    )
    return {row["name"]: _record(row) for row in uow.connection.execute(statement).mappings()}


def at_places(
    reading: Reading, workspace_id: str, places: Collection[tuple[str, str]]
) -> dict[tuple[str, str], SecretRecord]:
    """Those of the (namespace, name) that are there."""
    if not places:
        return {}
    statement = select(secret_records).where(
        _R.workspace_id == workspace_id, tuple_(_R.namespace, _R.name).in_(sorted(set(places)))
    )
    records = [_record(row) for row in reading.connection.execute(statement).mappings()]
    return {(record.namespace, record.name): record for record in records}


def page(reading: Reading, listing: Listing, workspace_id: str, wanted: SecretFilter) -> Page[SecretView]:
    """Workspace secrets, newest first."""
    statement = _shown().where(*_wanted(workspace_id, wanted))
    rows = reading.connection.execute(listing.newest_first(statement, secret_records)).mappings().all()
    return listing.page([_view(row) for row in rows], lambda one: (one.created_at_ms, one.id))


def version(reading: Reading, secret_id: str, number: int) -> SecretVersion | None:
    """`is_current` is left to the caller."""
    statement = select(secret_versions).where(_V.secret_id == secret_id, _V.version == number)
    row = reading.connection.execute(statement).mappings().first()
    return SecretVersion(row["version"], row["updated_at_ms"], row["updated_by"], is_current=False) if row else None


def key_versions_in(connection: Connection) -> frozenset[str]:
    """The master keys that the stored secrets need; none where there are no tables yet.

    Asked at the start, before there is a unit of work.
    """
    if not inspect(connection).has_table(secret_records.name):
        return frozenset()
    return frozenset(connection.execute(select(_R.key_version).distinct()).scalars())


def lock_not_wrapped_by(uow: UnitOfWork, key_version: str, limit: int) -> Sequence[SecretRecord]:
    """Records whose key another master key wraps, held until the end; those that others hold are passed over."""
    statement = (
        select(secret_records)
        .where(_R.key_version != key_version)
        .order_by(_R.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return [_record(row) for row in uow.connection.execute(statement).mappings()]


def save_wrapping(uow: UnitOfWork, record: SecretRecord) -> None:
    """Keeps a key wrapped anew; nothing else of the record changes, not even its version."""
    statement = update(secret_records).where(_R.id == record.id, _R.version == record.version)
    uow.connection.execute(
        statement.values(key_version=record.sealed.key_version, wrapped_key=record.sealed.wrapped_key)
    )


def _note(uow: UnitOfWork, record: SecretRecord) -> None:
    noted = {"secret_id": record.id, "version": record.version, "updated_at_ms": record.updated_at_ms}
    uow.connection.execute(insert(secret_versions).values(**noted, updated_by=uow.principal.actor))


def _is(workspace_id: str, namespace: str, name: str) -> tuple[ColumnElement[bool], ...]:
    return (_R.workspace_id == workspace_id, _R.namespace == namespace, _R.name == name)


def _wanted(workspace_id: str, wanted: SecretFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [_R.workspace_id == workspace_id, _OPEN]
    if wanted.namespace is not None:
        conditions.append(_R.namespace == wanted.namespace)
    if wanted.name:
        conditions.append(_R.name.contains(wanted.name, autoescape=True))
    if wanted.created_after_ms is not None:
        conditions.append(_R.created_at_ms >= wanted.created_after_ms)
    if wanted.created_before_ms is not None:
        conditions.append(_R.created_at_ms < wanted.created_before_ms)
    return conditions


def _shown() -> Any:
    return select(_R.id, _R.workspace_id, _R.namespace, _R.name, _R.version, _R.created_at_ms, _R.updated_at_ms)


def _view(row: RowMapping) -> SecretView:
    return SecretView(**row)


def _values(record: SecretRecord) -> dict[str, Any]:
    return {
        "workspace_id": record.workspace_id,
        "namespace": record.namespace,
        "name": record.name,
        "type": record.type.value,
        "version": record.version,
        "algorithm": record.sealed.algorithm,
        "nonce": record.sealed.nonce,
        "ciphertext": record.sealed.ciphertext,
        "key_version": record.sealed.key_version,
        "wrapped_key": record.sealed.wrapped_key,
        "created_at_ms": record.created_at_ms,
        "updated_at_ms": record.updated_at_ms,
    }


def _record(row: RowMapping) -> SecretRecord:
    return SecretRecord(
        id=row["id"],
        workspace_id=row["workspace_id"],
        namespace=row["namespace"],
        name=row["name"],
        type=SecretType(row["type"]),
        version=row["version"],
        sealed=Sealed(row["algorithm"], row["nonce"], row["ciphertext"], row["key_version"], row["wrapped_key"]),
        created_at_ms=row["created_at_ms"],
        updated_at_ms=row["updated_at_ms"],
    )
