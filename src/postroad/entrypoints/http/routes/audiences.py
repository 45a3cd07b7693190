"""Audiences: who is sent to; their snapshots and the recipients in them."""

from typing import Annotated

from fastapi import Path, Query, Response

from postroad.entrypoints.http.audiences import AudienceComposition
from postroad.entrypoints.http.conventions import (
    Caller,
    FiltersAsked,
    IfMatch,
    PageAsked,
    Router,
    WorkspaceId,
    path_part,
    problems,
    show_version,
)
from postroad.entrypoints.http.tables import CSV_ANSWER, csv_response, sender_of
from postroad.entrypoints.http.wire.audiences import (
    AudienceChanged,
    AudiencePage,
    AudienceShown,
    ImportShown,
    RowsShown,
    SnapshotPage,
    SnapshotShown,
    shown_audience,
    shown_import,
    shown_rows,
    shown_snapshot,
)
from postroad.kernel.pages import Page
from postroad.kernel.uow import Reading
from postroad.modules import audiences
from postroad.modules.audiences import Audience, AudienceAt, AudienceFilter

_ALL = "/workspaces/{workspaceId}/audiences"
_ONE = _ALL + "/{audienceId}"
_SNAPSHOT = _ONE + "/snapshots/{revision}"
AudienceId = Annotated[str, path_part("audienceId")]
Revision = Annotated[int, Path(ge=1, le=2**31 - 1, description="Counts from 1.")]
OfSource = Annotated[
    str | None,
    Query(alias="sourceType", max_length=40, description="Only what came from FILE, INLINE, QUERY, SYNTHETIC."),
]


def add_routes(router: Router, composition: AudienceComposition) -> None:
    """Below /workspaces/{workspaceId}/audiences."""
    _add_reading(router)
    _add_changing(router, composition)
    _add_ending(router, composition)
    _add_snapshots(router, composition)


def _add_reading(router: Router) -> None:
    @router.get(_ALL, responses=problems(404))
    async def list_audiences(
        caller: Caller, workspace_id: WorkspaceId, page: PageAsked, filters: FiltersAsked, source_type: OfSource = None
    ) -> AudiencePage:
        """Audiences, newest first, with how many there are of each status; archived ones only where asked for."""
        wanted = AudienceFilter(
            filters.name, filters.status, source_type, filters.created_after, filters.created_before
        )

        def listed(reading: Reading) -> tuple[Page[Audience], dict[str, int]]:
            found = audiences.list_audiences(reading, workspace_id, page, wanted)
            return found, dict(audiences.count_audiences(reading, workspace_id, wanted))

        found, counters = await caller.read(listed)
        return AudiencePage.of(
            {"items": [shown_audience(one) for one in found.items], "page": found, "counters": counters}
        )

    @router.get(_ONE, responses=problems(404))
    async def get_audience(
        caller: Caller, workspace_id: WorkspaceId, audience_id: AudienceId, response: Response
    ) -> AudienceShown:
        """One audience."""
        return _shown(
            response, await caller.read(lambda reading: audiences.get_audience(reading, workspace_id, audience_id))
        )


def _add_changing(router: Router, composition: AudienceComposition) -> None:
    @router.patch(_ONE, responses=problems(403, 404, 409, 412, 428))
    async def change_audience(
        caller: Caller,
        workspace_id: WorkspaceId,
        audience_id: AudienceId,
        if_match: IfMatch,
        body: AudienceChanged,
        *,
        response: Response,
    ) -> AudienceShown:
        """Renames it, or changes the query that the next refresh asks. Its recipients change by imports alone."""
        at, rules = AudienceAt(workspace_id, audience_id, if_match), composition.audiences.rules
        return _shown(
            response, await caller.write(lambda uow: audiences.change_audience(uow, at, body.change(), rules))
        )

    @router.post(_ONE + "/refresh", status_code=202, responses=problems(403, 404, 409))
    async def refresh_audience(caller: Caller, workspace_id: WorkspaceId, audience_id: AudienceId) -> ImportShown:
        """Asks its query again. The new snapshot commits by itself; where nobody is found the present one stays."""
        rules = composition.audiences.rules
        begun = await caller.write(lambda uow: audiences.refresh_audience(uow, workspace_id, audience_id, rules))
        return shown_import(begun)


