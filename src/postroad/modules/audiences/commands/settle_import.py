"""An import is changed, committed or discarded."""

from dataclasses import dataclass, field, replace

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.versions import Expected, expect
from postroad.modules.audiences.model import (
    Audience,
    AudienceStatus,
    FileSource,
    Import,
    ImportCause,
    ImportEvent,
    LayoutChange,
    Reason,
    Source,
    next_import_state,
    type_of,
)
from postroad.modules.audiences.parts.announcing import import_changed
from postroad.modules.audiences.parts.committing import commit_as_new, commit_as_next
from postroad.modules.audiences.parts.finding import one_audience, one_import
from postroad.modules.audiences.parts.reading_rules import ReadingRules
from postroad.modules.audiences.ports import ArtifactKeeper
from postroad.modules.audiences.store import audience_rows, import_rows
from postroad.vocabulary.names import resource_name
from postroad.vocabulary.refusals import StateConflict, ValidationFailed


@dataclass(frozen=True, slots=True)
class ImportAt:
    """Which import, and the version of it that the caller has seen."""

    workspace_id: str
    import_id: str
    expected: Expected


@dataclass(frozen=True, slots=True)
class ImportChange:
    source: Source | None = None
    """None: as it is. Of the same type; a file keeps its name."""
    layout: LayoutChange = field(default_factory=LayoutChange)


@dataclass(frozen=True, slots=True)
class CommitAsk:
    name: str | None = None
    """Of the new audience. Not given for an import into an audience."""
    audience_version: Expected | None = None
    """The version of the audience that the caller has seen. Only for an import into an audience."""


def change_import(
    uow: UnitOfWork, at: ImportAt, change: ImportChange, rules: ReadingRules, keeper: ArtifactKeeper
) -> Import:
    """Reads it again in another way; what reading it made so far is dropped. Raises ValidationFailed, StateConflict."""
    held = _held(uow, at)
    source, layout = _source(held.source, change.source), change.layout.over(held.layout)
    if held.cause is ImportCause.REFRESH:
        raise StateConflict("a refresh is read as its audience says; change the audience and refresh it again")
    if type_of(source) is not held.source_type:
        raise ValidationFailed.of("source", "OTHER_TYPE", f"the import is one of {held.source_type}, which stays")
    following = next_import_state(held.state, ImportEvent.CHANGE)
    rules.check(source, layout)
    for artifact_id in import_rows.results_of(held):
        keeper.release(uow, held.workspace_id, artifact_id)
    changed = replace(
        held,
        source=source,
        layout=layout,
        state=following,
        reason=None,
        rows_read=0,
        is_being_read=False,
        staged=None,
        errors_artifact_id=None,
        report=None,
        version=held.version + 1,
        updated_at_ms=uow.now_ms,
    )
    import_rows.save(uow, changed)
    import_changed(uow, changed, "audience_import.changed")
    return changed


def commit_import(uow: UnitOfWork, at: ImportAt, ask: CommitAsk) -> Audience:
    """Makes the audience, or its next snapshot. The audience is locked first, then the import.

    Raises ValidationFailed, VersionConflict for the import or the audience, StateConflict.
    """
    uow.authorize(Action.AUDIENCES_WRITE, Resource(at.workspace_id, "audience_import", at.import_id))
    seen = one_import(import_rows.find(uow, at.workspace_id, at.import_id))
    if seen.audience_id is None:
        held = _held(uow, at)
        if ask.name is None:
            raise ValidationFailed.of("name", "REQUIRED", "name the new audience")
        return commit_as_new(uow, held, resource_name(ask.name))
    audience = one_audience(audience_rows.lock(uow, at.workspace_id, seen.audience_id))
    held = _held(uow, at)
    next_import_state(held.state, ImportEvent.COMMIT)
    if ask.name is not None:
        raise ValidationFailed.of("name", "NOT_ALLOWED", "the import belongs to an audience, which keeps its name")
    if audience.status is AudienceStatus.ARCHIVED:
        raise StateConflict(f"the audience {audience.name!r} is archived and takes no more recipients")
    expect(audience.version, ask.audience_version or Expected(None), {"updatedAtMs": audience.updated_at_ms})
    return commit_as_next(uow, held, audience)


def discard_import(uow: UnitOfWork, at: ImportAt, keeper: ArtifactKeeper) -> Import:
    """Drops it and everything it made; reading it ends. Raises StateConflict, VersionConflict."""
    return discarded(uow, _held(uow, at), keeper, "audience_import.discarded")


def discarded(
    uow: UnitOfWork, held: Import, keeper: ArtifactKeeper, action: str, reason: Reason | None = None
) -> Import:
    """`held` is locked. Raises StateConflict where it is over already."""
    following = next_import_state(held.state, ImportEvent.DISCARD)
    for artifact_id in import_rows.artifacts_of(held):
        keeper.release(uow, held.workspace_id, artifact_id)
    done = replace(
        held,
        state=following,
        reason=reason or held.reason,
        is_being_read=False,
        version=held.version + 1,
        updated_at_ms=uow.now_ms,
    )
    import_rows.save(uow, done)
    import_changed(uow, done, action)
    return done


def _source(kept: Source, given: Source | None) -> Source:
    if isinstance(given, FileSource) and isinstance(kept, FileSource):
        return replace(given, file_name=kept.file_name)
    return given or kept


def _held(uow: UnitOfWork, at: ImportAt) -> Import:
    uow.authorize(Action.AUDIENCES_WRITE, Resource(at.workspace_id, "audience_import", at.import_id))
    held = one_import(import_rows.lock(uow, at.workspace_id, at.import_id))
    expect(held.version, at.expected, {"state": held.state.value, "updatedAtMs": held.updated_at_ms})
    return held
