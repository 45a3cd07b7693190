"""The statements of the table `audience_imports`.

Reading an import is a lease: `reader` holds it until `lease_until_ms` under an `epoch` of its own. Whoever changes the
import, or takes it over, raises the epoch, and everything the former reader writes afterwards finds no row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, delete, insert, select, update

from postroad.kernel.pages import Listing, Page
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.audiences._tables import audience_imports
from postroad.modules.audiences.model import (
    IMPORT_OPEN,
    Import,
    ImportCause,
    ImportFilter,
    ImportState,
    Reason,
    Staged,
    Upload,
)
from postroad.modules.audiences.store.documents import (
    layout_from_json,
    layout_to_json,
    source_from_json,
    source_to_json,
)

_I = audience_imports.c


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads an import, and the number of the attempt."""

    name: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Claimed:
    found: Import
    reader: Reader
    tries: int
    """How often reading it was begun since it was last changed, this time included."""


def add(uow: UnitOfWork, made: Import) -> None:
    uow.connection.execute(
        insert(audience_imports).values(id=made.id, reader="", epoch=0, tries=0, lease_until_ms=0, **_values(made))
    )


def save(uow: UnitOfWork, changed: Import) -> None:
    """Replaces what `lock` returned and ends whatever reading is under way."""
    uow.connection.execute(
        update(audience_imports)
        .where(_I.id == changed.id)
        .values(reader="", epoch=_I.epoch + 1, tries=0, lease_until_ms=0, **_values(changed))
    )


def find(reading: Reading, workspace_id: str, import_id: str) -> Import | None:
    row = reading.connection.execute(select(audience_imports).where(*_is(workspace_id, import_id))).mappings().first()
    return _import(row) if row else None


def lock(uow: UnitOfWork, workspace_id: str, import_id: str) -> Import | None:
    """The import, held alone until the end of the transaction."""
    statement = select(audience_imports).where(*_is(workspace_id, import_id)).with_for_update()
    row = uow.connection.execute(statement).mappings().first()
    return _import(row) if row else None


def page(reading: Reading, listing: Listing, workspace_id: str, wanted: ImportFilter) -> Page[Import]:
    """Newest first."""
    statement = select(audience_imports).where(_I.workspace_id == workspace_id)
    if wanted.state:
        statement = statement.where(_I.state == wanted.state)
    if wanted.audience_id:
        statement = statement.where(_I.audience_id == wanted.audience_id)
    if wanted.created_after_ms is not None:
        statement = statement.where(_I.created_at_ms >= wanted.created_after_ms)
    if wanted.created_before_ms is not None:
        statement = statement.where(_I.created_at_ms < wanted.created_before_ms)
    rows = reading.connection.execute(listing.newest_first(statement, audience_imports)).mappings().all()
    return listing.page([_import(row) for row in rows], lambda one: (one.created_at_ms, one.id))


def all_of(uow: UnitOfWork, audience_id: str) -> tuple[Import, ...]:
    """The imports of an audience, held alone."""
    statement = select(audience_imports).where(_I.audience_id == audience_id).order_by(_I.id).with_for_update()
    return tuple(_import(row) for row in uow.connection.execute(statement).mappings())


def remove_all_of(uow: UnitOfWork, audience_id: str) -> None:
    uow.connection.execute(delete(audience_imports).where(_I.audience_id == audience_id))


