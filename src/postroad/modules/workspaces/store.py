"""The only SQL that writes workspaces."""

from collections.abc import Collection, Sequence
from dataclasses import asdict

from sqlalchemy import Connection, RowMapping, bindparam, exists, insert, select, update
from sqlalchemy.exc import IntegrityError

from postroad.kernel.pages import Listing
from postroad.modules.workspaces._tables import workspaces
from postroad.modules.workspaces.model import Workspace, WorkspaceFilter, WorkspacePolicy, WorkspaceStatus
from postroad.vocabulary.names import name_key
from postroad.vocabulary.refusals import StateConflict

_T = workspaces.c
_STATUS = select(_T.status).where(_T.id == bindparam("wanted"))


class States:
    """The kernel's `WorkspaceStates`."""

    def state(self, connection: Connection, workspace_id: str) -> str | None:
        found: str | None = connection.execute(_STATUS, {"wanted": workspace_id}).scalar_one_or_none()
        return found


def add(connection: Connection, workspace: Workspace) -> None:
    """Raises StateConflict where an active workspace has the name."""
    try:
        connection.execute(insert(workspaces).values(id=workspace.id, **_values(workspace)))
    except IntegrityError as error:
        raise _taken(workspace.name) from error


def save(connection: Connection, workspace: Workspace) -> None:
    """Writes it over the row that `lock` gave. Raises StateConflict where an active workspace has the name."""
    try:
        connection.execute(update(workspaces).where(_T.id == workspace.id).values(**_values(workspace)))
    except IntegrityError as error:
        raise _taken(workspace.name) from error


def find(connection: Connection, workspace_id: str) -> Workspace | None:
    return _one(connection.execute(select(workspaces).where(_T.id == workspace_id)).mappings().first())


def lock(connection: Connection, workspace_id: str) -> Workspace | None:
    """As `find`; others that lock it wait until this transaction ends."""
    statement = select(workspaces).where(_T.id == workspace_id).with_for_update()
    return _one(connection.execute(statement).mappings().first())


def has_any(connection: Connection) -> bool:
    return bool(connection.execute(select(exists(select(_T.id)))).scalar())


def lock_active(connection: Connection, limit: int) -> Sequence[str]:
    """Ids of active workspaces. Of two transactions that ask at once the second sees what the first left."""
    statement = select(_T.id).where(_T.status == WorkspaceStatus.ACTIVE.value).order_by(_T.id).limit(limit)
    return connection.execute(statement.with_for_update()).scalars().all()


def list_page(
    connection: Connection, listing: Listing, wanted: WorkspaceFilter, among: Collection[str] | None
) -> Sequence[Workspace]:
    """At most `listing.rows_wanted`, newest first; only those with an id `among`, or all for None."""
    statement = select(workspaces)
    if among is not None:
        statement = statement.where(_T.id.in_(sorted(among)))
    if wanted.name:
        statement = statement.where(_T.name_key.contains(name_key(wanted.name), autoescape=True))
    if wanted.status:
        statement = statement.where(_T.status == wanted.status)
    if wanted.created_after_ms is not None:
        statement = statement.where(_T.created_at_ms >= wanted.created_after_ms)
    if wanted.created_before_ms is not None:
        statement = statement.where(_T.created_at_ms < wanted.created_before_ms)
    rows = connection.execute(listing.newest_first(statement, workspaces)).mappings()
    return [_workspace(row) for row in rows]


def _values(workspace: Workspace) -> dict[str, object]:
    return {
        "name": workspace.name,
        "name_key": name_key(workspace.name),
        "status": workspace.status.value,
        **asdict(workspace.policy),
        "version": workspace.version,
        "created_at_ms": workspace.created_at_ms,
        "updated_at_ms": workspace.updated_at_ms,
    }


def _one(row: RowMapping | None) -> Workspace | None:
    return None if row is None else _workspace(row)


def _workspace(row: RowMapping) -> Workspace:
    return Workspace(
        id=row["id"],
        name=row["name"],
        status=WorkspaceStatus(row["status"]),
        policy=WorkspacePolicy(
            max_concurrent_runs=row["max_concurrent_runs"],
            max_total_concurrency=row["max_total_concurrency"],
            artifact_quota_bytes=row["artifact_quota_bytes"],
            artifact_retention_seconds=row["artifact_retention_seconds"],
            max_workers=row["max_workers"],
        ),
        version=row["version"],
        created_at_ms=row["created_at_ms"],
        updated_at_ms=row["updated_at_ms"],
    )


def _taken(name: str) -> StateConflict:
    return StateConflict(f"an active workspace is called {name} already; choose another name", field="name")
