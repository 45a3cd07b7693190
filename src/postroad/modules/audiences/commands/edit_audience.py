"""An audience is renamed or asks another query; it is archived or erased. Its recipients change by imports alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.versions import Expected, expect
from postroad.modules.audiences.model import Audience, AudienceStatus, LayoutChange, QuerySource
from postroad.modules.audiences.parts.announcing import audience_changed
from postroad.modules.audiences.parts.finding import one_audience
from postroad.modules.audiences.parts.reading_rules import ReadingRules
from postroad.modules.audiences.ports import ArtifactKeeper, AudienceUses, Referrer
from postroad.modules.audiences.store import audience_rows, import_rows, snapshot_rows
from postroad.vocabulary.names import resource_name
from postroad.vocabulary.refusals import StateConflict


@dataclass(frozen=True, slots=True)
class AudienceAt:
    """Which audience, and the version of it that the caller has seen."""

    workspace_id: str
    audience_id: str
    expected: Expected


@dataclass(frozen=True, slots=True)
class AudienceChange:
    """What is None stays as it is."""

    name: str | None = None
    query: QuerySource | None = None
    """Only for an audience that comes from a query; it is asked at the next refresh."""
    layout: LayoutChange = field(default_factory=LayoutChange)


def change_audience(uow: UnitOfWork, at: AudienceAt, change: AudienceChange, rules: ReadingRules) -> Audience:
    """Raises ValidationFailed, VersionConflict, StateConflict for an archived audience."""
    kept = _held(uow, at)
    if kept.status is AudienceStatus.ARCHIVED:
        raise StateConflict(f"the audience {kept.name!r} is archived and cannot be changed")
    if change.query is not None and not isinstance(kept.source, QuerySource):
        raise StateConflict(f"the audience comes from {kept.source_type} and has no query; import a QUERY into it")
    source, layout = change.query or kept.source, change.layout.over(kept.layout)
    if (source, layout) != (kept.source, kept.layout):
        rules.check(source, layout)
    changed = replace(
        kept,
        name=resource_name(change.name) if change.name is not None else kept.name,
        source=source,
        layout=layout,
        version=kept.version + 1,
        updated_at_ms=uow.now_ms,
    )
    audience_rows.save(uow, changed)
    audience_changed(uow, changed, "audience.changed")
    return changed


def archive_audience(uow: UnitOfWork, at: AudienceAt, uses: AudienceUses) -> Audience:
    """Its name is free again. Raises StateConflict where a job still refers to it."""
    kept = _held(uow, at)
    if kept.status is AudienceStatus.ARCHIVED:
        return kept
    _refuse_referred(uow, kept, uses)
    archived = replace(kept, status=AudienceStatus.ARCHIVED, version=kept.version + 1, updated_at_ms=uow.now_ms)
    audience_rows.save(uow, archived)
    audience_changed(uow, archived, "audience.archived")
    return archived


def erase_audience(uow: UnitOfWork, at: AudienceAt, uses: AudienceUses, keeper: ArtifactKeeper) -> None:
    """With all its snapshots and imports. Raises StateConflict where a job or a run still refers to it."""
    kept = _held(uow, at)
    _refuse_referred(uow, kept, uses)
    snapshots = snapshot_rows.all_of(uow, kept.id)
    if needed := uses.needed_snapshots(uow, [snapshot.id for snapshot in snapshots]):
        said = f"runs still need {len(needed)} snapshot{'s' if len(needed) > 1 else ''} of it"
        raise StateConflict(f"the audience {kept.name!r} cannot be erased: {said}; archive it instead")
    artifacts = {snapshot.artifact_id for snapshot in snapshots}
    for imported in import_rows.all_of(uow, kept.id):
        artifacts.update(import_rows.artifacts_of(imported))
    for artifact_id in sorted(artifacts):
        keeper.release(uow, kept.workspace_id, artifact_id)
    import_rows.remove_all_of(uow, kept.id)
    snapshot_rows.remove_all_of(uow, kept.id)
    audience_rows.remove(uow, kept.id)
    gone = replace(kept, status=AudienceStatus.ARCHIVED, version=kept.version + 1, updated_at_ms=uow.now_ms)
    audience_changed(uow, gone, "audience.erased")


def _held(uow: UnitOfWork, at: AudienceAt) -> Audience:
    uow.authorize(Action.AUDIENCES_WRITE, Resource(at.workspace_id, "audience", at.audience_id))
    kept = one_audience(audience_rows.lock(uow, at.workspace_id, at.audience_id))
    expect(kept.version, at.expected, {"name": kept.name, "updatedAtMs": kept.updated_at_ms})
    return kept


def _refuse_referred(uow: UnitOfWork, audience: Audience, uses: AudienceUses) -> None:
    referrers = uses.of_audience(uow, audience.workspace_id, audience.id)
    if referrers:
        raise StateConflict(
            f"the audience {audience.name!r} is still used by {_named(referrers)}; change or archive them"
        )


def _named(referrers: Sequence[Referrer]) -> str:
    shown = ", ".join(f"the {one.kind} {one.name!r}" for one in referrers[:5])
    return f"{shown} and others" if len(referrers) > 5 else shown
