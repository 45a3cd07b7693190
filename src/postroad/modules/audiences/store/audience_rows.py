"""The statements of the table `audiences`."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, delete, insert, select, update

from postroad.kernel import named
from postroad.kernel.named import fitting, names_are_unique, of_name, one_row
from postroad.kernel.pages import Listing, Page
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.audiences._tables import audiences
from postroad.modules.audiences.model import Audience, AudienceFilter, AudienceStatus
from postroad.modules.audiences.store.documents import (
    layout_from_json,
    layout_to_json,
    source_from_json,
    source_to_json,
)
from postroad.vocabulary.names import name_key

_A = audiences.c


def add(uow: UnitOfWork, audience: Audience) -> None:
    """Raises ValidationFailed where the name is taken."""
    with names_are_unique("audience"):
        uow.connection.execute(insert(audiences).values(id=audience.id, **_values(audience)))


def save(uow: UnitOfWork, audience: Audience) -> None:
    """Replaces what `lock` returned. Raises ValidationFailed where the name is taken."""
    with names_are_unique("audience"):
        uow.connection.execute(update(audiences).where(_A.id == audience.id).values(**_values(audience)))


def remove(uow: UnitOfWork, audience_id: str) -> None:
    """Its snapshots and imports must be gone."""
    uow.connection.execute(delete(audiences).where(_A.id == audience_id))


def find(reading: Reading, workspace_id: str, audience_id: str) -> Audience | None:
    row = (
        reading.connection.execute(select(audiences).where(*one_row(audiences, workspace_id, audience_id)))
        .mappings()
        .first()
    )
    return _audience(row) if row else None


def find_by_name(reading: Reading, workspace_id: str, name: str) -> Audience | None:
    """Of those that are not archived."""
    row = (
        reading.connection.execute(select(audiences).where(*of_name(audiences, workspace_id, name))).mappings().first()
    )
    return _audience(row) if row else None


def lock(uow: UnitOfWork, workspace_id: str, audience_id: str, *, to_change: bool = True) -> Audience | None:
    """The audience, held until the end of the transaction: alone to change it, together with others to refer to it."""
    statement = (
        select(audiences).where(*one_row(audiences, workspace_id, audience_id)).with_for_update(read=not to_change)
    )
    row = uow.connection.execute(statement).mappings().first()
    return _audience(row) if row else None


def page(reading: Reading, listing: Listing, workspace_id: str, wanted: AudienceFilter) -> Page[Audience]:
    """Newest first."""
    statement = select(audiences).where(*_wanted(workspace_id, wanted))
    if wanted.status:
        statement = statement.where(_A.status == wanted.status)
    else:
        statement = statement.where(_A.status != AudienceStatus.ARCHIVED)
    rows = reading.connection.execute(listing.newest_first(statement, audiences)).mappings().all()
    return listing.page([_audience(row) for row in rows], lambda one: (one.created_at_ms, one.id))


def count_by_status(reading: Reading, workspace_id: str, wanted: AudienceFilter) -> dict[str, int]:
    """How many fit all of the filter but its status, by status."""
    return named.count_by_status(reading, audiences, _wanted(workspace_id, wanted))


def _wanted(workspace_id: str, wanted: AudienceFilter) -> list[ColumnElement[bool]]:
    conditions = fitting(audiences, workspace_id, wanted)
    if wanted.source_type:
        conditions.append(_A.source_type == wanted.source_type)
    return conditions


def _values(audience: Audience) -> Mapping[str, Any]:
    return {
        "workspace_id": audience.workspace_id,
        "name": audience.name,
        "name_key": name_key(audience.name),
        "source_type": audience.source_type.value,
        "source": source_to_json(audience.source),
        "layout": layout_to_json(audience.layout),
        "status": audience.status.value,
        "snapshot_id": audience.snapshot_id,
        "snapshot_revision": audience.snapshot_revision,
        "record_count": audience.record_count,
        "created_by": audience.created_by,
        "version": audience.version,
        "created_at_ms": audience.created_at_ms,
        "updated_at_ms": audience.updated_at_ms,
    }


def _audience(row: RowMapping) -> Audience:
    return Audience(
        id=row["id"],
        workspace_id=row["workspace_id"],
        name=row["name"],
        source=source_from_json(row["source_type"], row["source"]),
        layout=layout_from_json(row["layout"]),
        status=AudienceStatus(row["status"]),
        snapshot_id=row["snapshot_id"],
        snapshot_revision=row["snapshot_revision"],
        record_count=row["record_count"],
        created_by=row["created_by"],
        version=row["version"],
        created_at_ms=row["created_at_ms"],
        updated_at_ms=row["updated_at_ms"],
    )
