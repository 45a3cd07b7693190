"""Artifacts: looked at, uploaded, downloaded in whole or in part, kept, deleted."""

from typing import Annotated, Any, Literal, Protocol

from fastapi import Query, Request, Response

from postroad.entrypoints.http.composition import HttpComposition
from postroad.entrypoints.http.conventions import (
    Caller,
    CallerOf,
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
from postroad.entrypoints.http.conventions.error_answers import problem
from postroad.entrypoints.http.downloads import (
    ByteRange,
    PartAsked,
    Unsatisfiable,
    chosen_range,
    content_etag,
    content_headers,
    content_response,
    has_already,
    not_modified,
)
from postroad.entrypoints.http.routes.system import Limits
from postroad.entrypoints.http.uploads import behalf_of, received
from postroad.entrypoints.http.wire.artifacts import (
    ArtifactPage,
    ArtifactShown,
    HoldAsked,
    PinAsked,
    RetentionAsked,
    RetentionShown,
    UsageShown,
)
from postroad.kernel.versions import Expected
from postroad.modules import artifacts
from postroad.modules.artifacts import Artifact, ArtifactAsked, ArtifactFilter, ArtifactKeeper, ArtifactType, Owner

_ALL = "/workspaces/{workspaceId}/artifacts"
_ONE = _ALL + "/{artifactId}"
ArtifactId = Annotated[str, path_part("artifactId")]
TypeFilter = Annotated[ArtifactType | None, Query(alias="type", description="Only of this class.")]
OwnerType = Annotated[str | None, Query(alias="ownerType", max_length=40, description="Only of this kind of owner.")]
OwnerId = Annotated[str | None, Query(alias="ownerId", max_length=128, description="Only of this owner.")]
FileName = Annotated[str, Query(alias="fileName", max_length=500, description="For display and downloads.")]
Digest = Annotated[str, Query(pattern=r"^([0-9a-f]{64})?$", description="The SHA-256 that must come.")]


_MOST_COUNTED = 10_000


class ArtifactComposition(HttpComposition, Protocol):
    @property
    def artifacts(self) -> ArtifactKeeper: ...

    @property
    def limits(self) -> Limits: ...


def add_routes(router: Router, composition: ArtifactComposition) -> None:
    """…/artifacts and …/artifact-usage below the workspace; /system/maintenance/retention."""
    _add_reading(router, composition)
    _add_upload(router, composition)
    _add_download(router, composition)
    _add_keeping(router, composition)
    _add_retention(router, composition)


def _add_reading(router: Router, composition: ArtifactComposition) -> None:
    @router.get(_ALL, responses=problems(404))
    async def list_artifacts(
        caller: Caller,
        workspace_id: WorkspaceId,
        page: PageAsked,
        filters: FiltersAsked,
        kind: TypeFilter = None,
        *,
        owner_type: OwnerType = None,
        owner_id: OwnerId = None,
    ) -> ArtifactPage:
        """Files of the workspace, newest first. `status` filters by state."""
        wanted = ArtifactFilter(
            type=kind,
            state=filters.status,
            owner_type=owner_type,
            owner_id=owner_id,
            name=filters.name,
            created_after_ms=filters.created_after,
            created_before_ms=filters.created_before,
        )
        found = await caller.read(lambda reading: artifacts.list_artifacts(reading, workspace_id, page, wanted))
        return ArtifactPage.of({"items": found.items, "page": found})

    @router.get(_ONE, responses=problems(404))
    async def get_artifact(
        caller: Caller, workspace_id: WorkspaceId, artifact_id: ArtifactId, response: Response
    ) -> ArtifactShown:
        """What a file is, in any state."""
        return _shown(
            response, await caller.read(lambda reading: artifacts.get_artifact(reading, workspace_id, artifact_id))
        )

    @router.get("/workspaces/{workspaceId}/artifact-usage", responses=problems(404))
    async def get_artifact_usage(caller: Caller, workspace_id: WorkspaceId) -> UsageShown:
        """Bytes that the files of the workspace take, and may take."""
        policies = composition.artifacts.policies
        return UsageShown.of(await caller.read(lambda reading: artifacts.get_usage(reading, workspace_id, policies)))


def _add_upload(router: Router, composition: ArtifactComposition) -> None:
    @router.post(
        _ALL,
        status_code=201,
        responses=problems(403, 404, 409, 413, 503),
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
            }
        },
        max_body_size=composition.limits.upload_bytes,
    )
    async def upload_artifact(
        caller: Caller,
        workspace_id: WorkspaceId,
        request: Request,
        response: Response,
        file_name: FileName,
        *,
        sha256: Digest = "",
        kind: Annotated[Literal["IMPORT"], Query(alias="type")] = "IMPORT",
    ) -> ArtifactShown:
        """Stores the raw body as a file. It is there whole, with the announced size and SHA-256, or not at all."""
        ask = ArtifactAsked(
            workspace_id,
            ArtifactType(kind),
            Owner("workspace", workspace_id),
            file_name,
            request.headers.get("content-type", ""),
            size_bytes=_announced(request),
            sha256=sha256,
        )
        made = await received(request, caller, composition.artifacts, ask)
        created(response, f"/api/v1/workspaces/{workspace_id}/artifacts/{made.id}")
        return _shown(response, made)


