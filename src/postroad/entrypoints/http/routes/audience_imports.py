"""Imports: recipients on their way into an audience."""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Query, Request, Response

from postroad.entrypoints.http.audiences import AudienceComposition
from postroad.entrypoints.http.conventions import (
    Caller,
    FiltersAsked,
    IfMatch,
    PageAsked,
    Router,
    WorkspaceId,
    created,
    path_part,
    problems,
    show_version,
)
from postroad.entrypoints.http.tables import CSV_ANSWER, csv_response, sender_of
from postroad.entrypoints.http.uploads import pieces
from postroad.entrypoints.http.wire.audiences import (
    AudienceShown,
    ImportAsked,
    ImportChanged,
    ImportCommitted,
    ImportPage,
    ImportShown,
    PreviewShown,
    shown_audience,
    shown_import,
)
from postroad.kernel.versions import Expected, How
from postroad.modules import audiences
from postroad.modules.audiences import (
    CommitAsk,
    FileSource,
    Import,
    ImportAsk,
    ImportAt,
    ImportFilter,
    InlineSource,
    Layout,
)
from postroad.vocabulary.refusals import ValidationFailed

_ALL = "/workspaces/{workspaceId}/audience-imports"
_ONE = _ALL + "/{importId}"
ImportId = Annotated[str, path_part("importId")]
OfAudience = Annotated[str | None, Query(alias="audienceId", max_length=128, description="Only of this audience.")]
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@dataclass(frozen=True, slots=True)
class FileAsked:
    """How the file in the body is read; what is not given is guessed."""

    file_name: Annotated[str, Query(alias="fileName", max_length=500, description="For display, and its ending.")]
    audience_id: OfAudience = None
    format: Annotated[str | None, Query(max_length=10, description="csv, tsv, txt, xlsx or jsonl.")] = None
    encoding: Annotated[str | None, Query(max_length=40, description="Such as gb18030.")] = None
    delimiter: Annotated[str | None, Query(max_length=10, description="One character.")] = None
    quote: Annotated[str | None, Query(max_length=10, description="One character, or empty for none.")] = None
    sheet: Annotated[str | None, Query(max_length=200, description="Of a workbook.")] = None
    header_row: Annotated[int | None, Query(alias="headerRow", ge=0, le=1_000_000, description="As shown.")] = None
    key: Annotated[list[str] | None, Query(description="Columns that name a recipient.")] = None
    mapping: Annotated[list[str] | None, Query(description="`field=column`, once for each.")] = None
    provider_id: Annotated[str | None, Query(alias="providerId", max_length=100)] = None

    def ask(self) -> ImportAsk:
        """Raises ValidationFailed."""
        name = audiences.display_name(self.file_name)
        source = FileSource(name, self.format, self.encoding, self.delimiter, self.quote, self.sheet, self.header_row)
        return ImportAsk(
            source, Layout(tuple(self.key or ()), _mapping(self.mapping or []), self.provider_id), self.audience_id
        )


def add_routes(router: Router, composition: AudienceComposition) -> None:
    """Below /workspaces/{workspaceId}/audience-imports."""
    _add_beginning(router, composition)
    _add_reading(router, composition)
    _add_settling(router, composition)
    _add_tables(router, composition)


def _add_beginning(router: Router, composition: AudienceComposition) -> None:
    @router.post(_ALL, status_code=201, responses=problems(403, 404, 409))
    async def begin_import(
        caller: Caller, workspace_id: WorkspaceId, body: ImportAsked, response: Response
    ) -> ImportShown:
        """Takes rows of the request, a query or a number. They are read in the background: look again until PARSED."""
        source, reception, sender = body.source(), composition.audiences.reception, sender_of(caller, workspace_id)
        if source is None:
            raise ValidationFailed.of("rows", "ONE_OF", "give exactly one of rows, query and count")
        ask = ImportAsk(source, body.layout().over(Layout()), body.audience_id)
        if isinstance(source, InlineSource):
            begun = await caller.run(lambda: reception.import_rows(sender, ask, body.rows or []))
        else:
            begun = await caller.run(lambda: reception.import_other(sender, ask))
        return _begun(response, begun)

    @router.post(
        _ALL + "/files",
        status_code=201,
        responses=problems(403, 404, 409, 413),
        openapi_extra=_BODY,
        max_body_size=composition.limits.upload_bytes,
    )
    async def import_file(
        caller: Caller,
        workspace_id: WorkspaceId,
        asked: Annotated[FileAsked, Depends()],
        request: Request,
        response: Response,
    ) -> ImportShown:
        """Takes the raw body as a spreadsheet. It is read in the background: look again until PARSED."""
        ask, reception, sender = asked.ask(), composition.audiences.reception, sender_of(caller, workspace_id)
        incoming = await caller.run(lambda: reception.open(sender, ask))
        try:
            async for piece in pieces(request):
                await asyncio.to_thread(incoming.write, piece)
            begun = await caller.run(lambda: reception.import_file(sender, ask, incoming))
        finally:
            await asyncio.shield(asyncio.to_thread(incoming.close))
        return _begun(response, begun)


