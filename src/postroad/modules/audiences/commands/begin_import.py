"""An import is begun: by a person with a file, rows, a query or a number, or because an audience is read again."""

from dataclasses import dataclass, field, replace

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.audiences.model import (
    Audience,
    AudienceStatus,
    FileSource,
    Import,
    ImportCause,
    ImportState,
    InlineSource,
    Layout,
    QuerySource,
    Source,
    Upload,
)
from postroad.modules.audiences.parts.announcing import import_changed
from postroad.modules.audiences.parts.finding import one_audience
from postroad.modules.audiences.parts.reading_rules import ReadingRules
from postroad.modules.audiences.store import audience_rows, import_rows
from postroad.vocabulary.refusals import StateConflict


@dataclass(frozen=True, slots=True)
class ImportAsk:
    source: Source
    layout: Layout = field(default_factory=Layout)
    audience_id: str | None = None
    """The audience that is to get a new snapshot; None for a new audience."""


@dataclass(frozen=True, slots=True)
class NewImport:
    workspace_id: str
    import_id: str
    """Made before what was received was kept, which is noted under it."""
    ask: ImportAsk
    upload: Upload | None = None


def admit_import(reading: Reading, workspace_id: str, audience_id: str | None) -> None:
    """Before anything is received: may this caller import, and into this audience? Raises as `begin_import`."""
    reading.authorize(Action.AUDIENCES_WRITE, Resource(workspace_id, "audience_import"))
    if audience_id is not None:
        _active(audience_rows.find(reading, workspace_id, audience_id))


def begin_import(uow: UnitOfWork, new: NewImport, rules: ReadingRules) -> Import:
    """It waits to be read in the background. Raises ValidationFailed, ResourceNotFound, StateConflict."""
    workspace_id, ask = new.workspace_id, new.ask
    uow.authorize(Action.AUDIENCES_WRITE, Resource(workspace_id, "audience_import"))
    rules.check(ask.source, ask.layout)
    if (new.upload is None) == isinstance(ask.source, FileSource | InlineSource):
        raise ValueError("files and rows come with what was received, queries and numbers without")
    if ask.audience_id is not None:
        _active(audience_rows.lock(uow, workspace_id, ask.audience_id, to_change=False))
    blank = _blank(uow, workspace_id, ask.source, ask.layout)
    return _added(uow, replace(blank, id=new.import_id, audience_id=ask.audience_id, upload=new.upload))


def refresh_audience(uow: UnitOfWork, workspace_id: str, audience_id: str, rules: ReadingRules) -> Import:
    """Asks the audience's query again; once it is read the new snapshot commits by itself. Raises as `begin_import`.

    Where nothing can be read, or nobody is left over, the present snapshot stays and the import says why.
    """
    uow.authorize(Action.AUDIENCES_WRITE, Resource(workspace_id, "audience", audience_id))
    audience = _active(audience_rows.lock(uow, workspace_id, audience_id, to_change=False))
    if not isinstance(audience.source, QuerySource):
        raise StateConflict(
            f"the audience {audience.name!r} comes from {audience.source_type}; only a QUERY can be asked again"
        )
    rules.check(audience.source, audience.layout)
    blank = _blank(uow, workspace_id, audience.source, audience.layout)
    return _added(uow, replace(blank, audience_id=audience_id, cause=ImportCause.REFRESH))


def _active(found: Audience | None) -> Audience:
    audience = one_audience(found)
    if audience.status is AudienceStatus.ARCHIVED:
        raise StateConflict(f"the audience {audience.name!r} is archived and takes no more recipients")
    return audience


def _blank(uow: UnitOfWork, workspace_id: str, source: Source, layout: Layout) -> Import:
    return Import(
        id=uow.new_id(),
        workspace_id=workspace_id,
        audience_id=None,
        cause=ImportCause.PERSON,
        source=source,
        layout=layout,
        state=ImportState.UPLOADED,
        reason=None,
        rows_read=0,
        is_being_read=False,
        upload=None,
        staged=None,
        errors_artifact_id=None,
        report=None,
        snapshot_id=None,
        created_by=uow.principal.actor,
        version=1,
        created_at_ms=uow.now_ms,
        updated_at_ms=uow.now_ms,
    )


def _added(uow: UnitOfWork, made: Import) -> Import:
    import_rows.add(uow, made)
    import_changed(uow, made, "audience_import.begun")
    return made
