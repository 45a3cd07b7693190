"""What can be done to workspaces."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from postroad.kernel.authz import Action, PrincipalKind, Resource
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.versions import Expected, expect
from postroad.modules.workspaces import store
from postroad.modules.workspaces.model import (
    DEFAULT_NAME,
    Workspace,
    WorkspacePolicy,
    WorkspaceStatus,
    changed_limits,
)
from postroad.modules.workspaces.queries import found
from postroad.vocabulary.events import Aggregate, EventName
from postroad.vocabulary.names import resource_name
from postroad.vocabulary.refusals import AccessDenied, StateConflict


@dataclass(frozen=True, slots=True)
class RenameWorkspace:
    workspace_id: str
    name: str
    expected: Expected


@dataclass(frozen=True, slots=True)
class ChangePolicy:
    workspace_id: str
    policy: WorkspacePolicy
    expected: Expected


@dataclass(frozen=True, slots=True)
class MoveWorkspace:
    """Archive a workspace, or activate it again."""

    workspace_id: str
    to: WorkspaceStatus
    expected: Expected


def create_workspace(uow: UnitOfWork, name: str) -> Workspace:
    """Makes an empty workspace without limits. Only for a system administrator."""
    uow.authorize(Action.SYSTEM_ADMIN, Resource("", "workspace"))
    return _create(uow, resource_name(name))


def ensure_default_workspace(uow: UnitOfWork) -> Workspace | None:
    """Makes the first workspace where there is none, and returns it then. Only the service itself calls this.

    Two services that start at once on one PostgreSQL: the second one gets StateConflict and may go on.
    """
    if uow.principal.kind is not PrincipalKind.SYSTEM:
        raise AccessDenied("only the service itself makes the first workspace")
    return None if store.has_any(uow.connection) else _create(uow, DEFAULT_NAME)


def rename_workspace(uow: UnitOfWork, ask: RenameWorkspace) -> Workspace:
    workspace = _locked(uow, Action.WORKSPACE_WRITE, ask.workspace_id, ask.expected)
    workspace.require_active()
    name = resource_name(ask.name)
    return _changed(uow, workspace, replace(workspace, name=name), "rename", {"name": name})


def change_policy(uow: UnitOfWork, ask: ChangePolicy) -> Workspace:
    """Replaces all limits. What already runs keeps what it was given."""
    workspace = _locked(uow, Action.WORKSPACE_WRITE, ask.workspace_id, ask.expected)
    workspace.require_active()
    limits = changed_limits(workspace.policy, ask.policy.validated())
    return _changed(uow, workspace, replace(workspace, policy=ask.policy), "policy", limits)


def move_workspace(uow: UnitOfWork, ask: MoveWorkspace) -> Workspace:
    """Only for a system administrator. The last active workspace stays active."""
    workspace = _locked(uow, Action.SYSTEM_ADMIN, ask.workspace_id, ask.expected)
    if workspace.status is ask.to:
        return workspace
    if ask.to is WorkspaceStatus.ARCHIVED and len(store.lock_active(uow.connection, 2)) < 2:
        raise StateConflict("this is the only active workspace; make another one before you archive it")
    change = "archive" if ask.to is WorkspaceStatus.ARCHIVED else "activate"
    return _changed(uow, workspace, replace(workspace, status=ask.to), change, {})


def _create(uow: UnitOfWork, name: str) -> Workspace:
    workspace = Workspace(
        id=uow.new_id(),
        name=name,
        status=WorkspaceStatus.ACTIVE,
        policy=WorkspacePolicy(),
        version=1,
        created_at_ms=uow.now_ms,
        updated_at_ms=uow.now_ms,
    )
    store.add(uow.connection, workspace)
    _tell(uow, workspace, "create", {"name": name})
    return workspace


def _locked(uow: UnitOfWork, action: Action, workspace_id: str, expected: Expected) -> Workspace:
    uow.authorize(action, Resource(workspace_id, "workspace", workspace_id))
    workspace = found(store.lock(uow.connection, workspace_id))
    expect(workspace.version, expected, workspace.head)
    return workspace


def _changed(
    uow: UnitOfWork, before: Workspace, after: Workspace, change: str, details: Mapping[str, object]
) -> Workspace:
    """Saves and tells; a change that changes nothing makes no new version."""
    if after == before:
        return before
    after = replace(after, version=before.version + 1, updated_at_ms=uow.now_ms)
    store.save(uow.connection, after)
    _tell(uow, after, change, details)
    return after


def _tell(uow: UnitOfWork, workspace: Workspace, change: str, details: Mapping[str, object]) -> None:
    aggregate = Aggregate("workspace", workspace.id, workspace.version)
    payload = {"change": change, "status": workspace.status.value, **details}
    uow.emit(EventName.WORKSPACE_CHANGED, aggregate, payload, workspace_id=workspace.id)
    uow.audit(f"workspace.{change}", Resource(workspace.id, "workspace", workspace.id), details=details)