def _add_download(router: Router, composition: ArtifactComposition) -> None:
    binary = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
    answers: dict[int | str, dict[str, Any]] = {
        200: {"description": "All of it", **binary},
        206: {"description": "The part that was asked for", **binary},
        304: {"description": "The client has it"},
        416: {"description": "The part lies outside the file"},
    }

    @router.get(_ONE + "/content", response_class=Response, responses={**answers, **problems(403, 404, 409)})
    async def download_artifact(
        caller: Caller, workspace_id: WorkspaceId, artifact_id: ArtifactId, asked: PartAsked
    ) -> Response:
        """The bytes. Who may have them is asked at each request, and each is noted in the audit."""
        chosen: list[ByteRange | None] = []

        def part(artifact: Artifact) -> tuple[int, int]:
            chosen.append(chosen_range(asked, artifact.size_bytes, content_etag(artifact)))
            found = chosen[-1] or ByteRange(0, artifact.size_bytes)
            return found.start, found.length

        at = (workspace_id, artifact_id)
        if asked.range is not None or asked.if_none_match is not None:
            artifact = await _ready(caller, at)
            if has_already(asked, content_etag(artifact)):
                return not_modified(artifact)
            try:
                part(artifact)
            except Unsatisfiable:
                return _unsatisfiable(artifact, caller.trace_id)
        delivery = await caller.run(lambda: composition.artifacts.deliver(behalf_of(caller), at, part))
        return content_response(delivery.artifact, chosen[-1], delivery.chunks)

    @router.head(_ONE + "/content", response_class=Response, responses={**answers, **problems(403, 404, 409)})
    async def head_artifact(
        caller: Caller, workspace_id: WorkspaceId, artifact_id: ArtifactId, asked: PartAsked
    ) -> Response:
        """What a download would say, without the bytes."""
        artifact = await _ready(caller, (workspace_id, artifact_id))
        if has_already(asked, content_etag(artifact)):
            return not_modified(artifact)
        return Response(status_code=200, headers=content_headers(artifact))


def _add_keeping(router: Router, composition: ArtifactComposition) -> None:
    @router.put(_ONE + "/pin", responses=problems(403, 404, 409, 412, 428))
    async def pin_artifact(
        caller: Caller,
        workspace_id: WorkspaceId,
        artifact_id: ArtifactId,
        if_match: IfMatch,
        body: PinAsked,
        *,
        response: Response,
    ) -> ArtifactShown:
        """Keeps a file beyond its time, or no longer."""
        return _shown(
            response,
            await caller.write(
                lambda uow: artifacts.pin_artifact(uow, workspace_id, artifact_id, body.pinned, if_match)
            ),
        )

    @router.put(_ONE + "/hold", responses=problems(403, 404, 409, 412, 428))
    async def hold_artifact(
        caller: Caller,
        workspace_id: WorkspaceId,
        artifact_id: ArtifactId,
        if_match: IfMatch,
        body: HoldAsked,
        *,
        response: Response,
    ) -> ArtifactShown:
        """Puts a file under legal hold, or lifts it. Nothing removes a held file."""
        return _shown(
            response,
            await caller.write(
                lambda uow: artifacts.hold_artifact(uow, workspace_id, artifact_id, body.held, if_match)
            ),
        )

    @router.delete(_ONE, status_code=204, responses=problems(403, 404, 409, 412, 428))
    async def delete_artifact(
        caller: Caller, workspace_id: WorkspaceId, artifact_id: ArtifactId, if_match: IfMatch
    ) -> None:
        """Takes a file away at once; its bytes go a little later. Refused while it is kept or needed."""
        await _delete(caller, composition, (workspace_id, artifact_id), if_match)


def _add_retention(router: Router, composition: ArtifactComposition) -> None:
    @router.post("/system/maintenance/retention", responses=problems(403))
    async def run_retention(caller: Caller, body: RetentionAsked) -> RetentionShown:
        """Removes files whose time is over: one bounded round now, the rest by itself. A dry run only counts."""
        keeper = composition.artifacts
        counts = await caller.read(lambda reading: artifacts.count_expired(reading, keeper.references, _MOST_COUNTED))
        if not body.dry_run:
            await caller.write(artifacts.note_retention)
            await caller.run(keeper.sweep)
        expired = [{"type": kind, "files": files, "bytes": size} for kind, (files, size) in sorted(counts.items())]
        return RetentionShown.of({"dry_run": body.dry_run, "expired": expired})


async def _delete(caller: CallerOf, composition: ArtifactComposition, at: tuple[str, str], expected: Expected) -> None:
    references = composition.artifacts.references
    await caller.write(lambda uow: artifacts.delete_artifact(uow, *at, references, expected))


async def _ready(caller: CallerOf, at: tuple[str, str]) -> Artifact:
    artifact = await caller.read(lambda reading: artifacts.get_artifact(reading, *at))
    artifact.require_ready()
    return artifact


def _unsatisfiable(artifact: Artifact, trace_id: str) -> Response:
    said = f"the file has {artifact.size_bytes} bytes; the range lies outside"
    headers = {"content-range": f"bytes */{artifact.size_bytes}"}
    return problem(416, "RANGE_NOT_SATISFIABLE", said, trace_id, headers=headers)


def _announced(request: Request) -> int | None:
    length = request.headers.get("content-length", "")
    return int(length) if length.isdigit() else None


def _shown(response: Response, artifact: Artifact) -> ArtifactShown:
    show_version(response, artifact.version)
    return ArtifactShown.of(artifact)
