"""What can be asked about workspaces."""

from dataclasses import asdict

from postroad.kernel.authz import Action, PrincipalKind, Resource
from postroad.kernel.pages import Listing, Page, PageRequest
from postroad.kernel.uow import Reading
from postroad.modules.workspaces import store
from postroad.modules.workspaces.model import Workspace, WorkspaceFilter, WorkspacePolicy
from postroad.vocabulary.refusals import AuthenticationRequired, ResourceNotFound


def list_workspaces(reading: Reading, page: PageRequest, wanted: WorkspaceFilter) -> Page[Workspace]:
    """The workspaces the principal is a member of, newest first; all of them for a system administrator."""
    principal = reading.principal
    if principal.kind is PrincipalKind.ANONYMOUS:
        raise AuthenticationRequired("sign in, or send a token as `Authorization: Bearer pst_…`")
    sees_all = principal.kind is PrincipalKind.SYSTEM or principal.system_admin
    listing = Listing.open(reading.cursors, page, Resource("", "workspaces", principal.user_id), asdict(wanted))
    among = None if sees_all else principal.roles.keys()
    rows = store.list_page(reading.connection, listing, wanted, among)
    return listing.page(rows, lambda row: (row.created_at_ms, row.id))


def get_workspace(reading: Reading, workspace_id: str) -> Workspace:
    """Raises ResourceNotFound for a stranger as for a workspace that is not there."""
    reading.authorize(Action.WORKSPACE_READ, Resource(workspace_id, "workspace", workspace_id))
    return found(store.find(reading.connection, workspace_id))


def policy_of(reading: Reading, workspace_id: str) -> WorkspacePolicy:
    """The limits, for those who keep them; asks for no right. Raises ResourceNotFound."""
    return found(store.find(reading.connection, workspace_id)).policy


def require_active(reading: Reading, workspace_id: str) -> None:
    """Asks for no right. Raises ResourceNotFound, or StateConflict for an archived workspace."""
    found(store.find(reading.connection, workspace_id)).require_active()


def exists(reading: Reading, workspace_id: str) -> bool:
    """Whether there is such a workspace in any state; asks for no right."""
    return store.find(reading.connection, workspace_id) is not None


def found(workspace: Workspace | None) -> Workspace:
    if workspace is None:
        raise ResourceNotFound("there is no such workspace, or you are not a member of it")
    return workspace
