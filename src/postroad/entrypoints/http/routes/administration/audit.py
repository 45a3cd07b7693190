"""The audit: of a workspace for its administrators, of everything for system administrators; listed and exported.

An export is a stream of parts, each read in a transaction of its own: it may be longer than memory, holds no connection
while a slow client takes it, and ends early where the right to read was taken away.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Query
from fastapi.responses import StreamingResponse

from postroad.entrypoints.http.conventions import (
    Caller,
    CallerOf,
    GivenInstant,
    PageAsked,
    Router,
    WorkspaceId,
    paged,
    problems,
)
from postroad.entrypoints.http.wire.administration.audit import AuditPage, csv_heading, csv_lines, json_lines
from postroad.kernel.pages import Page, Position
from postroad.modules import audit
from postroad.modules.audit import AuditEvent, AuditFilter, AuditResult

_IN_WORKSPACE = "/workspaces/{workspaceId}/audit-events"
_EVERYWHERE = "/audit-events"


class ExportFormat(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"


@dataclass(frozen=True, slots=True)
class AuditFilters:
    actor_id: Annotated[str | None, Query(alias="actorId", max_length=128, description="Id of a user or token.")] = None
    action: Annotated[
        str | None, Query(max_length=64, description="A whole action, or its beginning and `*`: `token.*`.")
    ] = None
    resource_type: Annotated[str | None, Query(alias="resourceType", max_length=64)] = None
    resource_id: Annotated[str | None, Query(alias="resourceId", max_length=128)] = None
    result: AuditResult | None = None
    after: Annotated[
        GivenInstant | None, Query(alias="occurredAfter", description="Only what happened at or after this time.")
    ] = None
    before: Annotated[
        GivenInstant | None, Query(alias="occurredBefore", description="Only what happened before this time.")
    ] = None

    @property
    def wanted(self) -> AuditFilter:
        return AuditFilter(
            self.actor_id, self.action, self.resource_type, self.resource_id, self.result, self.after, self.before
        )


FiltersAsked = Annotated[AuditFilters, Depends()]
FormatAsked = Annotated[ExportFormat, Query(alias="format")]
_MEDIA = {ExportFormat.CSV: "text/csv; charset=utf-8", ExportFormat.JSONL: "application/x-ndjson"}
_EXPORT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "All that fits, newest first",
        "content": {media.split(";", maxsplit=1)[0]: {"schema": {"type": "string"}} for media in _MEDIA.values()},
    }
}


def add_routes(router: Router) -> None:
    """Below /audit-events and /workspaces/{workspaceId}/audit-events."""
    _add_of_workspace(router)
    _add_of_everything(router)


def _add_of_workspace(router: Router) -> None:
    @router.get(_IN_WORKSPACE, responses=problems(403, 404))
    async def list_audit_events(
        caller: Caller, workspace_id: WorkspaceId, page: PageAsked, filters: FiltersAsked
    ) -> AuditPage:
        """What was done and refused in a workspace, newest first."""
        wanted = filters.wanted
        return _shown(await caller.read(lambda reading: audit.list_audit_events(reading, workspace_id, page, wanted)))

    @router.get(
        f"{_IN_WORKSPACE}/export", response_class=StreamingResponse, responses={**_EXPORT, **problems(403, 404)}
    )
    async def export_audit_events(
        caller: Caller, workspace_id: WorkspaceId, filters: FiltersAsked, form: FormatAsked = ExportFormat.CSV
    ) -> StreamingResponse:
        """The audit of a workspace as a file. That it was taken away is written into it first."""
        return await _export(caller, workspace_id, filters.wanted, form)


def _add_of_everything(router: Router) -> None:
    @router.get(_EVERYWHERE, responses=problems(403))
    async def list_all_audit_events(caller: Caller, page: PageAsked, filters: FiltersAsked) -> AuditPage:
        """What was done and refused anywhere, newest first. Only for a system administrator."""
        wanted = filters.wanted
        return _shown(await caller.read(lambda reading: audit.list_audit_events(reading, None, page, wanted)))

    @router.get(f"{_EVERYWHERE}/export", response_class=StreamingResponse, responses={**_EXPORT, **problems(403)})
    async def export_all_audit_events(
        caller: Caller, filters: FiltersAsked, form: FormatAsked = ExportFormat.CSV
    ) -> StreamingResponse:
        """The whole audit as a file. Only for a system administrator."""
        return await _export(caller, None, filters.wanted, form)


async def _export(
    caller: CallerOf, workspace_id: str | None, wanted: AuditFilter, form: ExportFormat
) -> StreamingResponse:
    await caller.write(lambda uow: audit.begin_export(uow, workspace_id, wanted, form.value))

    async def parts() -> AsyncIterator[bytes]:
        if form is ExportFormat.CSV:
            yield csv_heading()
        before: Position | None = None
        while True:
            events = await caller.run(partial(_part, caller, workspace_id, wanted, before))
            if not events:
                return
            yield csv_lines(events) if form is ExportFormat.CSV else json_lines(events)
            before = audit.position_of(events[-1])

    headers = {"content-disposition": f'attachment; filename="audit.{form.value}"'}
    return StreamingResponse(parts(), media_type=_MEDIA[form], headers=headers)


def _part(
    caller: CallerOf, workspace_id: str | None, wanted: AuditFilter, before: Position | None
) -> Sequence[AuditEvent]:
    database = caller.composition.database
    return database.read(caller.again(), lambda reading: audit.list_for_export(reading, workspace_id, wanted, before))


def _shown(found: Page[AuditEvent]) -> AuditPage:
    return AuditPage.of(paged(found))
