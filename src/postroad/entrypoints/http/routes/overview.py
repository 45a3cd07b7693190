"""The first page of a workspace: counters, runs under way, the last two weeks."""

from typing import Annotated

from fastapi import Query

from postroad.entrypoints.http.composition import HttpComposition
from postroad.entrypoints.http.conventions import Caller, Router, WorkspaceId, problems
from postroad.entrypoints.http.wire.overview import OverviewShown, overview_view
from postroad.reads.overview import get_overview


def add_routes(router: Router, _: HttpComposition) -> None:
    """GET /workspaces/{workspaceId}/overview."""

    @router.get("/workspaces/{workspaceId}/overview", responses=problems(403, 404))
    async def get_workspace_overview(
        caller: Caller,
        workspace_id: WorkspaceId,
        timezone: Annotated[str, Query(max_length=60, description="Whose days are counted.")] = "UTC",
    ) -> OverviewShown:
        """How the runs of the workspace stand, and how the last fourteen days were."""
        return overview_view(await caller.read(lambda reading: get_overview(reading, workspace_id, timezone)))
