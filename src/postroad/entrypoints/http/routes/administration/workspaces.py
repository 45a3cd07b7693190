"""Workspaces: the pattern of a route file. Each route parses, calls one use case and presents."""

from dataclasses import astuple

from fastapi import Response

from postroad.entrypoints.http.conventions import (
    Caller,
    CallerOf,
    FiltersAsked,
    IfMatch,
    PageAsked,
    Router,
    WorkspaceId,
    created,
    paged,
    problems,
    show_version,
)
from postroad.entrypoints.http.wire.administration.workspaces import (
    PolicyAsked,
    WorkspaceNamed,
    WorkspacePage,
    WorkspaceShown,
)
from postroad.kernel.versions import Expected
from postroad.modules import workspaces
from postroad.modules.workspaces import WorkspaceStatus

_ONE = "/workspaces/{workspaceId}"


def add_routes(router: Router) -> None:
    """Below /workspaces."""
    _add_reading(router)
    _add_changing(router)


def _add_reading(router: Router) -> None:
    @router.get("/workspaces")
    async def list_workspaces(caller: Caller, page: PageAsked, filters: FiltersAsked) -> WorkspacePage:
        """The workspaces one is a member of, newest first."""
        wanted = workspaces.WorkspaceFilter(*astuple(filters))
        found = await caller.read(lambda reading: workspaces.list_workspaces(reading, page, wanted))
        return WorkspacePage.of(paged(found))

    @router.get(_ONE, responses=problems(404))
    async def get_workspace(caller: Caller, workspace_id: WorkspaceId, response: Response) -> WorkspaceShown:
        """One workspace."""
        return _shown(response, await caller.read(lambda reading: workspaces.get_workspace(reading, workspace_id)))


def _add_changing(router: Router) -> None:
    @router.post("/workspaces", status_code=201, responses=problems(403, 409))
    async def create_workspace(caller: Caller, body: WorkspaceNamed, response: Response) -> WorkspaceShown:
        """Makes a workspace. Only for a system administrator."""
        made = await caller.write(lambda uow: workspaces.create_workspace(uow, body.name))
        created(response, f"/api/v1/workspaces/{made.id}", made.version)
        return WorkspaceShown.of(made)

    @router.patch(_ONE, responses=problems(403, 404, 409, 412, 428))
    async def rename_workspace(
        caller: Caller, workspace_id: WorkspaceId, if_match: IfMatch, body: WorkspaceNamed, response: Response
    ) -> WorkspaceShown:
        """Gives a workspace another name."""
        ask = workspaces.RenameWorkspace(workspace_id, body.name, if_match)
        return _shown(response, await caller.write(lambda uow: workspaces.rename_workspace(uow, ask)))

    @router.put(f"{_ONE}/policy", responses=problems(403, 404, 409, 412, 428))
    async def change_policy(
        caller: Caller, workspace_id: WorkspaceId, if_match: IfMatch, body: PolicyAsked, response: Response
    ) -> WorkspaceShown:
        """Replaces all limits of a workspace. What already runs keeps what it was given."""
        ask = workspaces.ChangePolicy(workspace_id, body.policy(), if_match)
        return _shown(response, await caller.write(lambda uow: workspaces.change_policy(uow, ask)))

    @router.post(f"{_ONE}/archive", responses=problems(403, 404, 409, 412, 428))
    async def archive_workspace(
        caller: Caller, workspace_id: WorkspaceId, if_match: IfMatch, response: Response
    ) -> WorkspaceShown:
        """Stops all changes in a workspace; it can still be read. Only for a system administrator."""
        return await _move(caller, response, workspace_id, WorkspaceStatus.ARCHIVED, if_match)

    @router.post(f"{_ONE}/activate", responses=problems(403, 404, 409, 412, 428))
    async def activate_workspace(
        caller: Caller, workspace_id: WorkspaceId, if_match: IfMatch, response: Response
    ) -> WorkspaceShown:
        """Ends the archiving of a workspace. Only for a system administrator."""
        return await _move(caller, response, workspace_id, WorkspaceStatus.ACTIVE, if_match)


async def _move(
    caller: CallerOf, response: Response, workspace_id: str, to: WorkspaceStatus, expected: Expected
) -> WorkspaceShown:
    ask = workspaces.MoveWorkspace(workspace_id, to, expected)
    return _shown(response, await caller.write(lambda uow: workspaces.move_workspace(uow, ask)))


def _shown(response: Response, view: workspaces.Workspace) -> WorkspaceShown:
    show_version(response, view.version)
    return WorkspaceShown.of(view)
