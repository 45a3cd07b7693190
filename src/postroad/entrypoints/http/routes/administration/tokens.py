"""API tokens of a workspace: everybody's own, and for administrators all of them. Only with a session."""

from typing import Annotated

from fastapi import Query, Response

from postroad.entrypoints.http.conventions import (
    Caller,
    PageAsked,
    Router,
    WorkspaceId,
    created,
    path_part,
    problems,
    show_version,
)
from postroad.entrypoints.http.wire.administration.tokens import (
    TokenAsked,
    TokenIssued,
    TokenPage,
    TokenShown,
    token_view,
)
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules import identity
from postroad.modules.identity import TokenFilter, TokenStatus

TokenId = Annotated[str, path_part("tokenId")]
_ALL = "/workspaces/{workspaceId}/api-tokens"
_ONE = f"{_ALL}/{{tokenId}}"


def add_routes(router: Router) -> None:
    """Below /workspaces/{workspaceId}/api-tokens."""
    _add_reading(router)
    _add_changing(router)


def _add_reading(router: Router) -> None:
    @router.get(_ALL, responses=problems(403, 404))
    async def list_tokens(
        caller: Caller,
        workspace_id: WorkspaceId,
        page: PageAsked,
        name: Annotated[str | None, Query(max_length=200, description="Only names that contain this.")] = None,
        status: TokenStatus | None = None,
    ) -> TokenPage:
        """One's own tokens, newest first; those of everybody for an administrator."""

        def work(reading: Reading) -> dict[str, object]:
            found = identity.list_tokens(reading, workspace_id, page, TokenFilter(name=name, status=status))
            return {"items": [token_view(token, reading.now_ms) for token in found.items], "page": found}

        return TokenPage.of(await caller.read(work))

    @router.get(_ONE, responses=problems(403, 404))
    async def get_token(caller: Caller, workspace_id: WorkspaceId, token_id: TokenId, response: Response) -> TokenShown:
        """One token, without the token."""

        def work(reading: Reading) -> TokenShown:
            return TokenShown.at(identity.get_token(reading, workspace_id, token_id), reading.now_ms)

        shown = await caller.read(work)
        show_version(response, shown.version)
        return shown


def _add_changing(router: Router) -> None:
    @router.post(_ONE + "/enable", responses=problems(403, 404))
    async def enable_token(
        caller: Caller, workspace_id: WorkspaceId, token_id: TokenId, response: Response
    ) -> TokenShown:
        """Enables a token of one's own again that was disabled after refused calls of the open API."""

        def work(uow: UnitOfWork) -> TokenShown:
            return TokenShown.at(identity.enable_token(uow, workspace_id, token_id), uow.now_ms)

        shown = await caller.write(work)
        show_version(response, shown.version)
        return shown

    @router.post(_ALL, status_code=201, responses=problems(403, 404, 409))
    async def issue_token(
        caller: Caller, workspace_id: WorkspaceId, body: TokenAsked, response: Response
    ) -> TokenIssued:
        """Makes a token of one's own for this workspace. It is shown this once."""
        ask = identity.IssueToken(workspace_id, body.name, body.scopes, body.expires_in_days)

        def work(uow: UnitOfWork) -> TokenIssued:
            issued = identity.issue_token(uow, ask)
            return TokenIssued.of({**token_view(issued.token, uow.now_ms), "token": issued.secret.reveal()})

        made = await caller.write(work)
        created(response, f"/api/v1/workspaces/{workspace_id}/api-tokens/{made.id}", made.version)
        return made

    @router.delete(_ONE, responses=problems(403, 404))
    async def revoke_token(
        caller: Caller, workspace_id: WorkspaceId, token_id: TokenId, response: Response
    ) -> TokenShown:
        """Ends a token, from the next request on. It may be repeated and needs no If-Match."""

        def work(uow: UnitOfWork) -> TokenShown:
            return TokenShown.at(identity.revoke_token(uow, workspace_id, token_id), uow.now_ms)

        shown = await caller.write(work)
        show_version(response, shown.version)
        return shown
