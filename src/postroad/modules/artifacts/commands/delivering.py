"""Handing out a file: who may have it is asked when it is handed out, and noted."""

from collections.abc import Callable

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.artifacts import store
from postroad.modules.artifacts.model import Artifact
from postroad.modules.artifacts.parts.rights import admit_reader, resource_of
from postroad.vocabulary.refusals import ResourceNotFound


def hand_out(
    uow: UnitOfWork, at: tuple[str, str], part: Callable[[Artifact], tuple[int, int]] | None
) -> tuple[Artifact, int, int]:
    """The file at (workspace, artifact) and the (start, length) of it that goes out."""
    workspace_id, artifact_id = at
    uow.authorize(Action.ARTIFACTS_READ, Resource(workspace_id, "artifact", artifact_id))
    artifact = get_ready(uow, workspace_id, artifact_id, for_reader=True)
    start, length = part(artifact) if part else (0, artifact.size_bytes)
    details = {"type": artifact.type.value, "sha256": artifact.sha256, "start": start, "length": length}
    uow.audit("artifact.downloaded", resource_of(artifact), details=details)
    return artifact, start, length


def get_ready(reading: Reading, workspace_id: str, artifact_id: str, *, for_reader: bool = False) -> Artifact:
    """Raises ResourceNotFound, ArtifactNotReady."""
    artifact = store.find(reading, workspace_id, artifact_id)
    if artifact is None:
        raise ResourceNotFound("there is no such file")
    if for_reader:
        admit_reader(reading, artifact)
    artifact.require_ready()
    return artifact