def _add_ending(router: Router, composition: AudienceComposition) -> None:
    @router.delete(_ONE, responses=problems(403, 404, 409, 412, 428))
    async def archive_audience(
        caller: Caller, workspace_id: WorkspaceId, audience_id: AudienceId, if_match: IfMatch, response: Response
    ) -> AudienceShown:
        """Archives it: its runs stay, its name is free, its recipients go after thirty days without use.

        Refused while a job refers to it.
        """
        at = AudienceAt(workspace_id, audience_id, if_match)
        uses = composition.audiences.uses
        return _shown(response, await caller.write(lambda uow: audiences.archive_audience(uow, at, uses)))

    @router.post(_ONE + "/erase", status_code=204, responses=problems(403, 404, 409, 412, 428))
    async def erase_audience(
        caller: Caller, workspace_id: WorkspaceId, audience_id: AudienceId, if_match: IfMatch
    ) -> None:
        """Deletes it with all its recipients now. Refused while a job refers to it or a run sends to it."""
        at = AudienceAt(workspace_id, audience_id, if_match)
        parts = composition.audiences
        await caller.write(lambda uow: audiences.erase_audience(uow, at, parts.uses, parts.keeper))


def _add_snapshots(router: Router, composition: AudienceComposition) -> None:
    @router.get(_ONE + "/snapshots", responses=problems(404))
    async def list_snapshots(
        caller: Caller, workspace_id: WorkspaceId, audience_id: AudienceId, page: PageAsked
    ) -> SnapshotPage:
        """Its snapshots, the newest first."""
        found = await caller.read(lambda reading: audiences.list_snapshots(reading, workspace_id, audience_id, page))
        return SnapshotPage.of({"items": [shown_snapshot(one) for one in found.items], "page": found})

    @router.get(_SNAPSHOT, responses=problems(404))
    async def get_snapshot(
        caller: Caller, workspace_id: WorkspaceId, audience_id: AudienceId, revision: Revision
    ) -> SnapshotShown:
        """One snapshot, also when its recipients are deleted."""
        return shown_snapshot(
            await caller.read(lambda reading: audiences.get_snapshot(reading, workspace_id, audience_id, revision))
        )

    @router.get(_SNAPSHOT + "/rows", responses=problems(404, 409))
    async def list_rows(
        caller: Caller,
        workspace_id: WorkspaceId,
        audience_id: AudienceId,
        revision: Revision,
        *,
        first: Annotated[int, Query(ge=0, le=2**40, description="From this place on, counted from 0.")] = 0,
        limit: Annotated[int, Query(ge=1, le=500, description="How many at most.")] = 50,
    ) -> RowsShown:
        """Recipients as they stand in the snapshot."""
        showing, sender = composition.audiences.showing, sender_of(caller, workspace_id)
        found = await caller.run(lambda: showing.rows(sender, audience_id, revision, first=first, limit=limit))
        return shown_rows(found, first)

    @router.get(_SNAPSHOT + "/content.csv", response_class=Response, responses={**CSV_ANSWER, **problems(404, 409)})
    async def download_snapshot(
        caller: Caller, workspace_id: WorkspaceId, audience_id: AudienceId, revision: Revision
    ) -> Response:
        """All recipients as a CSV that a spreadsheet program cannot take for formulas. Audited."""
        showing, sender = composition.audiences.showing, sender_of(caller, workspace_id)
        file = await caller.run(lambda: showing.snapshot_csv(sender, audience_id, revision))
        return csv_response(file, f"audience-revision-{revision}.csv")


def _shown(response: Response, audience: Audience) -> AudienceShown:
    show_version(response, audience.version)
    return shown_audience(audience)
