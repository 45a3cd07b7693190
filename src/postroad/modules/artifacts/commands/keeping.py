"""What people decide about a stored file: to pin it, to hold it, to delete it."""

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.versions import Expected, expect
from postroad.modules.artifacts import store
from postroad.modules.artifacts.model import Artifact, ArtifactState
from postroad.modules.artifacts.parts.rights import admit_reader, resource_of
from postroad.modules.artifacts.ports import ArtifactReferences
from postroad.vocabulary.refusals import ResourceNotFound, StateConflict


def pin_artifact(uow: UnitOfWork, workspace_id: str, artifact_id: str, pinned: bool, expected: Expected) -> Artifact:
    """Keeps a file beyond its time, or no longer."""
    artifact = _locked(uow, workspace_id, artifact_id, Action.ARTIFACTS_WRITE, expected)
    return _flagged(uow, artifact, artifact.flagged(uow.now_ms, pinned=pinned), "pin", pinned)


def hold_artifact(uow: UnitOfWork, workspace_id: str, artifact_id: str, held: bool, expected: Expected) -> Artifact:
    """Puts a file under legal hold or lifts it; a held file goes for no reason at all."""
    artifact = _locked(uow, workspace_id, artifact_id, Action.ARTIFACTS_HOLD, expected)
    return _flagged(uow, artifact, artifact.flagged(uow.now_ms, legal_hold=held), "legal_hold", held)


def delete_artifact(
    uow: UnitOfWork, workspace_id: str, artifact_id: str, references: ArtifactReferences, expected: Expected
) -> Artifact:
    """Takes a file away from everybody at once; the sweep removes its bytes.

    Raises StateConflict where it is pinned, held or still needed, ArtifactNotReady where it is not there.
    """
    artifact = _locked(uow, workspace_id, artifact_id, Action.ARTIFACTS_WRITE, expected)
    artifact.require_ready()
    marked = artifact.marked(uow.now_ms)
    if references.referenced(uow, [artifact.id]):
        raise StateConflict("a snapshot or a run still needs the file; it goes when that goes")
    store.save(uow, marked)
    uow.audit("artifact.deleted", resource_of(marked), details={"type": marked.type.value, "sha256": marked.sha256})
    return marked


def release_artifact(uow: UnitOfWork, workspace_id: str, artifact_id: str) -> None:
    """Nobody needs the file any more: its time is over now, and the sweep decides. Unknown and gone ones are fine.

    For rooms that own files; the caller has authorised what it does.
    """
    artifact = store.lock(uow, workspace_id, artifact_id)
    if artifact is not None and artifact.state is ArtifactState.READY:
        store.save(uow, artifact.kept_until(uow.now_ms, uow.now_ms))


def _locked(uow: UnitOfWork, workspace_id: str, artifact_id: str, action: Action, expected: Expected) -> Artifact:
    uow.authorize(action, Resource(workspace_id, "artifact", artifact_id))
    artifact = store.lock(uow, workspace_id, artifact_id)
    if artifact is None:
        raise ResourceNotFound("there is no such file")
    admit_reader(uow, artifact)
    expect(artifact.version, expected, {"state": artifact.state.value})
    return artifact


def _flagged(uow: UnitOfWork, before: Artifact, after: Artifact, flag: str, value: bool) -> Artifact:
    if (before.pinned, before.legal_hold) == (after.pinned, after.legal_hold):
        return before
    store.save(uow, after)
    uow.audit("artifact.flagged", resource_of(after), details={flag: value})
    return after
