"""What became of everybody: items, exports, the signed receipt."""

from typing import Annotated, Any

from fastapi import Query, Response

from postroad.entrypoints.http.conventions import Caller, Router, WorkspaceId, created, problems
from postroad.entrypoints.http.routes.runs.paths import ONE, RunId
from postroad.entrypoints.http.runs import RunComposition
from postroad.entrypoints.http.wire.runs.results import (
    ExportAsked,
    ExportShown,
    ItemPageShown,
    shown_items,
)
from postroad.flows import run_results
from postroad.flows.run_results import ItemFilter, ItemsAsk
from postroad.kernel.pages import PageRequest
from postroad.vocabulary.outcomes import Outcome

_MOST = 500
OfOutcome = Annotated[list[Outcome] | None, Query(description="Only of one of these outcomes; may be repeated.")]
Text = Annotated[
    str, Query(max_length=200, description="Only where a field, the code, the request id or the summary has this.")
]
First = Annotated[int, Query(ge=0, description="Only from this sequence on.")]
End = Annotated[int | None, Query(ge=1, description="Only before this sequence.")]
Limit = Annotated[int, Query(ge=1, le=_MOST, description="How many at most.")]
Cursor = Annotated[
    str | None, Query(max_length=1024, description="`nextCursor` of the page before, with the same filters.")
]


def add_routes(router: Router, composition: RunComposition) -> None:
    @router.get(ONE + "/items", responses=problems(404, 409))
    async def list_run_items(
        caller: Caller,
        workspace_id: WorkspaceId,
        run_id: RunId,
        outcome: OfOutcome = None,
        text: Text = "",
        *,
        first: First = 0,
        end: End = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> ItemPageShown:
        """What became of each recipient, in the order of the audience."""
        wanted = ItemFilter(frozenset(outcome or ()), text, first, end)
        ask = ItemsAsk(workspace_id, run_id, wanted, PageRequest(limit, cursor, most=_MOST))
        needs = composition.runs.results
        return shown_items(await caller.run(lambda: run_results.list_run_items(caller.principal, ask, needs)))

    @router.post(ONE + "/artifacts/result-export", status_code=201, responses=problems(403, 404, 409))
    async def export_run_results(
        caller: Caller, workspace_id: WorkspaceId, run_id: RunId, body: ExportAsked, response: Response
    ) -> ExportShown:
        """Makes a CSV of the chosen items, kept as a file for a day."""
        ask = body.ask(workspace_id, run_id)
        kept = await caller.run(lambda: run_results.export_results(caller.principal, ask, composition.runs.results))
        url = f"/api/v1/workspaces/{workspace_id}/artifacts/{kept.artifact_id}"
        created(response, url)
        return ExportShown(
            artifact_id=kept.artifact_id,
            size_bytes=kept.size_bytes,
            sha256=kept.sha256,
            links={"self": url, "content": f"{url}/content"},
        )

    @router.get(ONE + "/receipt", responses=problems(404, 409))
    async def get_run_receipt(caller: Caller, workspace_id: WorkspaceId, run_id: RunId) -> dict[str, Any]:
        """The signed statement of what the run did. Check it with the service's public key, got elsewhere."""
        needs = composition.runs.results
        found = await caller.run(lambda: run_results.read_receipt(caller.principal, workspace_id, run_id, needs))
        return found.content
