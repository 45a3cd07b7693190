"""Workspaces: the boundary that every other row belongs to.

Owns the table `workspaces`. A workspace has a name, a state and a policy of limits (0: none). It is never deleted:
archived, it can still be read, and nothing in it can be changed or started until a system administrator activates it.
Among active workspaces a name is unique, and at least one workspace is active once there is one.

Publishes `workspace.changed`.
"""

from postroad.modules.workspaces.commands import (
    ChangePolicy,
    MoveWorkspace,
    RenameWorkspace,
    change_policy,
    create_workspace,
    ensure_default_workspace,
    move_workspace,
    rename_workspace,
)
from postroad.modules.workspaces.model import Workspace, WorkspaceFilter, WorkspacePolicy, WorkspaceStatus
from postroad.modules.workspaces.queries import exists, get_workspace, list_workspaces, policy_of, require_active
from postroad.modules.workspaces.store import States

__all__ = [
    "ChangePolicy",
    "MoveWorkspace",
    "RenameWorkspace",
    "States",
    "Workspace",
    "WorkspaceFilter",
    "WorkspacePolicy",
    "WorkspaceStatus",
    "change_policy",
    "create_workspace",
    "ensure_default_workspace",
    "exists",
    "get_workspace",
    "list_workspaces",
    "move_workspace",
    "policy_of",
    "rename_workspace",
    "require_active",
]
