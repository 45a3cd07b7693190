"""Members of a workspace, for its administrators."""

from typing import Annotated

from fastapi import Query, Response

from postroad.entrypoints.http.conventions import (
    Caller,
    IfMatch,
    PageAsked,
    Router,
    WorkspaceId,
    created,
    paged,
    path_part,
    problems,
    show_version,
)
from postroad.entrypoints.http.wire.administration.people import MemberAsked, MemberPage, MemberShown, RoleAsked
from postroad.modules import identity, workspaces
from postroad.modules.identity import UserStatus

UserId = Annotated[str, path_part("userId")]
_ALL = "/workspaces/{workspaceId}/members"
_ONE = f"{_ALL}/{{userId}}"


def add_routes(router: Router) -> None:
    """Below /workspaces/{workspaceId}/members."""
    _add_reading(router)
    _add_changing(router)


def _add_reading(router: Router) -> None:
    @router.get(_ALL, responses=problems(403, 404))
    async def list_members(
        caller: Caller,
        workspace_id: WorkspaceId,
        page: PageAsked,
        name: Annotated[str | None, Query(max_length=200, description="A part of the username.")] = None,
        status: UserStatus | None = None,
    ) -> MemberPage:
        """The members of a workspace, who came last first."""
        wanted = identity.UserFilter(name, status)
        found = await caller.read(lambda reading: identity.list_members(reading, workspace_id, page, wanted))
        return MemberPage.of(paged(found))

    @router.get(_ONE, responses=problems(403, 404))
    async def get_member(caller: Caller, workspace_id: WorkspaceId, user_id: UserId, response: Response) -> MemberShown:
        """One member."""
        member = await caller.read(lambda reading: identity.get_member(reading, workspace_id, user_id))
        show_version(response, member.version)
        return MemberShown.of(member)


def _add_changing(router: Router) -> None:
    @router.post(_ALL, status_code=201, responses=problems(403, 404, 409))
    async def add_member(
        caller: Caller, workspace_id: WorkspaceId, body: MemberAsked, response: Response
    ) -> MemberShown:
        """Adds a user, named by the exact username."""
        ask = identity.AddMember(workspace_id, body.username, body.role)
        member = await caller.write(lambda uow: identity.add_member(uow, ask, workspaces))
        created(response, f"/api/v1/workspaces/{workspace_id}/members/{member.user_id}", member.version)
        return MemberShown.of(member)

    @router.put(_ONE, responses=problems(403, 404, 412, 428))
    async def change_role(
        caller: Caller,
        workspace_id: WorkspaceId,
        user_id: UserId,
        if_match: IfMatch,
        *,
        body: RoleAsked,
        response: Response,
    ) -> MemberShown:
        """Gives a member another role, from the next request on; tokens of the member shrink with it."""
        ask = identity.ChangeRole(workspace_id, user_id, body.role, if_match)
        member = await caller.write(lambda uow: identity.change_role(uow, ask))
        show_version(response, member.version)
        return MemberShown.of(member)

    @router.delete(_ONE, status_code=204, responses=problems(403, 404, 412, 428))
    async def remove_member(caller: Caller, workspace_id: WorkspaceId, user_id: UserId, if_match: IfMatch) -> None:
        """Takes a member out of the workspace; tokens of the member for it end."""
        await caller.write(lambda uow: identity.remove_member(uow, workspace_id, user_id, if_match))