def claim(uow: UnitOfWork, reader: str, lease_for_ms: int) -> Claimed | None:
    """The oldest UPLOADED import that nobody reads, with a new epoch. Two readers at once get two imports."""
    statement = (
        select(audience_imports)
        .where(_I.state == ImportState.UPLOADED, _I.lease_until_ms <= uow.now_ms)
        .order_by(_I.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    row = uow.connection.execute(statement).mappings().first()
    if row is None:
        return None
    epoch, tries = row["epoch"] + 1, row["tries"] + 1
    uow.connection.execute(
        update(audience_imports)
        .where(_I.id == row["id"])
        .values(
            reader=reader,
            epoch=epoch,
            tries=tries,
            lease_until_ms=uow.now_ms + lease_for_ms,
            rows_read=0,
            is_being_read=True,
        )
    )
    return Claimed(_import(row), Reader(reader, epoch), tries)


def has_waiting(reading: Reading) -> bool:
    """Whether `claim` would find something."""
    waiting = select(_I.id).where(_I.state == ImportState.UPLOADED, _I.lease_until_ms <= reading.now_ms).limit(1)
    return reading.connection.execute(waiting).first() is not None


def renew(uow: UnitOfWork, import_id: str, reader: Reader, rows_read: int, lease_for_ms: int) -> bool:
    """Keeps the lease and notes the progress. False where it is lost: reading must end."""
    statement = (
        update(audience_imports)
        .where(*_is_read_by(import_id, reader))
        .values(rows_read=rows_read, lease_until_ms=uow.now_ms + lease_for_ms)
    )
    return uow.connection.execute(statement).rowcount == 1


def give_back(uow: UnitOfWork, import_id: str, reader: Reader) -> None:
    """Lets somebody else read it at once, as if this attempt had not been."""
    uow.connection.execute(
        update(audience_imports)
        .where(*_is_read_by(import_id, reader))
        .values(reader="", lease_until_ms=0, is_being_read=False, rows_read=0, tries=_I.tries - 1)
    )


def lock_read(uow: UnitOfWork, import_id: str, reader: Reader) -> Import | None:
    """The import if this reader still holds it, held alone; None where it was changed, discarded or taken over."""
    statement = select(audience_imports).where(*_is_read_by(import_id, reader)).with_for_update()
    row = uow.connection.execute(statement).mappings().first()
    return _import(row) if row else None


def list_stale(reading: Reading, unchanged_since_ms: int, limit: int) -> tuple[tuple[str, str], ...]:
    """(workspace, id) of open imports that nobody reads and nobody has touched since then."""
    statement = (
        select(_I.workspace_id, _I.id)
        .where(_I.state.in_([state.value for state in IMPORT_OPEN]))
        .where(_I.updated_at_ms <= unchanged_since_ms, _I.lease_until_ms <= reading.now_ms)
        .order_by(_I.id)
        .limit(limit)
    )
    return tuple((row[0], row[1]) for row in reading.connection.execute(statement))


def used_artifacts(reading: Reading, artifact_ids: Sequence[str]) -> frozenset[str]:
    """Those of the artifacts that an import which is not over still needs."""
    wanted = set(artifact_ids)
    statement = select(audience_imports).where(_I.state.in_([state.value for state in IMPORT_OPEN]))
    found: set[str] = set()
    for row in reading.connection.execute(statement).mappings():
        found |= wanted.intersection(artifacts_of(_import(row)))
    return frozenset(found)


def artifacts_of(found: Import) -> tuple[str, ...]:
    """Every artifact an import has made."""
    upload = (found.upload.artifact_id,) if found.upload else ()
    return (*upload, *results_of(found))


def results_of(found: Import) -> tuple[str, ...]:
    """The artifacts that reading it made."""
    staged = (found.staged.artifact_id, found.staged.preview_artifact_id) if found.staged else ()
    errors = (found.errors_artifact_id,) if found.errors_artifact_id else ()
    return (*staged, *errors)


def _is(workspace_id: str, import_id: str) -> tuple[ColumnElement[bool], ...]:
    return (_I.workspace_id == workspace_id, _I.id == import_id)


def _is_read_by(import_id: str, reader: Reader) -> tuple[ColumnElement[bool], ...]:
    return (
        _I.id == import_id,
        _I.state == ImportState.UPLOADED,
        _I.reader == reader.name,
        _I.epoch == reader.epoch,
    )


def _values(made: Import) -> Mapping[str, Any]:
    return {
        "workspace_id": made.workspace_id,
        "audience_id": made.audience_id,
        "cause": made.cause.value,
        "source_type": made.source_type.value,
        "source": source_to_json(made.source),
        "layout": layout_to_json(made.layout),
        "state": made.state.value,
        "reason": asdict(made.reason) if made.reason else None,
        "rows_read": made.rows_read,
        "is_being_read": made.is_being_read,
        "upload": asdict(made.upload) if made.upload else None,
        "staged": asdict(made.staged) if made.staged else None,
        "errors_artifact_id": made.errors_artifact_id,
        "report": dict(made.report) if made.report is not None else None,
        "snapshot_id": made.snapshot_id,
        "created_by": made.created_by,
        "version": made.version,
        "created_at_ms": made.created_at_ms,
        "updated_at_ms": made.updated_at_ms,
    }


def _import(row: RowMapping) -> Import:
    return Import(
        id=row["id"],
        workspace_id=row["workspace_id"],
        audience_id=row["audience_id"],
        cause=ImportCause(row["cause"]),
        source=source_from_json(row["source_type"], row["source"]),
        layout=layout_from_json(row["layout"]),
        state=ImportState(row["state"]),
        reason=Reason(**row["reason"]) if row["reason"] else None,
        rows_read=row["rows_read"],
        is_being_read=row["is_being_read"],
        upload=Upload(**row["upload"]) if row["upload"] else None,
        staged=_staged(row["staged"]) if row["staged"] else None,
        errors_artifact_id=row["errors_artifact_id"],
        report=row["report"],
        snapshot_id=row["snapshot_id"],
        created_by=row["created_by"],
        version=row["version"],
        created_at_ms=row["created_at_ms"],
        updated_at_ms=row["updated_at_ms"],
    )


def _staged(kept: Mapping[str, Any]) -> Staged:
    return Staged(
        artifact_id=kept["artifact_id"],
        sha256=kept["sha256"],
        record_count=kept["record_count"],
        columns=tuple(kept["columns"]),
        aliases=tuple((name, column) for name, column in kept["aliases"]),
        key=tuple(kept["key"]),
        preview_artifact_id=kept["preview_artifact_id"],
    )