def _add_reading(router: Router, composition: AudienceComposition) -> None:
    @router.get(_ALL, responses=problems(404))
    async def list_imports(
        caller: Caller,
        workspace_id: WorkspaceId,
        page: PageAsked,
        filters: FiltersAsked,
        audience_id: OfAudience = None,
    ) -> ImportPage:
        """Imports, newest first. `status` filters by state."""
        wanted = ImportFilter(filters.status, audience_id, filters.created_after, filters.created_before)
        found = await caller.read(lambda reading: audiences.list_imports(reading, workspace_id, page, wanted))
        return ImportPage.of({"items": [shown_import(one) for one in found.items], "page": found})

    @router.get(_ONE, responses=problems(404))
    async def get_import(
        caller: Caller, workspace_id: WorkspaceId, import_id: ImportId, response: Response
    ) -> ImportShown:
        """One import: its progress, and the report once it is read."""
        return _shown(
            response, await caller.read(lambda reading: audiences.get_import(reading, workspace_id, import_id))
        )

    @router.get(_ONE + "/preview", responses=problems(404, 409))
    async def preview_import(caller: Caller, workspace_id: WorkspaceId, import_id: ImportId) -> PreviewShown:
        """The first accepted rows and the first problems."""
        showing, sender = composition.audiences.showing, sender_of(caller, workspace_id)
        return PreviewShown.of(await caller.run(lambda: showing.preview(sender, import_id)))


def _add_settling(router: Router, composition: AudienceComposition) -> None:
    @router.patch(_ONE, responses=problems(403, 404, 409, 412, 428))
    async def change_import(
        caller: Caller,
        workspace_id: WorkspaceId,
        import_id: ImportId,
        if_match: IfMatch,
        body: ImportChanged,
        *,
        response: Response,
    ) -> ImportShown:
        """Reads it again in another way: another mapping, another encoding. Also after it failed."""
        at, parts = ImportAt(workspace_id, import_id, if_match), composition.audiences
        changed = await caller.write(
            lambda uow: audiences.change_import(uow, at, body.change(), parts.rules, parts.keeper)
        )
        return _shown(response, changed)

    @router.post(_ONE + "/commit", responses=problems(403, 404, 409, 412, 428))
    async def commit_import(
        caller: Caller,
        workspace_id: WorkspaceId,
        import_id: ImportId,
        if_match: IfMatch,
        body: ImportCommitted,
        *,
        response: Response,
    ) -> AudienceShown:
        """Makes the audience, or the next snapshot of the one it was imported into."""
        at = ImportAt(workspace_id, import_id, if_match)
        ask = CommitAsk(body.name, Expected(body.audience_version, How.BODY))
        audience = await caller.write(lambda uow: audiences.commit_import(uow, at, ask))
        response.headers["location"] = f"/api/v1/workspaces/{workspace_id}/audiences/{audience.id}"
        show_version(response, audience.version)
        return shown_audience(audience)

    @router.delete(_ONE, responses=problems(403, 404, 409, 412, 428))
    async def discard_import(
        caller: Caller, workspace_id: WorkspaceId, import_id: ImportId, if_match: IfMatch, response: Response
    ) -> ImportShown:
        """Drops it and everything it made; reading it ends."""
        at, keeper = ImportAt(workspace_id, import_id, if_match), composition.audiences.keeper
        return _shown(response, await caller.write(lambda uow: audiences.discard_import(uow, at, keeper)))


def _add_tables(router: Router, composition: AudienceComposition) -> None:
    @router.get(_ONE + "/errors.csv", response_class=Response, responses={**CSV_ANSWER, **problems(404, 409)})
    async def download_import_errors(caller: Caller, workspace_id: WorkspaceId, import_id: ImportId) -> Response:
        """Every row that was left out and why. Audited."""
        showing, sender = composition.audiences.showing, sender_of(caller, workspace_id)
        return csv_response(await caller.run(lambda: showing.errors_csv(sender, import_id)), "errors.csv")

    @router.get(_ONE + "/accepted.csv", response_class=Response, responses={**CSV_ANSWER, **problems(404, 409)})
    async def download_import_accepted(caller: Caller, workspace_id: WorkspaceId, import_id: ImportId) -> Response:
        """Every accepted row. Audited."""
        showing, sender = composition.audiences.showing, sender_of(caller, workspace_id)
        return csv_response(await caller.run(lambda: showing.accepted_csv(sender, import_id)), "accepted.csv")


def _mapping(entries: list[str]) -> dict[str, str]:
    found = {}
    for entry in entries:
        field, equals, column = entry.partition("=")
        if not equals:
            raise ValidationFailed.of("mapping", "UNREADABLE", f"mapping is `field=column`, not {entry[:50]!r}")
        found[field] = column
    return found


def _begun(response: Response, begun: Import) -> ImportShown:
    created(response, f"/api/v1/workspaces/{begun.workspace_id}/audience-imports/{begun.id}", begun.version)
    return shown_import(begun)


def _shown(response: Response, found: Import) -> ImportShown:
    show_version(response, found.version)
    return shown_import(found)
